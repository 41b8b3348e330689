"""What a finished workflow amounts to: everything, or what was left out."""

from collections.abc import Iterator

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.degradation import Level
from supervisor_ai.domain.run.status import StepStatus
from supervisor_ai.domain.run.workflow import WorkflowState


def levels(state: WorkflowState) -> tuple[Level, ...]:
    """List how much of each step was done."""
    return tuple(record.level for record in state.steps.values())


def summary(state: WorkflowState) -> str:
    """Say in a sentence how the steps went."""
    left_out = tuple(_left_out(state))
    return "Every step passed." if not left_out else f"The steps passed, but {_and(left_out)}."


def _left_out(state: WorkflowState) -> Iterator[str]:
    skipped = _named(state, StepStatus.SKIPPED)
    if skipped:
        yield f"{skipped} was skipped"
    for level in (Level.SIMPLIFIED, Level.MINIMAL):
        named = _quoted(name for name, at in state.steps.items() if at.level is level)
        if named:
            yield f"{named} was done in the {level.value} way"


def _named(state: WorkflowState, status: StepStatus) -> str:
    return _quoted(name for name, record in state.steps.items() if record.status is status)


def _quoted(names: Iterator[StepName]) -> str:
    return _and(tuple(repr(name) for name in names))


def _and(words: tuple[str, ...]) -> str:
    return " and ".join(words)
