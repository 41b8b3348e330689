"""The circuit breaker: what failed too often is left alone for a while."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.failures.breaker import (
    BREAKER_POLICY,
    Breaker,
    BreakerPolicy,
    BreakerStatus,
    breaker_key,
    counts,
)
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace

START = datetime(2030, 1, 1, tzinfo=UTC)
FACTS = ("failure", "try", "success")
histories = st.lists(st.tuples(st.sampled_from(FACTS), st.integers(0, 400)), max_size=30)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def after_failures(*seconds: float) -> Breaker:
    breaker = Breaker()
    for second in seconds:
        breaker = breaker.record_failure(at(second))
    return breaker


def folded(history: list[tuple[str, int]]) -> tuple[Breaker, datetime]:
    breaker, now = Breaker(), START
    for fact, seconds in history:
        now += timedelta(seconds=seconds)
        match fact:
            case "failure":
                breaker = breaker.record_failure(now)
            case "try":
                breaker = breaker.record_try(now)
            case _:
                breaker = breaker.record_success()
    return breaker, now


def test_five_failures_in_the_window_open_it() -> None:
    assert (BREAKER_POLICY.failures, BREAKER_POLICY.window.seconds) == (5, 300)
    four = after_failures(0, 10, 20, 30)
    assert four.status is BreakerStatus.CLOSED
    assert four.allows(at(40))
    five = four.record_failure(at(40))
    assert five.status is BreakerStatus.OPEN
    assert five.opens_again_at == at(340)
    assert not five.allows(at(339.9))
    assert five.allows(at(340))


def test_failures_that_are_long_ago_do_not_count() -> None:
    assert after_failures(0, 10, 20, 30, 300).status is BreakerStatus.CLOSED
    assert after_failures(0, 10, 20, 30, 299.9).status is BreakerStatus.OPEN
    assert len(after_failures(0, 10, 20, 30, 1000).failures) == 1


def test_a_success_does_not_undo_failures_while_it_is_closed() -> None:
    four = after_failures(0, 10, 20, 30)
    assert four.record_success() == four
    assert four.record_try(at(35)) == four


def test_half_open_lets_one_try_through() -> None:
    tried = after_failures(0, 0, 0, 0, 0).record_try(at(300))
    assert tried.status is BreakerStatus.HALF_OPEN
    assert not tried.allows(at(301))


def test_a_try_that_was_lost_does_not_close_the_way_for_ever() -> None:
    tried = after_failures(0, 0, 0, 0, 0).record_try(at(300))
    assert tried.allows(at(600))


def test_a_successful_try_closes_it_and_begins_anew() -> None:
    closed = after_failures(0, 0, 0, 0, 0).record_try(at(300)).record_success()
    assert closed == Breaker()
    assert closed.record_failure(at(311)).status is BreakerStatus.CLOSED


def test_a_failed_try_opens_it_again() -> None:
    again = after_failures(0, 0, 0, 0, 0).record_try(at(300)).record_failure(at(310))
    assert again.status is BreakerStatus.OPEN
    assert again.opens_again_at == at(610)


def test_a_late_failure_does_not_make_the_rest_longer() -> None:
    opened = after_failures(0, 0, 0, 0, 0)
    assert opened.record_failure(at(200)) == opened


def test_the_policy_is_kept() -> None:
    policy = BreakerPolicy(failures=1, rest=timedelta(seconds=7))
    opened = Breaker(policy=policy).record_failure(at(0))
    assert opened.opens_again_at == at(7)
    assert opened.record_success() == Breaker(policy=policy)


def test_a_usage_limit_is_not_counted() -> None:
    assert {category for category in FailureCategory if not counts(category)} == {
        FailureCategory.LIMIT
    }


def test_the_key_names_the_step_the_role_and_the_agent() -> None:
    who = (StepName("implement"), "implementer", "claude")
    assert breaker_key(*who, Level.PRIMARY) == "implement/implementer/claude"
    assert breaker_key(*who, Level.MINIMAL) == "implement/implementer/claude/minimal"


@given(histories)
def test_it_lets_everything_through_exactly_while_it_is_closed(
    history: list[tuple[str, int]],
) -> None:
    breaker, now = folded(history)
    is_closed = breaker.status is BreakerStatus.CLOSED
    assert is_closed == (breaker.opens_again_at is None)
    assert len(breaker.failures) < breaker.policy.failures
    assert breaker.allows(now + breaker.policy.rest)
    if is_closed:
        assert breaker.allows(now)


@given(histories)
def test_no_history_of_few_failures_opens_it(history: list[tuple[str, int]]) -> None:
    failures = [fact for fact, _ in history if fact == "failure"]
    breaker, _ = folded(history)
    if len(failures) < BREAKER_POLICY.failures:
        assert replace(breaker, failures=()) == Breaker()
