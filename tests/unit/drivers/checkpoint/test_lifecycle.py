"""The table of a supervisor's life, tried with every fact in every stage."""

from typing import Final

import msgspec
import pytest

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import find, is_terminal
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.operations import operations_of
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.lifecycle import LIFECYCLE, Stage, advance

SAMPLES: Final[dict[object, object]] = {
    str: "x",
    int: 1,
    bool: True,
    ArtifactHash: ArtifactHash("a"),
    tuple[str, ...]: ("x",),
}


def sample(kind: type[Event]) -> Event:
    """Make any fact of a kind, with whatever it demands."""
    values: dict[str, object] = {}
    for at in msgspec.structs.fields(kind):
        if at.required:
            is_enum = isinstance(at.type, type) and hasattr(at.type, "__members__")
            values[at.name] = next(iter(at.type)) if is_enum else SAMPLES.get(at.type, "x")
    return kind(**values)


APPROVALS: Final = (
    e.ApprovalRequested(
        step=StepName("s"),
        visit=1,
        reason=ApprovalReason.LANDING,
        tree=TreeSha("t"),
        commit=CommitSha("c"),
        question=None,
    ),
    sample(e.ApprovalGiven),
    sample(e.ApprovalRefused),
    sample(e.ApprovalLapsed),
)
FACTS: Final = (*map(sample, k.CHECKPOINT_EVENTS), *APPROVALS)


@pytest.mark.parametrize("stage", Stage)
def test_every_fact_moves_as_the_table_says_or_is_refused(stage: Stage) -> None:
    for fact in FACTS:
        target = LIFECYCLE.get((stage, type(fact)))
        if target is None:
            with pytest.raises(InternalError, match=type(fact).__name__):
                advance(stage, fact)
        else:
            assert advance(stage, fact) is target


def test_every_fact_of_the_driver_is_in_the_table() -> None:
    listed = {kind for _, kind in LIFECYCLE}
    assert set(k.CHECKPOINT_EVENTS) < listed
    assert listed - set(k.CHECKPOINT_EVENTS) == {type(fact) for fact in APPROVALS}


def test_facts_of_the_kernel_change_no_stage() -> None:
    assert advance(Stage.JUDGE, sample(e.StepEntered)) is Stage.JUDGE


def test_only_the_end_and_a_session_that_is_not_there_are_ends() -> None:
    ends = {stage for stage in Stage if is_terminal(LIFECYCLE, stage)}
    assert ends == {Stage.ENDED, Stage.UNSTARTED}


def test_after_its_beginning_only_a_wish_to_shut_down_ends_it() -> None:
    moves = ((was, kind) for (was, kind), to in LIFECYCLE.items() if to is Stage.ENDED)
    ways = {kind for was, kind in moves if was is not Stage.ENDED}
    assert ways == {k.ShutdownAnswered}
    assert {s for (s, _), target in LIFECYCLE.items() if target is Stage.UNSTARTED} == {Stage.INIT}
    assert {s for (s, _), to in LIFECYCLE.items() if to is Stage.SHUTDOWN} == {
        Stage.WAKE,
        Stage.HEAR,
        Stage.SHUTDOWN,
    }


def walk(stage: Stage, *kinds: type[Event]) -> list[Stage]:
    found = [stage]
    for kind in kinds:
        found.append(advance(found[-1], sample(kind)))
    return found


def test_a_checkpoint_goes_through_the_stages_of_the_seed() -> None:
    assert walk(
        Stage.INIT,
        *(k.SessionRead, k.ReadyTold, k.BusReadStarted, k.RequestTaken, k.CheckpointClaimed),
        *(k.ContextLoaded, k.ChecksJudged, k.JudgementsWeighed, k.ReportWritten),
        *(k.CheckpointCompleted, k.StatePublished, k.ContextAccumulated, k.CoordinatorTold),
        *(k.BusReadStarted, k.ShutdownTaken, k.ShutdownAnswered),
    ) == [
        *(Stage.INIT, Stage.READY, Stage.IDLE, Stage.WAKE, Stage.CLAIM, Stage.LOAD, Stage.CHECK),
        *(Stage.JUDGE, Stage.REPORT, Stage.COMPLETE, Stage.PUBLISH, Stage.ACCUMULATE),
        *(Stage.NOTIFY, Stage.IDLE, Stage.WAKE, Stage.SHUTDOWN, Stage.ENDED),
    ]


@pytest.mark.parametrize("answer", [e.ApprovalGiven, e.ApprovalRefused])
def test_a_block_waits_for_a_person(answer: type[Event]) -> None:
    assert walk(Stage.NOTIFY, k.BlockTold, answer, k.SettlementStarted, k.BlockSettled) == [
        *(Stage.NOTIFY, Stage.BLOCKED, Stage.BLOCKED, Stage.SETTLE, Stage.IDLE)
    ]


@pytest.mark.parametrize(
    ("said", "stage", "answered"),
    [
        (k.RequestTaken, Stage.POSTPONE, k.RequestPostponed),
        (k.MessageRefused, Stage.OBJECT, k.ErrorTold),
    ],
)
def test_what_is_said_during_a_block_is_answered_and_the_block_stays(
    said: type[Event], stage: Stage, answered: type[Event]
) -> None:
    assert walk(Stage.BLOCKED, k.BusReadStarted, said, e.ApprovalGiven, answered) == [
        *(Stage.BLOCKED, Stage.HEAR, stage, stage, Stage.BLOCKED)
    ]


def test_a_wish_to_shut_down_is_heard_during_a_block() -> None:
    assert walk(Stage.BLOCKED, k.BusReadStarted, k.ShutdownTaken, k.ShutdownAnswered) == [
        *(Stage.BLOCKED, Stage.HEAR, Stage.SHUTDOWN, Stage.ENDED)
    ]


@pytest.mark.parametrize(
    ("stage", "problem"),
    [
        (Stage.WAKE, k.MessageRefused),
        (Stage.CLAIM, k.ClaimRefused),
        (Stage.LOAD, k.ContextUnreadable),
    ],
)
def test_what_goes_wrong_is_told_and_ends_idle(stage: Stage, problem: type[Event]) -> None:
    assert walk(stage, problem, k.ErrorTold) == [stage, Stage.ERROR, Stage.IDLE]


def test_each_operation_can_be_lost_without_a_step_forward() -> None:
    operations = operations_of(k.CHECKPOINT_EVENTS)
    assert len({it.key for it in operations}) == len(operations)
    for operation in operations:
        started = sample(operation.started)
        assert isinstance(started, e.OperationStarted)
        lost = started.lost()
        assert type(lost) in operation.ended
        assert lost.place == started.place
        for stage in Stage:
            begun = find(LIFECYCLE, stage, operation.started)
            assert begun is None or find(LIFECYCLE, begun, type(lost)) is stage
