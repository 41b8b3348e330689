"""Live output of a command while it runs, on its way to a person."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import RunId, StepName


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOutput:
    """A piece of output, plain and redacted."""

    run: RunId
    step: StepName
    attempt: int | None
    text: str
