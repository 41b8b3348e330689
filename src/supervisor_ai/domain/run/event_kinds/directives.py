"""The fact that whoever plans answered what the project's quality supervisors want done."""

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.event_kinds.placed import StepNote


class AnsweredDirective(Struct, frozen=True, kw_only=True):
    """What is said to one directive of the project."""

    number: int
    response: str
    """`addressed`, `explained`, `escalated` or `deferred`."""
    note: ArtifactHash | None = None


class DirectivesAnswered(StepNote, frozen=True, kw_only=True):
    """A planner said of each directive that it was shown what becomes of it."""

    attempt: int
    answers: tuple[AnsweredDirective, ...]
