"""Whether an attempt may start, as far as that depends on what all runs of a project share."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import reduce
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import EffectKey
from supervisor_ai.domain.run.events import AttemptEnd, AttemptFailed, AttemptSucceeded
from supervisor_ai.domain.run.failures.breaker import Breaker, BreakerStatus
from supervisor_ai.domain.run.spending.budgets import (
    Amount,
    Budget,
    Exhausted,
    Measure,
    Reservation,
    Scope,
    Spending,
    reserve,
)
from supervisor_ai.domain.run.status import OutcomeKind

_PARTS: Final = 4
_SHARED: Final = frozenset({Scope.FEATURE, Scope.DAY})


class Launch(Struct, frozen=True, kw_only=True):
    """An attempt that is to start: its operation key, its breaker, and what it would like."""

    key: EffectKey
    breaker: str | None
    budgets: Sequence[Budget]
    wish: Amount


class Permission(Struct, frozen=True, kw_only=True):
    """It may start with so much set aside; `is_trial` when a breaker lets only this one through."""

    reservation: Reservation
    is_trial: bool


class Refusal(Struct, frozen=True, kw_only=True):
    """It may not start, and that is how the run ends unless there is another way."""

    kind: OutcomeKind
    reason: str
    until: datetime | None = None
    """When it is worth asking again."""


class Wait(Struct, frozen=True, kw_only=True):
    """It may not start as long as other attempts hold what it needs."""

    reason: str


def may_launch(
    launch: Launch, breaker: Breaker, spending: Spending, *, at: datetime
) -> Permission | Refusal | Wait:
    """Look at the breaker first, then at the budgets."""
    if not breaker.allows(at):
        reason = f"Attempts of {launch.breaker!r} failed too often; the next one may start later."
        return Refusal(kind=OutcomeKind.CIRCUIT_OPEN, reason=reason, until=breaker.opens_again_at)
    found = reserve(launch.budgets, spending, launch.key, launch.wish)
    if isinstance(found, Reservation):
        return Permission(reservation=found, is_trial=breaker.status is not BreakerStatus.CLOSED)
    return _refused(found)


def used(end: AttemptEnd) -> Amount:
    """Return what an ended attempt takes from its budgets; a lost one never told what it spent."""
    if not isinstance(end, AttemptSucceeded | AttemptFailed):
        return Amount(attempts=1)
    usage = end.usage
    return Amount(
        money=usage.cost,
        tokens=usage.tokens_in + usage.tokens_out,
        time=max(end.took, timedelta()),
        attempts=1,
    )


def wish(budgets: Mapping[Scope, Amount], own: Amount) -> Amount:
    """Return what an attempt would like, besides what it would like for its own sake.

    Where nothing says what it or its run may cost, it takes no more than a part of what all runs
    share, so that one alone does not keep the others waiting.
    """
    own_limits = [limit for scope, limit in budgets.items() if scope not in _SHARED]
    said = {measure for limit in (*own_limits, own) for measure in limit.figures}
    shares = (_share(limit, said) for scope, limit in budgets.items() if scope in _SHARED)
    return reduce(Amount.least, shares, own)


def _share(limit: Amount, said: Collection[Measure]) -> Amount:
    money = limit.money if Measure.MONEY not in said else None
    tokens = limit.tokens if Measure.TOKENS not in said else None
    return Amount(
        money=None if money is None else money / _PARTS,
        tokens=None if tokens is None else max(tokens // _PARTS, 1),
    )


def _refused(exhausted: Exhausted) -> Refusal | Wait:
    if exhausted.is_final:
        return Refusal(kind=OutcomeKind.BUDGET_EXHAUSTED, reason=exhausted.reason)
    return Wait(reason=exhausted.reason)
