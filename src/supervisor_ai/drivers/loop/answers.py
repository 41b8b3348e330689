"""What the roles of a loop answer with, as far as the loop reads it."""

from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from supervisor_ai.drivers.loop.kinds import PlannerAction, WorkStatus
from supervisor_ai.drivers.quality.directives import DirectiveResponse

T = TypeVar("T", bound=Struct)
REMIT: Final = 1_000
MILESTONE: Final = 200
FEEDBACK: Final = 500


class ScopeMilestone(Struct, frozen=True, kw_only=True):
    """An outcome for users, and sketches of the areas that it touches."""

    outcome: str
    areas: tuple[str, ...] = ()


class ScopeAnswer(Struct, frozen=True, kw_only=True):
    """What is to be achieved."""

    remit: str = ""
    milestones: tuple[ScopeMilestone, ...] = ()
    questions: tuple[str, ...] = ()


class DirectiveReply(Struct, frozen=True, kw_only=True):
    """What is said to one directive."""

    directive: int
    response: DirectiveResponse
    note: str = ""


class PlanAnswer(Struct, frozen=True, kw_only=True):
    """What comes next."""

    status: PlannerAction = PlannerAction.IMPLEMENT
    task: str = ""
    plan: str = ""
    files: tuple[str, ...] = ()
    carry_forward: tuple[str, ...] = ()
    directives: tuple[DirectiveReply, ...] = ()
    does: tuple[int, ...] = ()
    questions: tuple[str, ...] = ()


class WorkAnswer(Struct, frozen=True, kw_only=True):
    """What was done."""

    status: WorkStatus = WorkStatus.SUCCESS
    summary: str = ""
    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()


class QaAnswer(Struct, frozen=True, kw_only=True):
    """What QA says."""

    feedback: str = ""


class AssessmentAnswer(Struct, frozen=True, kw_only=True):
    """What the assessor says."""

    summary: str = ""
    hint: str = ""


class ResearchedAnswer(Struct, frozen=True, kw_only=True):
    """What is known about one question."""

    question: str
    answer: str


class ResearchAnswer(Struct, frozen=True, kw_only=True):
    """What a researcher says."""

    answers: tuple[ResearchedAnswer, ...] = ()


class SummaryAnswer(Struct, frozen=True, kw_only=True):
    """What a summarizer says."""

    summary: str = ""


def read_answer(text: str, kind: type[T]) -> T | None:
    """Read an answer that was kept; None: it was erased, or is of another form."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError:
        return None
