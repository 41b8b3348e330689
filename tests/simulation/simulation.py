"""One simulated world: processes that race for runs, people that meddle, and bad weather."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct
from tests.simulation.chaos import Weather
from tests.simulation.definitions import CLI, GATE, PURSE, ROLES, WRITER, frugal, random_definition
from tests.simulation.editors import Editors
from tests.simulation.invariants import Evidence
from tests.simulation.kanbans import random_kanban
from tests.simulation.machine import TIMING, Ledgers, Machine, memory_ledgers
from tests.simulation.people import People
from tests.simulation.processes import SimProcess
from tests.support.toy_driver import ChildDriver, Chores, Family, ParentDriver

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import Busy, SupervisorError
from supervisor_ai.domain.ids import RunId, stream_run
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.dispatch import LocalDispatcher, Shift
from supervisor_ai.engine.effects.performer import perform
from supervisor_ai.engine.ports.ledger import EventLog
from supervisor_ai.engine.recovery import Recovery, recover
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import Performer, World
from supervisor_ai.testing.world import make_base, submit

DESK: Final = "desk"
_ENDS: Final = (e.RunCompleted, e.RunFailed, e.RunCancelled)
_HORIZON: Final = 3_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of the product that a planted bug takes the place of."""

    log: Callable[[EventLog], EventLog] = lambda log: log
    perform: Performer = perform
    recover: Recovery = recover


RIGHT: Final = Parts()


class Kind(StrEnum):
    """What the runs of a world are."""

    WORKFLOW = "workflow"
    FAMILY = "family"
    RUSH = "rush"
    SPREE = "spree"
    KANBAN = "kanban"


class Setting(Struct, frozen=True, kw_only=True):
    """What distinguishes one simulated world from another, besides its seed."""

    weather: Weather
    kind: Kind = Kind.WORKFLOW
    processes: int = 2
    is_meddled_with: bool = True
    has_deadlines: bool = True
    parts: Parts = RIGHT
    ledgers: Callable[[], Ledgers] = memory_ledgers


class Simulation:
    """A world from its first event to its end."""

    def __init__(self, seed: int, setting: Setting) -> None:
        self._setting = setting
        self._machine = Machine(seed, setting.weather, setting.ledgers())
        self._chance = self._machine.chance
        self._base = make_base(self._machine.workspaces)
        self._people = People(
            self._machine.world, self._machine.loop, self._machine.script, self._chance
        )
        self._runs: dict[RunId, e.RunSubmitted] = {}
        self._ended: set[RunId] = set()
        self._cursor = 0
        self._active: list[SimProcess] = []
        self._to_come = 0

    def run(self) -> Evidence:
        """Let the world come to its end and return what is left."""
        self._submit()
        self._people.watch(self._is_over)
        for _ in range(self._setting.processes):
            self._spawn()
        self._storm()
        timeline = self._machine.timeline
        timeline.run(lambda: not self._is_anybody_left() or timeline.now > _HORIZON)
        if self._is_anybody_left():
            self._machine.history.broken("The world never came to its end.")
        self._machine.bury()
        return self._evidence()

    # The runs

    def _submit(self) -> None:
        match self._setting.kind:
            case Kind.WORKFLOW:
                self._submit_workflow()
            case Kind.FAMILY:
                self._submit_family()
            case Kind.RUSH:
                for _ in range(4):
                    self._submit_run(ChildDriver.name, self._chores())
            case Kind.KANBAN:
                self._submit_kanban()
            case Kind.SPREE:
                for _ in range(3):
                    self._submit_run(WorkflowDriver.name, frugal(random_definition(self._chance)))

    def _submit_workflow(self) -> None:
        definition = random_definition(self._chance)
        if not self._setting.has_deadlines:
            limits = replace(definition.limits, workflow_timeout=None)
            definition = replace(definition, limits=limits)
        run = self._submit_run(WorkflowDriver.name, definition)
        if self._setting.is_meddled_with:
            self._people.meddle(run, definition)

    def _submit_kanban(self) -> None:
        machine = self._machine
        definition, files = random_kanban(self._chance)
        place = definition.kanban.place
        if place.directory is None:
            self._base = make_base(machine.workspaces, {"README": "Hello.", **files})
        else:
            named = {path.rpartition("/")[2]: text.encode() for path, text in files.items()}
            machine.kanban_files.directories[place.directory] = named
        if not self._setting.has_deadlines:
            limits = replace(definition.limits, workflow_timeout=None)
            definition = replace(definition, limits=limits)
        run = self._submit_run(KanbanDriver.name, definition)
        if not self._setting.is_meddled_with:
            return
        if self._chance.random() < 0.1:
            self._people.cancel(run)
        editors = Editors(machine, place, f"ai/{run}", self._is_over)
        editors.edit_later()
        self._people.mending = editors.mend

    def _submit_family(self) -> None:
        documents, siblings = self._machine.world.documents, self._chance.randrange(2, 4)
        children = tuple(documents.save(self._chores()) for _ in range(siblings))
        patience = timedelta(seconds=self._chance.randrange(60))
        run = self._submit_run(ParentDriver.name, Family(children=children, patience=patience))
        if self._setting.is_meddled_with and self._chance.random() < 0.15:
            self._people.cancel(run)

    def _submit_run(self, driver: str, definition: object) -> RunId:
        return submit(self._machine.world, definition, base=self._base, driver=driver)

    def _chores(self) -> Chores:
        return Chores(
            permit=DESK,
            limit=1,
            workers=self._chance.randrange(1, 3),
            role=ROLES[WRITER],
            cli=CLI,
            gate=self._chance.choice((None, GATE)),
        )

    def _open_runs(self) -> list[RunId]:
        for envelope in self._machine.world.log.read_all(after=self._cursor):
            self._cursor = envelope.seq
            run = stream_run(envelope.stream)
            if run is not None and isinstance(envelope.event, e.RunSubmitted):
                self._runs[run] = envelope.event
            if run is not None and isinstance(envelope.event, _ENDS):
                self._ended.add(run)
        return [run for run in self._runs if run not in self._ended]

    def _is_over(self) -> bool:
        return not self._open_runs()

    # The processes

    def _spawn(self) -> None:
        process, world = self._machine.start(self._bereaved)
        self._active.append(process)
        process.loop.create_task(self._live(process, world))

    def _bereaved(self, process: SimProcess) -> None:
        """Start another process some time after one has died."""
        self._active.remove(process)
        self._to_come += 1
        self._machine.loop.call_later(self._chance.uniform(0, 10), self._succeed)

    def _succeed(self) -> None:
        self._to_come -= 1
        self._spawn()

    def _is_anybody_left(self) -> bool:
        return bool(self._active or self._to_come)

    async def _live(self, process: SimProcess, world: World) -> None:
        parts = self._setting.parts
        runtime = Runtime(
            world=replace(world, log=parts.log(world.log)),
            owner=f"p{process.number}",
            perform=parts.perform,
            recover=parts.recover,
        )
        live = self._chance.choice((self._serve, self._watch_over))
        try:
            await live(runtime)
            for run in self._runs:
                await runtime.drive(run)
        except Exception as error:  # noqa: BLE001 - whatever it is, the observer wants to know
            self._machine.history.broken(f"A process ended with {error!r}.")
        self._active.remove(process)

    async def _serve(self, runtime: Runtime) -> None:
        """Drive what is due, as `supervisor serve` does."""
        world = runtime.world
        shift = Shift(
            limit=2,
            serves=lambda _run: True,
            is_over=lambda _is_idle: self._is_over(),
            failed=self._failed,
        )
        await LocalDispatcher(world.wakes, world.clock, poll=TIMING.poll).serve(
            runtime.drive, shift
        )

    def _failed(self, run: RunId, error: SupervisorError) -> None:
        if not isinstance(error, Busy):
            self._machine.history.broken(f"A drive of run {run!r} ended with {error!r}.")

    async def _watch_over(self, runtime: Runtime) -> None:
        """Drive every run again and again, as an impatient user does."""
        world = runtime.world
        while runs := self._open_runs():
            for run in runs:
                try:
                    await runtime.drive(run)
                except Busy:
                    continue
            await world.clock.sleep(self._chance.uniform(0.5, 8))

    # The weather

    def _storm(self) -> None:
        """Strike now and then, wherever the processes are."""
        self._machine.loop.call_later(self._chance.expovariate(0.1), self._strike)

    def _strike(self) -> None:
        if not self._machine.chaos.strikes_left:
            return
        self._machine.chaos.strikes_left -= 1
        drawn = self._chance.random()
        if drawn < 0.3:
            self._machine.clock.jump(timedelta(seconds=self._chance.uniform(-60, 60)))
        elif self._active and drawn < 0.6:
            self._chance.choice(self._active).kill()
        elif self._active:
            victim = self._chance.choice(self._active)
            victim.hold()
            seconds = self._chance.uniform(0, 3 * TIMING.lease.total_seconds())
            self._machine.loop.call_later(seconds, victim.release)
        self._storm()

    # The end

    def _evidence(self) -> Evidence:
        envelopes: list[Envelope] = []
        while page := self._machine.world.log.read_all(after=len(envelopes)):
            envelopes += page
        return Evidence(
            envelopes=tuple(envelopes),
            world=self._machine.world,
            history=self._machine.history,
            workspaces=self._machine.workspaces,
            kanban_files=self._machine.kanban_files,
            jobs=self._machine.jobs,
            permits={DESK: 1},
            attempts=PURSE,
        )
