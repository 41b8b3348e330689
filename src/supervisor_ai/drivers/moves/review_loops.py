"""Reviews that go round in circles: the same finding again, or ever new ones."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.gates import Concern

_REMEMBERED: Final = 16
_ALIKE: Final = 0.5
"""Two sentences are about the same thing if they share so much of their words."""


class Round(Struct, frozen=True, kw_only=True):
    """One visit to a review that ended in a rejection, with what all reviewers objected to."""

    visit: int
    concerns: tuple[Concern, ...] = ()


Rounds = tuple[Round, ...]


def record_round(rounds: Rounds, visit: int, concerns: tuple[Concern, ...]) -> Rounds:
    """Remember what a reviewer objects to; reviewers of one visit speak in one round."""
    if rounds and rounds[-1].visit == visit:
        *before, last = rounds
        return (*before, Round(visit=visit, concerns=(*last.concerns, *concerns)))
    return (*rounds, Round(visit=visit, concerns=concerns))[-_REMEMBERED:]


def find_review_loop(rounds: Rounds, policy: LoopPolicy) -> str | None:
    """Say in a sentence how a review goes round in circles, if it does."""
    if _has_repeated(rounds[-policy.review_rounds :], policy.review_rounds):
        return (
            f"Reviewers found the same thing in {policy.review_rounds} rounds, one after another."
        )
    if _churns(rounds[-policy.churn_rounds :], policy.churn_rounds):
        return f"After {policy.churn_rounds} rounds of review there are not fewer findings."
    return None


def _has_repeated(rounds: Rounds, times: int) -> bool:
    if len(rounds) < times:
        return False
    *before, last = rounds
    return any(
        all(any(_are_alike(concern, other) for other in at.concerns) for at in before)
        for concern in last.concerns
    )


def _churns(rounds: Rounds, times: int) -> bool:
    counts = [len(at.concerns) for at in rounds]
    return len(counts) >= times and min(counts[1:]) >= counts[0]


def _are_alike(one: Concern, other: Concern) -> bool:
    if one.file and other.file and one.file != other.file:
        return False
    here, there = set(one.words), set(other.words)
    shared = len(here & there)
    return shared >= _ALIKE * len(here | there) if here or there else one.file == other.file
