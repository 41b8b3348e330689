"""Whether an attempt may start, as far as that depends on what all runs share."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.ids import ArtifactHash, EffectKey, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.breaker import Breaker
from supervisor_ai.domain.run.launches import (
    Launch,
    Permission,
    Refusal,
    Wait,
    may_launch,
    used,
    wish,
)
from supervisor_ai.domain.run.spending.budgets import (
    NOTHING,
    Amount,
    Budget,
    Scope,
    Spending,
    hold,
    settle,
)
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind
from supervisor_ai.domain.run.values import Usage

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=300)
RUN = Budget(scope=Scope.RUN, account="run:r1", limit=Amount(money=Decimal(5)))


def launch(key: str = "1", wish: Amount = NOTHING) -> Launch:
    return Launch(key=EffectKey(key), breaker="build/builder/codex", budgets=(RUN,), wish=wish)


def opened() -> Breaker:
    breaker = Breaker()
    for _ in range(5):
        breaker = breaker.record_failure(NOW)
    return breaker


def leave(found: Permission | Refusal | Wait) -> Permission:
    assert isinstance(found, Permission)
    return found


def test_an_attempt_starts_with_what_is_left() -> None:
    found = leave(may_launch(launch(), Breaker(), Spending(), at=NOW))
    assert found.reservation.amount == Amount(money=Decimal(5), attempts=1)
    assert not found.is_trial


def test_an_open_breaker_says_when_to_ask_again() -> None:
    assert may_launch(launch(), opened(), Spending(), at=NOW) == Refusal(
        kind=OutcomeKind.CIRCUIT_OPEN,
        reason="Attempts of 'build/builder/codex' failed too often; the next one may start later.",
        until=LATER,
    )


def test_after_its_rest_a_breaker_lets_one_through() -> None:
    found = leave(may_launch(launch(), opened(), Spending(), at=LATER))
    assert found.is_trial
    assert isinstance(
        may_launch(launch(), opened().record_try(LATER), Spending(), at=LATER), Refusal
    )


def test_what_others_hold_is_waited_for_and_what_is_spent_is_gone() -> None:
    held = hold(Spending(), leave(may_launch(launch(), Breaker(), Spending(), at=NOW)).reservation)
    waiting = may_launch(launch("2"), Breaker(), held, at=NOW)
    assert isinstance(waiting, Wait)
    assert "5 USD reserved" in waiting.reason
    gone = settle(held, EffectKey("1"), Amount(money=Decimal(6)))
    refused = may_launch(launch("2"), Breaker(), gone, at=NOW)
    assert isinstance(refused, Refusal)
    assert (refused.kind, refused.until) == (OutcomeKind.BUDGET_EXHAUSTED, None)


def ended(took: timedelta) -> e.AttemptFailed:
    return e.AttemptFailed(
        step=StepName("build"),
        visit=1,
        attempt=1,
        category=FailureCategory.NETWORK,
        reason="x",
        feedback=ArtifactHash("f"),
        transcript=ArtifactHash("t"),
        usage=Usage(tokens_in=10, tokens_out=5, cost=Decimal("0.5")),
        took=took,
    )


def test_what_an_attempt_used() -> None:
    minutes = timedelta(minutes=5)
    assert used(ended(minutes)) == Amount(money=Decimal("0.5"), tokens=15, time=minutes, attempts=1)


def test_a_clock_that_went_back_gives_no_time_back() -> None:
    assert used(ended(timedelta(seconds=-1))).time == timedelta()


def test_a_lost_attempt_was_one() -> None:
    lost = e.AttemptLost(step=StepName("build"), visit=1, attempt=1, kept=None)
    assert used(lost) == Amount(attempts=1)


def test_who_shares_wishes_for_a_part_only() -> None:
    own = Amount(time=timedelta(minutes=1))
    assert wish({}, own) == own
    limits = {
        Scope.DAY: Amount(money=Decimal(8), tokens=2_000, attempts=9),
        Scope.FEATURE: Amount(money=Decimal(4)),
        Scope.RUN: Amount(attempts=3),
    }
    assert wish(limits, own) == Amount(money=Decimal(1), tokens=500, time=timedelta(minutes=1))
    assert wish({Scope.DAY: Amount(tokens=1)}, NOTHING).tokens == 1
    said = {**limits, Scope.STEP: Amount(money=Decimal(3)), Scope.ATTEMPT: Amount(tokens=5)}
    assert wish(said, own) == own


@pytest.mark.parametrize("wished", ["1", "5", "100"])
def test_no_wish_gets_more_than_there_is(wished: str) -> None:
    wanted = launch(wish=Amount(money=Decimal(wished)))
    found = leave(may_launch(wanted, Breaker(), Spending(), at=NOW))
    assert found.reservation.amount.money == min(Decimal(wished), Decimal(5))


@given(st.lists(st.decimals("0.01", 3, places=2), max_size=20))
def test_parallel_attempts_never_hold_more_than_the_budget(wishes: list[Decimal]) -> None:
    spending = Spending()
    for number, wished in enumerate(wishes):
        asked = launch(str(number), Amount(money=wished))
        found = may_launch(asked, Breaker(), spending, at=NOW)
        if isinstance(found, Permission):
            spending = hold(spending, found.reservation)
        else:
            assert isinstance(found, Wait)
    assert (spending.reserved_from("run:r1").money or 0) <= 5
