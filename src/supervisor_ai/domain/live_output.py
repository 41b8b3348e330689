"""Live output of a command while it runs, on its way to a person."""

from msgspec import Struct

from supervisor_ai.domain.ids import RunId, StepName


class LiveOutput(Struct, frozen=True, kw_only=True):
    """A piece of output, plain and redacted."""

    run: RunId
    step: StepName
    attempt: int | None
    text: str
