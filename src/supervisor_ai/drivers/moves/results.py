"""What a finished workflow amounts to: everything, or what was left out."""

from collections.abc import Iterator

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.status import StepStatus, Verdict
from supervisor_ai.drivers.moves.state import WorkflowState


def levels(state: WorkflowState) -> tuple[Level, ...]:
    """List how much of each step was done."""
    return tuple(record.level for record in state.steps.values())


def summary(state: WorkflowState) -> str:
    """Say in a sentence how the steps went."""
    left_out = tuple(_left_out(state))
    return "Every step passed." if not left_out else f"The steps passed, but {_and(left_out)}."


def _left_out(state: WorkflowState) -> Iterator[str]:
    steps = state.steps.items()
    skipped = [name for name, record in steps if record.status is StepStatus.SKIPPED]
    if skipped:
        yield f"{_were(skipped)} skipped"
    warned = [name for name, record in steps if record.verdict == Verdict.WARNED]
    if warned:
        yield f"{_were(warned)} passed with a warning"
    for level in (Level.SIMPLIFIED, Level.MINIMAL):
        done = [name for name, record in steps if record.level is level]
        if done:
            yield f"{_were(done)} done in the {level.value} way"


def _were(names: list[StepName]) -> str:
    verb = "was" if len(names) == 1 else "were"
    return f"{_and(tuple(repr(name) for name in names))} {verb}"


def _and(words: tuple[str, ...]) -> str:
    return " and ".join(words)
