"""What the words of a worker's answer mean for the driver."""

from enum import StrEnum
from typing import Final, NewType

AnswerWord = NewType("AnswerWord", str)
"""A kind of answer, as roles name it: which schema it has."""


class AnswerKind:
    """The kinds of answers that all drivers share; a slice registers those of its own."""

    PLAN: Final = AnswerWord("plan")
    IMPLEMENTATION: Final = AnswerWord("implementation")
    REVIEW: Final = AnswerWord("review")


class Meaning(StrEnum):
    """What the driver makes of an answer."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    REFINE = "refine"
    REJECT = "reject"
    FAIL = "fail"
    BLOCK = "block"


NO_WORK: Final = frozenset({Meaning.BLOCK, Meaning.FAIL})
"""Answers that leave no work behind which the loop detector could compare."""


MEANINGS: Final[dict[AnswerWord, dict[str, Meaning]]] = {
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
"""What the words of the shared kinds of answers mean."""
