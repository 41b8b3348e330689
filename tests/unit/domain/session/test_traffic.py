"""How much a member may ask for: so many calls and bytes in any minute, then it waits."""

from datetime import UTC, datetime, timedelta

from supervisor_ai.domain.session.traffic import (
    MINUTE,
    MOST_BYTES,
    MOST_CALLS,
    Traffic,
    admit,
)

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def after(calls: int, size: int = 10) -> Traffic:
    """Return what is known after so many calls, one each tenth of a second."""
    known = Traffic()
    for number in range(calls):
        known = admit(known, size, now=NOW + timedelta(seconds=number / 10)).traffic
    return known


def test_so_many_calls_are_made_and_no_more() -> None:
    known = after(MOST_CALLS)
    assert len(known.calls) == MOST_CALLS
    first = admit(known, 1, now=NOW + timedelta(seconds=20))
    assert (first.wait, first.is_first) == (timedelta(seconds=40), True)
    again = admit(first.traffic, 1, now=NOW + timedelta(seconds=21))
    assert (again.wait, again.is_first) == (timedelta(seconds=39), False)


def test_when_the_minute_is_over_calls_are_made_again() -> None:
    refused = admit(after(MOST_CALLS), 1, now=NOW + timedelta(seconds=20)).traffic
    later = admit(refused, 1, now=NOW + MINUTE)
    assert later.wait is None
    assert not later.traffic.is_refused
    assert len(later.traffic.calls) == MOST_CALLS


def test_calls_together_carry_no_more_than_they_may() -> None:
    known = after(2, MOST_BYTES // 2)
    assert admit(known, 1, now=NOW + timedelta(seconds=1)).wait is not None
    assert admit(known, 0, now=NOW + timedelta(seconds=1)).wait is None


def test_one_call_that_is_too_large_by_itself_waits_for_ever() -> None:
    found = admit(Traffic(), MOST_BYTES + 1, now=NOW)
    assert (found.wait, found.traffic.calls) == (MINUTE, ())
