"""What the words of a worker's answer mean for the driver."""

from enum import StrEnum
from typing import Final


class AnswerStatus(StrEnum):
    """How an agent says that its task came out."""

    OK = "ok"
    BLOCKED = "blocked"
    ERROR = "error"
    ESCALATE = "escalate"


class AnswerKind(StrEnum):
    """Which schema a role answers with."""

    PLAN = "plan"
    IMPLEMENTATION = "implementation"
    REVIEW = "review"
    AGENT = "agent"
    """What those say who work on tasks that others have planned."""
    MANAGER = "manager"
    """The same, with the list of tasks and the next of them."""


class Meaning(StrEnum):
    """What the driver makes of an answer."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    REFINE = "refine"
    REJECT = "reject"
    FAIL = "fail"
    BLOCK = "block"


MEANINGS: Final[dict[AnswerKind, dict[str, Meaning]]] = {
    AnswerKind.PLAN: {
        "COMPLETE": Meaning.PASS,
        "NEEDS_REFINEMENT": Meaning.REFINE,
        "BLOCKED": Meaning.BLOCK,
    },
    AnswerKind.IMPLEMENTATION: {
        "SUCCESS": Meaning.PASS,
        "PARTIAL": Meaning.PASS,
        "FAILED": Meaning.FAIL,
        "BLOCKED": Meaning.BLOCK,
    },
    AnswerKind.REVIEW: {
        "APPROVED": Meaning.PASS,
        "CHANGES_REQUESTED": Meaning.REJECT,
        "REJECTED": Meaning.REJECT,
    },
    # How a task came out is for the Manager to read; the loop goes on in any case.
    AnswerKind.AGENT: dict.fromkeys(AnswerStatus, Meaning.PASS),
    AnswerKind.MANAGER: {
        **dict.fromkeys(AnswerStatus, Meaning.BLOCK),
        AnswerStatus.OK: Meaning.PASS,
    },
}

APPROVING: Final = frozenset(
    kind for kind, meanings in MEANINGS.items() if Meaning.REJECT in meanings.values()
)
"""Whose word lets the work of others pass or not; what a Manager decides stands in its files."""
