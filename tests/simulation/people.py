"""People of the simulated world: they answer, repeat themselves, cancel and change definitions."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final

from tests.simulation.scripts import Script, Word
from tests.simulation.timeline import ProcessLoop

from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import LetterKey, RunId, StepName, TreeSha, stream_run
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.inbox_commands import (
    Approve,
    Cancel,
    Command,
    InboxCommand,
    Migrate,
    Reject,
)
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.kinds import UNREADABLE
from supervisor_ai.engine.world import World

_OF_A_KANBAN: Final = frozenset({"kanban", "land-task", "manager", "land-kanban"})
_PERSON: Final = Actor(kind=ActorKind.USER, id="somebody", via="simulation", verified=True)


class People:
    """Watch the ledger by its cursor, and write letters."""

    def __init__(self, world: World, loop: ProcessLoop, script: Script, chance: Random) -> None:
        self._world = world
        self._loop = loop
        self._script = script
        self._chance = chance
        self._cursor = 0
        self._asked: Counter[tuple[RunId, str, int]] = Counter()
        self.mending: Callable[[], None] = lambda: None

    def watch(self, is_over: Callable[[], bool]) -> None:
        """Look at what is new, and look again later."""
        for envelope in self._world.log.read_all(after=self._cursor):
            self._cursor = envelope.seq
            run = stream_run(envelope.stream)
            if run is not None and isinstance(envelope.event, e.ApprovalRequested):
                self._answer(run, envelope.event, f"{envelope.version}")
        if not is_over():
            self._loop.call_later(1.0, self.watch, is_over)

    def meddle(self, run: RunId, definition: Definition) -> None:
        """Maybe disturb the run: cancel it, or move it to another definition."""
        drawn = self._chance.random()
        if drawn < 0.15:
            self.cancel(run)
        elif drawn < 0.3:
            changed = replace(definition, workflow=replace(definition.workflow, description="New."))
            self._later(run, "migrate", Migrate(definition=self._world.documents.save(changed)))
        elif drawn < 0.35:
            asking = self._world.documents.save(_asking(definition))
            self._later(run, "ask", Migrate(definition=asking))
        elif drawn < 0.4:
            renamed = self._world.documents.save(_renamed(definition))
            self._later(run, "rename", Migrate(definition=renamed))

    def cancel(self, run: RunId) -> None:
        """Cancel the run some time later, and once more to be sure."""
        for _ in range(2):
            self._later(run, "cancel", Cancel())

    def _answer(self, run: RunId, asked: e.ApprovalRequested, key: str) -> None:
        is_yes = self._is_yes(run, asked)
        note = self._world.artifacts.put("Because.")
        chance = self._chance
        reason = note if asked.reason == ApprovalReason.FINDINGS else None
        command: Approve | Reject = Approve(
            step=asked.step, visit=asked.visit, tree=asked.tree, note=reason
        )
        if not is_yes:
            command = Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
        if chance.random() < 0.2:
            self._send(run, f"wrong:{key}", replace(command, tree=TreeSha("another")))
        for _ in range(chance.choice((1, 1, 2))):
            self._later(run, key, command)
        if chance.random() < 0.2:
            self._later(run, f"late:{key}", command)

    def _is_yes(self, run: RunId, asked: e.ApprovalRequested) -> bool:
        times = 0
        if asked.step in _OF_A_KANBAN:
            place = (run, asked.step, asked.visit)
            times, self._asked[place] = self._asked[place], self._asked[place] + 1
        if asked.reason == UNREADABLE:
            self.mending()
        word = self._script.person(step=asked.step, visit=asked.visit, times=times)
        return word is Word.APPROVE

    def _later(self, run: RunId, key: str, command: Command) -> None:
        self._loop.call_later(self._chance.expovariate(0.1), self._send, run, key, command)

    def _send(self, run: RunId, key: str, command: Command) -> None:
        letter = InboxCommand(
            key=LetterKey(f"{run}:{key}"),
            run=run,
            command=command,
            actor=_PERSON,
            sent_at=self._world.clock.now(),
        )
        self._world.inbox.put(letter)


def _asking(definition: Definition) -> Definition:
    """Let people do what gates did: a run that is at a gate cannot go on."""
    steps = {
        name: replace(at, kind=StepKind.HUMAN if at.kind == StepKind.GATE else at.kind)
        for name, at in definition.workflow.steps.items()
    }
    return replace(definition, workflow=replace(definition.workflow, steps=steps))


def _renamed(definition: Definition) -> Definition:
    """Call the first step something else: a run that has visited it cannot go on."""
    old, new = definition.workflow.initial_step, StepName("first")

    def name(step: StepName | None) -> StepName | None:
        return new if step == old else step

    steps = {
        name(at.name) or new: replace(
            at,
            name=name(at.name) or new,
            next=name(at.next),
            on_fail=name(at.on_fail),
            on_reject=name(at.on_reject),
        )
        for at in definition.workflow.steps.values()
    }
    workflow = replace(definition.workflow, initial_step=new, steps=steps)
    return replace(definition, workflow=workflow)
