"""Budgets: reserved before a worker starts, settled after it ended."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import EffectKey, RunId, StepName
from supervisor_ai.domain.run.spending.budget_words import parse_budget
from supervisor_ai.domain.run.spending.budgets import (
    NOTHING,
    Amount,
    Budget,
    Exhausted,
    Measure,
    Reservation,
    Scope,
    Spending,
    budgets_for,
    hold,
    in_words,
    left,
    reserve,
    settle,
    shown,
)
from supervisor_ai.domain.structs import replace

NOW = datetime(2030, 1, 1, 23, 30, tzinfo=UTC)
ONE, TWO = EffectKey("r1/build/1/1/worker/1"), EffectKey("r1/build/1/1/worker/2")
amounts = st.builds(
    Amount,
    money=st.none() | st.decimals(0, 1000, places=4),
    tokens=st.none() | st.integers(0, 10**9),
    time=st.none() | st.timedeltas(min_value=timedelta(), max_value=timedelta(days=30)),
    attempts=st.none() | st.integers(0, 100),
)


def usd(value: str) -> Amount:
    return Amount(money=Decimal(value))


def run_budget(limit: Amount) -> Budget:
    return Budget(scope=Scope.RUN, account="run:r1", limit=limit)


def reserved(found: Reservation | Exhausted) -> Reservation:
    assert isinstance(found, Reservation)
    return found


def exhausted(found: Reservation | Exhausted) -> Exhausted:
    assert isinstance(found, Exhausted)
    return found


def test_without_budgets_nothing_is_in_the_way() -> None:
    found = reserved(reserve((), Spending(), ONE, NOTHING))
    assert found == Reservation(key=ONE, accounts=(), amount=Amount(attempts=1))


def test_what_is_left_is_the_least_over_all_scopes() -> None:
    budgets = (
        Budget(scope=Scope.ATTEMPT, account="attempt", limit=Amount(tokens=500)),
        run_budget(Amount(money=Decimal(5), tokens=900)),
        Budget(scope=Scope.DAY, account="day:d", limit=usd("3")),
    )
    spending = Spending(spent={"day:d": usd("1"), "run:r1": Amount(tokens=100)})
    assert left(budgets, spending) == Amount(money=Decimal(2), tokens=500)
    found = reserved(reserve(budgets, spending, ONE, usd("0.5")))
    assert found.amount == Amount(money=Decimal("0.5"), tokens=500, attempts=1)
    assert found.accounts == ("run:r1", "day:d")


def test_what_is_reserved_cannot_be_reserved_again_until_it_is_settled() -> None:
    budget = run_budget(usd("5"))
    spending = hold(Spending(), reserved(reserve((budget,), Spending(), ONE, usd("5"))))
    refused = exhausted(reserve((budget,), spending, TWO, usd("1")))
    assert not refused.is_final
    assert refused.reason == (
        "The budget of the run is exhausted: 0 USD of 5 USD are spent and 5 USD reserved."
    )
    spending = settle(spending, ONE, usd("1.25"))
    assert reserved(reserve((budget,), spending, TWO, NOTHING)).amount.money == Decimal("3.75")


def test_what_was_used_counts_even_beyond_the_reservation() -> None:
    budget = run_budget(usd("5"))
    spending = hold(Spending(), reserved(reserve((budget,), Spending(), ONE, usd("1"))))
    spending = settle(spending, ONE, usd("7.5"))
    refused = exhausted(reserve((budget,), spending, TWO, NOTHING))
    assert refused.is_final
    assert (refused.scope, refused.measure) == (Scope.RUN, Measure.MONEY)
    assert refused.reason == "The budget of the run is exhausted: 7.5 USD of 5 USD are spent."


@pytest.mark.parametrize(
    ("limit", "used", "reason"),
    [
        (Amount(tokens=200_000), Amount(tokens=200_001), "200,001 tokens of 200,000 tokens"),
        (Amount(attempts=2), Amount(attempts=2), "2 attempts of 2 attempts"),
        (
            Amount(time=timedelta(hours=2)),
            Amount(time=timedelta(hours=2, seconds=1)),
            "2:00:01 of 2:00:00",
        ),
    ],
)
def test_every_measure_can_be_exhausted(limit: Amount, used: Amount, reason: str) -> None:
    spending = Spending(spent={"run:r1": used})
    refused = exhausted(reserve((run_budget(limit),), spending, ONE, NOTHING))
    assert reason in refused.reason


def test_a_budget_of_nothing_for_an_attempt_lets_none_start() -> None:
    nothing = Budget(scope=Scope.ATTEMPT, account="attempt", limit=Amount(tokens=0))
    refused = exhausted(reserve((nothing,), Spending(), ONE, NOTHING))
    assert (refused.scope, refused.is_final) == (Scope.ATTEMPT, True)


def test_an_attempt_does_not_spend_from_the_limit_of_the_next() -> None:
    each = Budget(scope=Scope.ATTEMPT, account="attempt", limit=Amount(tokens=10))
    spending = hold(Spending(), reserved(reserve((each,), Spending(), ONE, NOTHING)))
    spending = settle(spending, ONE, Amount(tokens=10))
    assert reserved(reserve((each,), spending, TWO, NOTHING)).amount.tokens == 10


def test_the_same_key_gets_the_same_reservation() -> None:
    budget = run_budget(usd("5"))
    first = reserved(reserve((budget,), Spending(), ONE, usd("5")))
    assert reserve((budget,), hold(Spending(), first), ONE, usd("2")) == first


def test_settling_twice_is_settling_once() -> None:
    spending = hold(
        Spending(), reserved(reserve((run_budget(usd("5")),), Spending(), ONE, usd("1")))
    )
    settled = settle(spending, ONE, usd("1"))
    assert settle(settled, ONE, usd("1")) == settled


def test_each_scope_has_its_account() -> None:
    limits = dict.fromkeys(Scope, usd("1"))
    budgets = budgets_for(limits, run=RunId("r2"), root=RunId("r1"), step=StepName("build"), at=NOW)
    assert {budget.scope: budget.account for budget in budgets} == {
        Scope.ATTEMPT: "attempt",
        Scope.STEP: "step:r2/build",
        Scope.RUN: "run:r2",
        Scope.FEATURE: "feature:r1",
        Scope.DAY: "day:2030-01-01",
    }
    few = budgets_for(
        {Scope.RUN: usd("1")}, run=RunId("r"), root=RunId("r"), step=StepName("s"), at=NOW
    )
    assert [budget.scope for budget in few] == [Scope.RUN]


def test_money_is_shown_as_people_write_it() -> None:
    assert shown(usd("10"), Measure.MONEY) == "10 USD"
    assert shown(usd("0.123456"), Measure.MONEY) == "0.1235 USD"
    assert shown(NOTHING, Measure.ATTEMPTS) == "0 attempts"


@given(amounts, amounts)
def test_amounts_add_up_in_any_order(one: Amount, other: Amount) -> None:
    assert one.plus(other) == other.plus(one)
    assert one.least(other) == other.least(one)
    assert one.plus(NOTHING) == one.least(NOTHING) == one


@given(amounts, amounts, amounts)
def test_the_least_is_no_more_than_either(one: Amount, other: Amount, third: Amount) -> None:
    least = one.least(other).figures
    for amount in (one, other):
        assert all(least[at] <= value for at, value in amount.figures.items())
    assert one.least(other).least(third) == one.least(other.least(third))


@given(amounts, st.lists(amounts, max_size=8))
def test_no_more_is_set_aside_than_there_is(limit: Amount, wishes: list[Amount]) -> None:
    """Whatever is wished for and in which order, the reservations stay within the limit."""
    budget, spending = run_budget(limit), Spending()
    for number, wish in enumerate(wishes):
        found = reserve((budget,), spending, EffectKey(str(number)), wish)
        if isinstance(found, Reservation):
            spending = hold(spending, found)
        else:
            assert not found.is_final or limit.figures[found.measure] == 0
    held = spending.reserved_from("run:r1").figures
    assert all(held.get(at, 0) <= value for at, value in limit.figures.items())


@given(amounts, st.lists(amounts, max_size=8))
def test_what_was_spent_is_the_sum_of_what_was_used(limit: Amount, uses: list[Amount]) -> None:
    budget, spending, total = run_budget(limit), Spending(), NOTHING
    for number, used in enumerate(uses):
        key = EffectKey(str(number))
        found = reserve((budget,), spending, key, NOTHING)
        if isinstance(found, Reservation):
            spending = settle(hold(spending, found), key, used)
            total = total.plus(used)
    assert spending.spent_from("run:r1") == total
    assert not spending.reservations


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("5usd", usd("5")),
        ("$2.50", usd("2.50")),
        (" 0.5 USD ", usd("0.5")),
        ("200k tokens", Amount(tokens=200_000)),
        ("1.5m tokens", Amount(tokens=1_500_000)),
        ("1 token", Amount(tokens=1)),
        ("900tokens", Amount(tokens=900)),
        ("2h", Amount(time=timedelta(hours=2))),
        ("1h30m", Amount(time=timedelta(minutes=90))),
        ("1d 2h 3min 4s", Amount(time=timedelta(days=1, hours=2, minutes=3, seconds=4))),
        ("10 attempts", Amount(attempts=10)),
        (
            "5usd, 200k tokens + 2h,1 attempt",
            Amount(money=Decimal(5), tokens=200_000, time=timedelta(hours=2), attempts=1),
        ),
    ],
)
def test_budgets_as_people_write_them(text: str, amount: Amount) -> None:
    assert parse_budget(text) == amount


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "'' is no amount"),
        ("5", "'5' is no amount"),
        ("5 eur", "'5 eur' is no amount"),
        ("-5usd", "'-5usd' is no amount"),
        ("1e9usd", "'1e9usd' is no amount"),
        ("5usd,", "'' is no amount"),
        ("0usd", "'0usd' is nothing at all"),
        ("0h", "'0h' is nothing at all"),
        ("0.0001k tokens", "'0.0001k tokens' is nothing at all"),
        ("5usd, $3", "'$3' comes after another limit of the same kind"),
        ("9" * 5000 + "usd", "is no amount"),
    ],
)
def test_what_is_no_budget(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_budget(text)
    assert problem in caught.value.message
    assert len(caught.value.message) < 300
    assert "200k tokens" in (caught.value.hint or "")


@given(st.text(max_size=40))
def test_any_text_is_a_budget_or_refused(text: str) -> None:
    try:
        amount = parse_budget(text)
    except InvalidInput:
        return
    assert amount.figures
    assert all(value > 0 for value in amount.figures.values())


@given(amounts)
def test_an_amount_survives_its_figures(amount: Amount) -> None:
    assert replace(amount).plus(NOTHING) == amount


def test_an_amount_is_told_with_all_its_measures() -> None:
    assert in_words(Amount(money=Decimal("0.5"), attempts=1)) == "0.5 USD, 1 attempt"
    assert in_words(Amount()) == "nothing"
