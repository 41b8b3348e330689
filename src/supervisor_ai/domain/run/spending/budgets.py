"""Budgets: reserved before a worker starts, settled after it ended.

An account is what one budget is spent from: a step's, a run's, a feature's, a day's. Reserving
takes from all accounts of an attempt at once, or from none.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.ids import EffectKey, RunId, StepName
from supervisor_ai.domain.structs import replace

_ZERO: Final = Decimal(0)
_MICROSECOND: Final = timedelta(microseconds=1)
_DAY: Final = "day:"
_MILLION: Final = 1_000_000


class Scope(StrEnum):
    """What a budget is for, the narrowest first."""

    ATTEMPT = "attempt"
    STEP = "step"
    RUN = "run"
    FEATURE = "feature"
    DAY = "day"


class Measure(StrEnum):
    """What a budget counts."""

    MONEY = "money"
    TOKENS = "tokens"
    TIME = "time"
    ATTEMPTS = "attempts"


class Amount(Struct, frozen=True, kw_only=True):
    """How much; where it is a limit, None means as much as one likes. Money is in USD."""

    money: Decimal | None = None
    tokens: int | None = None
    time: timedelta | None = None
    attempts: int | None = None

    @property
    def figures(self) -> dict[Measure, Decimal]:
        """Return what is said, as plain numbers; time in microseconds."""
        time = None if self.time is None else self.time // _MICROSECOND
        said = {
            Measure.MONEY: self.money,
            Measure.TOKENS: self.tokens,
            Measure.TIME: time,
            Measure.ATTEMPTS: self.attempts,
        }
        return {measure: Decimal(value) for measure, value in said.items() if value is not None}

    def least(self, other: "Amount") -> "Amount":
        """Return the smaller of the two in everything."""
        mine, others = self.figures, other.figures
        return _amount({at: min(_both(at, mine, others)) for at in Measure if at in mine | others})

    def plus(self, other: "Amount") -> "Amount":
        """Return both together."""
        mine, others = self.figures, other.figures
        return _amount({at: sum(_both(at, mine, others)) for at in Measure if at in mine | others})


NOTHING: Final = Amount()


class Budget(Struct, frozen=True, kw_only=True):
    """How much may be spent from an account."""

    scope: Scope
    account: str
    limit: Amount


class Reservation(Struct, frozen=True, kw_only=True):
    """What one attempt may spend, set aside in all its accounts."""

    key: EffectKey
    accounts: tuple[str, ...]
    amount: Amount


class Exhausted(Struct, frozen=True, kw_only=True):
    """Why an attempt cannot start: which budget, and how much of it is gone."""

    scope: Scope
    measure: Measure
    limit: Amount
    spent: Amount
    reserved: Amount

    @property
    def is_final(self) -> bool:
        """Tell whether waiting for other attempts to end cannot help."""
        spent = self.spent.figures.get(self.measure, _ZERO)
        return spent >= self.limit.figures[self.measure]

    @property
    def reason(self) -> str:
        """Say it in a sentence."""
        limit, spent = shown(self.limit, self.measure), shown(self.spent, self.measure)
        said = f"The budget of the {self.scope.value} is exhausted: {spent} of {limit} are spent"
        if self.is_final:
            return f"{said}."
        return f"{said} and {shown(self.reserved, self.measure)} reserved."


class Spending(Struct, frozen=True, kw_only=True):
    """All accounts: what was spent from each, and what is set aside."""

    spent: dict[str, Amount] = field(default_factory=dict)
    reservations: dict[EffectKey, Reservation] = field(default_factory=dict)

    def spent_from(self, account: str) -> Amount:
        """Return what was spent from an account."""
        return self.spent.get(account, NOTHING)

    def reserved_from(self, account: str) -> Amount:
        """Return what is set aside in an account."""
        held = (at.amount for at in self.reservations.values() if account in at.accounts)
        return _sum(held)


def budgets_for(
    limits: Mapping[Scope, Amount], *, run: RunId, root: RunId, step: StepName, at: datetime
) -> tuple[Budget, ...]:
    """Say which accounts an attempt spends from; a day is one of UTC, a feature a tree of runs."""
    accounts = {
        Scope.ATTEMPT: "attempt",
        Scope.STEP: f"step:{run}/{step}",
        Scope.RUN: f"run:{run}",
        Scope.FEATURE: f"feature:{root}",
        Scope.DAY: f"{_DAY}{at.astimezone(UTC).date().isoformat()}",
    }
    return tuple(
        Budget(scope=scope, account=accounts[scope], limit=limits[scope])
        for scope in Scope
        if scope in limits
    )


def left(budgets: Iterable[Budget], spending: Spending) -> Amount:
    """Return what an attempt could have at most: the minimum over all budgets."""
    least = NOTHING
    for budget in budgets:
        least = least.least(_rest(budget, spending))
    return least


def reserve(
    budgets: Sequence[Budget], spending: Spending, key: EffectKey, wish: Amount
) -> Reservation | Exhausted:
    """Set aside what the attempt wishes, as far as all budgets allow it; without a wish, the rest.

    One attempt is always wished for. The same key gets the same reservation again.
    """
    if key in spending.reservations:
        return spending.reservations[key]
    for budget in budgets:
        gone = _gone(budget, spending)
        if gone is not None:
            return gone
    rest = left(budgets, spending).least(replace(wish, attempts=1))
    accounts = tuple(dict.fromkeys(budget.account for budget in budgets if _has_account(budget)))
    return Reservation(key=key, accounts=accounts, amount=rest)


def hold(spending: Spending, reservation: Reservation) -> Spending:
    """Fold a reservation into the accounts; those of days long gone are forgotten."""
    today = max((name for name in reservation.accounts if name.startswith(_DAY)), default="")
    days = sorted(name for name in spending.spent if name.startswith(_DAY) and name < today)
    kept = {name: amount for name, amount in spending.spent.items() if name not in days[:-1]}
    reservations = {**spending.reservations, reservation.key: reservation}
    return Spending(spent=kept, reservations=reservations)


def settle(spending: Spending, key: EffectKey, used: Amount) -> Spending:
    """Give back what was set aside and book what was used; a second time changes nothing."""
    reservation = spending.reservations.get(key)
    if reservation is None:
        return spending
    rest = {name: held for name, held in spending.reservations.items() if name != key}
    booked = {name: spending.spent_from(name).plus(used) for name in reservation.accounts}
    return Spending(spent={**spending.spent, **booked}, reservations=rest)


def without_accounts(spending: Spending, run: RunId) -> Spending:
    """Forget what was spent by a run that has ended; what it shares with others stays."""
    own = (f"run:{run}", f"feature:{run}")
    kept = {
        name: amount
        for name, amount in spending.spent.items()
        if name not in own and not name.startswith(f"step:{run}/")
    }
    return replace(spending, spent=kept)


def shown(amount: Amount, measure: Measure) -> str:
    """Write how much of one measure there is, as people do."""
    value = amount.figures.get(measure, _ZERO)
    match measure:
        case Measure.MONEY:
            return f"{value.quantize(Decimal('0.0001')).normalize():f} USD"
        case Measure.TIME:
            return str(timedelta(seconds=int(value) // _MILLION))
        case _:
            word = measure.value.removesuffix("s") if value == 1 else measure.value
            return f"{int(value):,} {word}"


def in_words(amount: Amount) -> str:
    """Write an amount as people do, all measures of it."""
    said = (shown(amount, measure) for measure in amount.figures)
    return ", ".join(said) or "nothing"


def _gone(budget: Budget, spending: Spending) -> Exhausted | None:
    for measure, value in _rest(budget, spending).figures.items():
        if value <= 0:
            return Exhausted(
                scope=budget.scope,
                measure=measure,
                limit=budget.limit,
                spent=spending.spent_from(budget.account),
                reserved=spending.reserved_from(budget.account),
            )
    return None


def _rest(budget: Budget, spending: Spending) -> Amount:
    if not _has_account(budget):
        return budget.limit
    spent = spending.spent_from(budget.account).figures
    held = spending.reserved_from(budget.account).figures
    return _amount(
        {
            at: max(limit - spent.get(at, _ZERO) - held.get(at, _ZERO), _ZERO)
            for at, limit in budget.limit.figures.items()
        }
    )


def _has_account(budget: Budget) -> bool:
    """Tell whether anything adds up; an attempt spends only once."""
    return budget.scope is not Scope.ATTEMPT


def _sum(amounts: Iterable[Amount]) -> Amount:
    total = NOTHING
    for amount in amounts:
        total = total.plus(amount)
    return total


def _both(
    at: Measure, mine: Mapping[Measure, Decimal], others: Mapping[Measure, Decimal]
) -> list[Decimal]:
    return [figures[at] for figures in (mine, others) if at in figures]


def _amount(figures: Mapping[Measure, Decimal | int]) -> Amount:
    money, time = figures.get(Measure.MONEY), figures.get(Measure.TIME)
    tokens, attempts = figures.get(Measure.TOKENS), figures.get(Measure.ATTEMPTS)
    return Amount(
        money=None if money is None else Decimal(money),
        tokens=None if tokens is None else int(tokens),
        time=None if time is None else int(time) * _MICROSECOND,
        attempts=None if attempts is None else int(attempts),
    )
