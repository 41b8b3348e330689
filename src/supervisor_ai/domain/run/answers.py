"""What the words of a worker's answer mean for the driver."""

from enum import StrEnum
from typing import Final


class AnswerKind(StrEnum):
    """Which schema a role answers with."""

    PLAN = "plan"
    IMPLEMENTATION = "implementation"
    REVIEW = "review"


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
}
