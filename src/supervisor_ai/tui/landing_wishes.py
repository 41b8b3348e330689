"""What a person writes to say how a branch takes the work of a run."""

import shlex
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.git_flow.policy import MergeStrategy
from supervisor_ai.domain.structs import replace

_STRATEGIES: Final = {
    "--ff": MergeStrategy.FORWARD,
    "--merge": MergeStrategy.MERGE,
    "--squash": MergeStrategy.SQUASH,
}


class LandingVerb(StrEnum):
    """Which verb of the command line brings the work of a run to a branch."""

    MERGE = "merge"
    COMPLETE = "complete-task"


class LandingWish(Struct, frozen=True, kw_only=True):
    """How the work is to come to a branch; what is not said is as the run has pinned it."""

    into: str | None = None
    strategy: MergeStrategy | None = None
    merges_back: bool = True


def read_wish(words: str, verb: LandingVerb) -> LandingWish:
    """Read the options of the command line that say how a branch takes the work."""
    wish = LandingWish()
    try:
        written = iter(shlex.split(words))
    except ValueError as error:
        raise _unknown(words, verb) from error
    for word in written:
        name, sign, value = word.partition("=")
        if word in _STRATEGIES:
            wish = replace(wish, strategy=_STRATEGIES[word])
        elif word == "--no-merge-back" and verb is LandingVerb.COMPLETE:
            wish = replace(wish, merges_back=False)
        elif name == "--into" and (branch := value if sign else next(written, "")):
            wish = replace(wish, into=branch)
        else:
            raise _unknown(word, verb)
    return wish


def _unknown(word: str, verb: LandingVerb) -> InvalidInput:
    return InvalidInput(
        f"{word!r} is no option of {verb.value}.", hint=f"There are: {option_words(verb)}"
    )


def option_words(verb: LandingVerb) -> str:
    """Name the options that can be written."""
    more = ("--no-merge-back",) if verb is LandingVerb.COMPLETE else ()
    return " ".join(("--into BRANCH", *_STRATEGIES, *more))
