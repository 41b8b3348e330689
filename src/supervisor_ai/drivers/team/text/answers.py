"""What the supervisor answers: to an escalation, to a loop, and to requests that are not its own.

It neither codes nor reviews nor decides about architecture; whoever asks for it is told what it can
do instead.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.text.lines import (
    EscalationLine,
    LineEvent,
    NoEvent,
    ReviewLoopLine,
    RoutedLine,
)

ONLINE: Final = (
    "I'll track activity and task state, send a gentle ping first, and escalate only if SLA "
    "thresholds are breached."
)
"""What the supervisor says when it takes up its work."""


class ForeignRequest(StrEnum):
    """What a supervisor is asked for and never does."""

    CODE = "code"
    REVIEW = "review"
    ARCHITECTURE = "architecture"


class RequestRefusal(Struct, frozen=True, kw_only=True):
    """Why a request is refused, what can be done instead, and who is told."""

    request: ForeignRequest
    text: str
    routed_to: TeamRole


_REFUSALS: Final[Mapping[ForeignRequest, tuple[str, TeamRole]]] = {
    ForeignRequest.CODE: (
        "I can't implement code changes. I can coordinate reassignment to a coder, track SLA, "
        "and monitor completion.",
        TeamRole.LEAD,
    ),
    ForeignRequest.REVIEW: (
        "I can't review or approve code. I can route it to an active reviewer, remind them, "
        "and propose a backup.",
        TeamRole.LEAD,
    ),
    ForeignRequest.ARCHITECTURE: (
        "I can't decide about architecture. I can route it to the Tech Lead with the operational "
        "evidence, and record the context.",
        TeamRole.TECH_LEAD,
    ),
}
_ARCHITECTURE: Final = re.compile(
    r"\b(?:architect\w*|design decision|redesign|which (?:pattern|library|framework|database))\b",
    re.IGNORECASE,
)
_DECIDE: Final = re.compile(
    r"\b(?:decide|choose|pick|which|approve|design|redesign)\b", re.IGNORECASE
)
_REVIEW: Final = re.compile(r"\b(?:review|approve|lgtm|reject|sign off)\b", re.IGNORECASE)
_CODE: Final = re.compile(
    r"\b(?:hotfix|fix|patch|implement|code|refactor|rewrite|edit|write|commit|merge|deploy)\b",
    re.IGNORECASE,
)


def refusal_of(request: str) -> RequestRefusal | None:
    """Recognise a request to code, to review or to decide about architecture; None: none of them.

    What is not recognised is no event either, and is never acted upon: this only finds the words.
    """
    if _ARCHITECTURE.search(request) and _DECIDE.search(request):
        return _refusal(ForeignRequest.ARCHITECTURE)
    if _REVIEW.search(request):
        return _refusal(ForeignRequest.REVIEW)
    return _refusal(ForeignRequest.CODE) if _CODE.search(request) else None


def _refusal(request: ForeignRequest) -> RequestRefusal:
    text, routed_to = _REFUSALS[request]
    return RequestRefusal(request=request, text=text, routed_to=routed_to)


def escalation_answer(line: EscalationLine) -> str:
    """Answer who asks for a heavier review of a task."""
    return (
        "Accepted. I'll mark the escalation in state, notify lead to spawn specialized reviewers, "
        f"and update active roster expectations for task #{line.task}."
    )


def loop_answer(line: ReviewLoopLine) -> str:
    """Answer who reports that a review goes round in circles."""
    return (
        f"I'll quarantine task #{line.task} operationally, summarize loop evidence, and propose "
        "reassignment or clarification checkpoint to Lead."
    )


def answer_to(read: LineEvent | RoutedLine | NoEvent, message: str) -> str:
    """Say what comes of a member's text, in one sentence or two."""
    match read:
        case EscalationLine():
            return escalation_answer(read)
        case ReviewLoopLine():
            return loop_answer(read)
        case RoutedLine(to=to):
            return f"That is for {to}; I passed it on and read nothing in it."
        case NoEvent(reason=reason):
            refusal = refusal_of(message)
            return f"No event: {reason}" if refusal is None else refusal.text
        case _:
            return "Recorded."
