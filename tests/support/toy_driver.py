"""Toy drivers that use what the kernel offers: children, timers, permits, parallel effects."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Cli, Gate, Role, SandboxPolicy
from supervisor_ai.domain.run.effects import (
    CancelRun,
    OperationEffect,
    ReleasePermit,
    RunGate,
    RunWorker,
    SetTimer,
    StartRun,
    TakePermit,
)
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import ENDED, Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace

WORK: Final = StepName("work")
PATIENCE: Final = TimerName("patience")
_DONE: Final = Ending(
    status=RunStatus.COMPLETED, outcome=Outcome(kind=OutcomeKind.DONE, reason="All is done.")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What a parent pins: its children, and how long it waits before it stops the youngest."""

    children: tuple[ArtifactHash, ...]
    patience: timedelta


class FamilyState(Struct, frozen=True, kw_only=True):
    """What a parent remembers."""

    family: Family
    children: tuple[RunId, ...] = ()
    is_youngest_stopped: bool = False


class ParentDriver:
    """Starts children, loses patience with the youngest after a while, ends after all of them."""

    name: Final = "toy-parent"
    state_type: Final = FamilyState
    definition_type: Final = Family

    def begin(self, birth: e.RunSubmitted, definition: Family) -> FamilyState:
        del birth
        return FamilyState(family=definition)

    def evolve(self, state: FamilyState, event: Event) -> FamilyState:
        match event:
            case e.ChildStarted(child=child):
                return replace(state, children=(*state.children, child))
            case e.ChildCancelRequested():
                return replace(state, is_youngest_stopped=True)
            case _:
                return state

    def decide(self, run: Run, state: FamilyState) -> Decision:
        if not state.children:
            timer = SetTimer(timer=PATIENCE, after=state.family.patience)
            return Decision(effects=(*_births(run, state), timer))
        if all(status in ENDED for status in run.children.values()):
            return Decision(ending=_DONE)
        youngest = state.children[-1]
        is_open = run.children[youngest] not in ENDED
        if PATIENCE in run.fired and is_open and not state.is_youngest_stopped:
            return Decision(effects=(CancelRun(child=youngest),))
        return Decision()

    def fork(self, state: FamilyState) -> FamilyState:
        return state

    def migrate(self, state: FamilyState, definition: Family) -> FamilyState:
        return replace(state, family=definition)

    def migration_problems(self, state: FamilyState, definition: Family) -> tuple[str, ...]:
        if len(definition.children) < len(state.children):
            return ("A family does not lose children.",)
        return ()


def _births(run: Run, state: FamilyState) -> tuple[StartRun, ...]:
    return tuple(
        StartRun(
            step=WORK,
            visit=1,
            slot=slot,
            driver=ChildDriver.name,
            workflow="toy",
            task=run.birth.task,
            definition=child,
        )
        for slot, child in enumerate(state.family.children, start=1)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chores:
    """What a child pins: a permit to wait for, then workers and a gate, all at once."""

    permit: str
    limit: int
    workers: int
    role: Role
    cli: Cli
    gate: Gate | None


class ChoresState(Struct, frozen=True, kw_only=True):
    """What a child remembers: the attempts of each slot, and the slots that are done."""

    chores: Chores
    attempts: dict[int, int] = {}
    done: frozenset[int] = frozenset()

    @property
    def slots(self) -> range:
        """Number the workers from 1, and the gate last."""
        return range(1, self.chores.workers + (2 if self.chores.gate else 1))


class ChildDriver:
    """Waits for a permit, then does all its chores at once, then gives the permit back."""

    name: Final = "toy-child"
    state_type: Final = ChoresState
    definition_type: Final = Chores

    def begin(self, birth: e.RunSubmitted, definition: Chores) -> ChoresState:
        del birth
        return ChoresState(chores=definition)

    def evolve(self, state: ChoresState, event: Event) -> ChoresState:
        match event:
            case e.AttemptStarted(slot=slot, attempt=attempt):
                return replace(state, attempts={**state.attempts, slot: attempt})
            case e.AttemptSucceeded() | e.AttemptFailed() | e.GateEnded():
                return replace(state, done=state.done | {event.slot})
            case _:
                return state

    def decide(self, run: Run, state: ChoresState) -> Decision:
        chores = state.chores
        if state.done >= set(state.slots):
            return Decision(effects=(ReleasePermit(permit=chores.permit),), ending=_DONE)
        if run.open:
            return Decision()
        if chores.permit not in run.permits:
            return Decision(effects=(TakePermit(permit=chores.permit, limit=chores.limit),))
        todo = [slot for slot in state.slots if slot not in state.done]
        return Decision(effects=tuple(_chore(run, state, slot) for slot in todo))

    def fork(self, state: ChoresState) -> ChoresState:
        return state

    def migrate(self, state: ChoresState, definition: Chores) -> ChoresState:
        return replace(state, chores=definition)

    def migration_problems(self, state: ChoresState, definition: Chores) -> tuple[str, ...]:
        del state, definition
        return ()


def _chore(run: Run, state: ChoresState, slot: int) -> OperationEffect:
    base, chores = run.birth.base, state.chores
    assert base is not None
    if chores.gate is not None and slot == state.slots[-1]:
        return RunGate(
            step=WORK,
            visit=1,
            slot=slot,
            gate=chores.gate,
            snapshot=base.sha,
            tree=base.tree,
            origin=base.sha,
            vouched=base.sha,
            sandbox=SandboxPolicy(),
            output_bytes=1000,
        )
    return RunWorker(
        step=WORK,
        visit=1,
        slot=slot,
        attempt=state.attempts.get(slot, 0) + 1,
        role=chores.role,
        cli=chores.cli,
        start=base.sha,
        base=base.sha,
        task=run.birth.task,
        timeout=timedelta(minutes=1),
        output_bytes=1000,
        sandbox=SandboxPolicy(),
    )
