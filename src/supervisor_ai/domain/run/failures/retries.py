"""Retry policies: what follows a failed attempt, and after how long."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace

_NO_TIME: Final = timedelta()
_TWICE: Final = 2
_DOUBLINGS: Final = 64
"""Beyond so many failures a delay grows no more; every real policy reached its longest long ago."""


class RetryMode(StrEnum):
    """What a worker is told that gave no valid answer: what was wrong, or exactly the same."""

    FEEDBACK = "feedback"
    SAME = "same"


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """How often and how patiently a step is tried; `max_attempts` counts the first try too."""

    name: str
    max_attempts: int = 3
    initial_delay: timedelta = timedelta(seconds=2)
    multiplier: float = 2.0
    max_delay: timedelta = timedelta(seconds=30)
    jitter: float = 0.1
    """The part of a delay by which it may be longer or shorter."""
    mode: RetryMode = RetryMode.FEEDBACK

    def allowing(self, max_retries: int | None) -> "RetryPolicy":
        """Return the policy with another number of tries, where one is asked for."""
        return self if max_retries is None else replace(self, max_attempts=max_retries + 1)


DEFAULT_RETRIES: Final = RetryPolicy(name="default")
RETRY_POLICIES: Final[Mapping[str, RetryPolicy]] = {
    policy.name: policy
    for policy in (
        DEFAULT_RETRIES,
        RetryPolicy(
            name="aggressive",
            max_attempts=5,
            initial_delay=timedelta(seconds=1),
            multiplier=1.5,
            max_delay=timedelta(seconds=60),
        ),
        RetryPolicy(
            name="conservative",
            max_attempts=2,
            initial_delay=timedelta(seconds=5),
            multiplier=3.0,
            max_delay=timedelta(seconds=120),
        ),
        # Three retries are four tries.
        RetryPolicy(name="exact", max_attempts=4, mode=RetryMode.SAME),
    )
}


class ParkingPolicy(Struct, frozen=True, kw_only=True):
    """How long an attempt may wait for a usage limit to end, and how often in one visit."""

    is_allowed: bool = True
    longest: timedelta = timedelta(days=8)
    unknown: timedelta = timedelta(minutes=15)
    """The first wait where nobody says when the limit ends; each further one is twice as long."""
    spread: timedelta = timedelta(seconds=60)
    """So much later than the reset at most, so that not everybody comes back at once."""
    max_parks: int = 10
    soon: timedelta = timedelta(minutes=2)
    """A limit that ends within this time is waited for even where another agent could go on."""


class MoveKind(StrEnum):
    """What can follow a failed attempt."""

    RETRY_SAME = "retry_same"
    RETRY_WITH_FEEDBACK = "retry_with_feedback"
    PARK = "park"
    FAIL_OVER = "fail_over"
    DEGRADE = "degrade"
    SKIP = "skip"
    ESCALATE = "escalate"
    GIVE_UP = "give_up"


class Move(Struct, frozen=True, kw_only=True):
    """What follows: after a while for a retry, not before a time for a park."""

    kind: MoveKind
    after: timedelta = _NO_TIME
    until: datetime | None = None


class Setback(Struct, frozen=True, kw_only=True):
    """A failed attempt, and what could be done about it."""

    action: Action
    category: FailureCategory
    failures: int
    """How often the step failed in this visit with this agent and at this level, this included."""
    at: datetime
    seed: str
    """Names the attempt, so that its jitter is always the same: run, step, visit and attempt."""
    reset_at: datetime | None = None
    parks: int = 0
    has_fallback: bool = False
    """Whether there is another agent that has not been tried."""
    has_simpler: bool = False
    """Whether the step may be done in a simpler way."""
    is_optional: bool = False
    """Whether the run can go on without the step's answer."""


_RETRIES: Final = frozenset({MoveKind.RETRY_SAME, MoveKind.RETRY_WITH_FEEDBACK})
MOVES: Final[Mapping[Action, tuple[MoveKind, ...]]] = {
    Action.RETRY_SAME: (
        MoveKind.RETRY_SAME,
        MoveKind.FAIL_OVER,
        MoveKind.SKIP,
        MoveKind.PARK,
        MoveKind.DEGRADE,
        MoveKind.GIVE_UP,
    ),
    Action.RETRY_ONCE: (
        MoveKind.RETRY_SAME,
        MoveKind.FAIL_OVER,
        MoveKind.SKIP,
        MoveKind.DEGRADE,
        MoveKind.ESCALATE,
    ),
    Action.RETRY_WITH_FEEDBACK: (
        MoveKind.RETRY_WITH_FEEDBACK,
        MoveKind.DEGRADE,
        MoveKind.SKIP,
        MoveKind.GIVE_UP,
    ),
    Action.PARK: (
        MoveKind.FAIL_OVER,
        MoveKind.SKIP,
        MoveKind.PARK,
        MoveKind.GIVE_UP,
    ),
    Action.FAIL_OVER: (
        MoveKind.FAIL_OVER,
        MoveKind.SKIP,
        MoveKind.ESCALATE,
    ),
    Action.ESCALATE: (
        MoveKind.SKIP,
        MoveKind.ESCALATE,
    ),
}
"""What an action leads to: the first move that is possible, and the last one always is."""


def delay(policy: RetryPolicy, failures: int, seed: str) -> timedelta:
    """Return how long to wait after so many failures; the same seed gives the same jitter."""
    if failures < 1:
        return _NO_TIME
    grown = policy.multiplier ** min(failures - 1, _DOUBLINGS)
    seconds = min(policy.initial_delay.total_seconds() * grown, policy.max_delay.total_seconds())
    swing = policy.jitter * (2 * chance(f"{seed}/delay/{failures}") - 1)
    longest = policy.max_delay.total_seconds()
    return timedelta(seconds=min(max(seconds * (1 + swing), 0.0), longest))


def next_move(policy: RetryPolicy, setback: Setback, parking: ParkingPolicy | None = None) -> Move:
    """Say what follows a failed attempt."""
    parking = parking or ParkingPolicy()
    if setback.action is Action.RETRY_ONCE and policy.mode is RetryMode.SAME:
        # Who is asked exactly the same so many times is, whatever went wrong.
        setback = replace(setback, action=Action.RETRY_SAME)
    kinds = MOVES[setback.action]
    kind = next(kind for kind in kinds if _is_possible(kind, policy, setback, parking))
    if kind is MoveKind.PARK:
        return Move(kind=kind, until=parked_until(parking, setback))
    if kind is MoveKind.RETRY_SAME:
        return Move(kind=kind, after=delay(policy, setback.failures, setback.seed))
    # A worker that can mend its answer, or that is asked again for a format, need not wait.
    if kind is MoveKind.RETRY_WITH_FEEDBACK and _is_exact(policy, setback):
        return Move(kind=MoveKind.RETRY_SAME)
    return Move(kind=kind)


def parked_until(parking: ParkingPolicy, setback: Setback) -> datetime:
    """Return when a parked attempt may go on: a little after the limit ends."""
    late = parking.spread * chance(f"{setback.seed}/park/{setback.parks}")
    if setback.reset_at is not None:
        return max(setback.reset_at, setback.at) + late
    wait = parking.unknown * (1 << min(setback.parks, _DOUBLINGS // 4))
    return setback.at + min(wait, parking.longest) + late


def chance(seed: str) -> float:
    """Return a number from 0 to 1 that looks like chance and is always the same for a seed."""
    return int.from_bytes(sha256(seed.encode()).digest()[:6], "big") / (1 << 48)


def _is_possible(
    kind: MoveKind, policy: RetryPolicy, setback: Setback, parking: ParkingPolicy
) -> bool:
    if kind in _RETRIES:
        is_once = setback.action is Action.RETRY_ONCE
        most = min(policy.max_attempts, _TWICE) if is_once else policy.max_attempts
        return setback.failures < most
    possible = {
        MoveKind.PARK: _may_park(parking, setback),
        MoveKind.FAIL_OVER: setback.has_fallback and not _ends_soon(parking, setback),
        MoveKind.DEGRADE: setback.has_simpler and setback.category is not FailureCategory.LIMIT,
        MoveKind.SKIP: setback.is_optional and not _ends_soon(parking, setback),
    }
    return possible.get(kind, True)


def _may_park(parking: ParkingPolicy, setback: Setback) -> bool:
    """Tell whether to wait; only a usage limit ends by itself."""
    is_limit = setback.category is FailureCategory.LIMIT or setback.action is Action.PARK
    if not is_limit or not parking.is_allowed or setback.parks >= parking.max_parks:
        return False
    return setback.reset_at is None or setback.reset_at - setback.at <= parking.longest


def _ends_soon(parking: ParkingPolicy, setback: Setback) -> bool:
    if setback.reset_at is None or not _may_park(parking, setback):
        return False
    return setback.action is Action.PARK and setback.reset_at - setback.at <= parking.soon


def _is_exact(policy: RetryPolicy, setback: Setback) -> bool:
    """Tell whether the same is asked again: a worker that breaks down gives no answer either."""
    return policy.mode is RetryMode.SAME and setback.category is not FailureCategory.LOGIC
