"""A kernel under test: one ledger, in memory or real, and as many processes as a test needs."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final, TypeVar

from tests.support.fake_kanban_files import MemoryKanbanFiles
from tests.support.kanban_performers import performers_with
from tests.support.memory_branch_merges import MemoryBranchMerges
from tests.support.memory_knowledge import MemoryStoreFiles, PlainBooks
from tests.support.memory_projects import MemoryProjectTrees
from tests.support.memory_session_files import MemorySessionFolders
from tests.support.plain_interfaces import PlainInterfaces
from tests.support.toy_driver import ChildDriver, ParentDriver

from supervisor_ai.control.ports.queries import RunQueries
from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope, NewEvent
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import (
    PROJECT_STREAM,
    LetterKey,
    RunId,
    StepName,
    StreamId,
    run_stream,
    stream_run,
)
from supervisor_ai.domain.project.events import ProjectEvent
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind, AnswerWord
from supervisor_ai.domain.run.definition import (
    Cli,
    Definition,
    Gate,
    Limits,
    Role,
    Step,
    StepKind,
    StepWord,
    Workflow,
)
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.inbox_commands import Command, InboxCommand
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver
from supervisor_ai.drivers.checkpoint.performers.table import checkpoint_performers
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.performers import make_performers
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.loop.driver import LoopDriver
from supervisor_ai.drivers.loop.performers.table import loop_performers
from supervisor_ai.drivers.quality.ports import QualityPorts
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.dispatch import LocalDispatcher, Shift
from supervisor_ai.engine.drive import DriveResult
from supervisor_ai.engine.playback import Playback, Player, opener
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import World
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.fake_sandbox import Script
from supervisor_ai.testing.fake_worker import FakeScript
from supervisor_ai.testing.ids import FakeProcesses
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import Fakes, agrees, fake_world, make_base, passes, submit

T = TypeVar("T")

CLI: Final = Cli(name="agent", adapter="fake")
GATE: Final = Gate(name="test", command=("make", "test"), timeout=timedelta(minutes=1))
_DRIVERS: Final = {
    WorkflowDriver.name: opener(WorkflowDriver()),
    KanbanDriver.name: opener(KanbanDriver()),
    CheckpointDriver.name: opener(CheckpointDriver()),
    LoopDriver.name: opener(LoopDriver()),
    FeatureDriver.name: opener(FeatureDriver()),
    ParentDriver.name: opener(ParentDriver()),
    ChildDriver.name: opener(ChildDriver()),
}
PERSON: Final = Actor(kind=ActorKind.USER, id="ada", via="test", verified=True)


def role(kind: AnswerWord) -> Role:
    """Make a role that is called like its kind of answer."""
    writes = kind == AnswerKind.IMPLEMENTATION
    return Role(name=kind, description="", answer=kind, writes=writes, cli=CLI.name, template="")


def work(name: str, kind: AnswerWord = AnswerKind.IMPLEMENTATION) -> Step:
    """Make a step for a worker."""
    return Step(name=StepName(name), kind=StepKind.ROLE, role=kind)


def stop(name: str, kind: StepWord) -> Step:
    """Make a step for a gate, a person or git."""
    gate = GATE.name if kind == StepKind.GATE else None
    return Step(name=StepName(name), kind=kind, gate=gate)


def flow(*steps: Step, limits: Limits = Limits()) -> Definition:  # noqa: B008 - it is frozen
    """Make a workflow that goes from step to step."""
    following = [step.name for step in steps[1:]]
    linked = [replace(step, next=after) for step, after in zip(steps, following, strict=False)]
    chain = [*linked, *steps[len(linked) :]]
    workflow = Workflow(
        name="test",
        description="",
        initial_step=steps[0].name,
        steps={step.name: step for step in chain},
    )
    return Definition(
        workflow=workflow,
        roles={kind: role(kind) for kind in MEANINGS},
        clis={CLI.name: CLI},
        gates={GATE.name: GATE},
        limits=limits,
    )


class Kernel:
    """A ledger, a repository, and processes that come and go."""

    def __init__(
        self,
        directory: Path | None,
        agent: FakeScript = agrees,
        gates: Script = passes,
        files: Mapping[str, str] | None = None,
    ) -> None:
        self.fakes = Fakes(agent, gates)
        self.kanban_files = MemoryKanbanFiles(self.fakes.workspaces)
        self.session_files = MemorySessionFolders()
        self.others: dict[str, dict[str, str]] = {}
        """The files of other repositories, by their paths."""
        self.quality = QualityPorts(
            files=MemoryStoreFiles(self.fakes.workspaces), books=PlainBooks()
        )
        self.feature_ports = {
            "merges": MemoryBranchMerges(self.fakes.workspaces),
            "interfaces": PlainInterfaces(self.fakes.workspaces),
            "trees": MemoryProjectTrees(self.fakes.workspaces, self.others),
        }
        self._base = make_base(self.fakes.workspaces, files)
        self._directory = directory
        self._opened: list[SqliteLedger] = []
        self._processes = 0
        self.world = self.process()

    def process(self) -> World:
        """Start a process: return the world as it sees it."""
        self._processes += 1
        processes = FakeProcesses(self._processes, self.fakes.dead)
        world = replace(
            fake_world(self.fakes),
            processes=processes,
            drivers=_DRIVERS,
            performers={
                **performers_with(self.kanban_files),
                **checkpoint_performers(self.session_files),
                **loop_performers(self.quality),
                **make_performers(self.feature_ports),
            },
        )
        if self._directory is None:
            return world
        ledger = open_ledger(
            self._directory, clock=world.clock, processes=processes, anchor=world.anchor
        )
        self._opened.append(ledger)
        return replace(
            world,
            log=ledger.events,
            leases=ledger.leases,
            inbox=ledger.inbox,
            wakes=ledger.wakes,
            cache=ledger.cache,
            verdicts=ledger.verdicts,
            quality=ledger.quality,
        )

    @property
    def queries(self) -> RunQueries:
        """Return what can be asked about the runs of a real ledger."""
        return self._opened[0].queries

    def kill(self, number: int) -> None:
        """Let a process die without a word."""
        self.fakes.dead.add(number)
        if self._opened:
            self._opened[number - 1].locks.close()

    def close(self) -> None:
        """Let go of the ledger."""
        for ledger in self._opened:
            ledger.close()

    def submit(
        self,
        definition: object,
        *,
        driver: str = WorkflowDriver.name,
        task: str = "Do it.",
        overseer: StreamId | None = None,
    ) -> RunId:
        """Submit a run."""
        return submit(
            self.world, definition, base=self._base, driver=driver, task=task, overseer=overseer
        )

    def drive(self, run: RunId, *, world: World | None = None) -> DriveResult:
        """Drive a run as far as it goes now."""
        world = world or self.world
        owner = f"process {world.processes.current().pid}"
        return run_virtual(Runtime(world=world, owner=owner).drive(run))

    def serve(self, *, limit: int = 2, until: Callable[[], bool] | None = None) -> list[str]:
        """Serve until all runs have ended, or until a test says so; return what failed."""
        failures: list[str] = []

        def failed(run: RunId, error: SupervisorError) -> None:
            failures.append(f"{run}: {error}")

        shift = Shift(
            limit=limit,
            serves=lambda _run: True,
            is_over=lambda _is_idle: (until or self.is_all_over)(),
            failed=failed,
        )
        world = self.world
        dispatcher = LocalDispatcher(world.wakes, world.clock, poll=world.timing.poll)
        run_virtual(dispatcher.serve(Runtime(world=world, owner="serve").drive, shift))
        return failures

    def send(self, run: RunId, key: str, command: Command) -> bool:
        """Put a letter into a run's inbox."""
        letter = InboxCommand(
            key=LetterKey(key),
            run=run,
            command=command,
            actor=PERSON,
            sent_at=self.world.clock.now(),
        )
        return self.world.inbox.put(letter)

    def tell_project(self, event: ProjectEvent) -> None:
        """Write a fact of what all runs share, as another run would."""
        log = self.world.log
        version = sum(1 for _ in log.read(PROJECT_STREAM))
        new = NewEvent(event=event, actor=PERSON)
        append = StreamAppend(stream=PROJECT_STREAM, expected=version, events=(new,))
        log.append(Batch(appends=(append,)))

    def play(self, run: RunId) -> Playback:
        """Fold all facts of a run."""
        world = self.world
        player = Player(log=world.log, documents=world.documents, drivers=world.drivers)
        return player.play(run)[0]

    def status(self, run: RunId) -> RunStatus:
        """Tell where a run stands."""
        return self.play(run).run.status

    def envelopes(self, run: RunId) -> list[Envelope]:
        """Return the facts of a run."""
        return list(self.world.log.read(run_stream(run)))

    def events(self, run: RunId, kind: type[T]) -> list[T]:
        """Return the facts of one kind."""
        return [at.event for at in self.envelopes(run) if isinstance(at.event, kind)]

    def types(self, run: RunId) -> list[str]:
        """Name the facts of a run."""
        return [envelope.type for envelope in self.envelopes(run)]

    def is_all_over(self) -> bool:
        """Tell whether every run has ended."""
        births = [at for at in self.world.log.read_all() if isinstance(at.event, RunSubmitted)]
        runs = [stream_run(envelope.stream) for envelope in births]
        return all(self.status(run) in ENDED for run in runs if run is not None)
