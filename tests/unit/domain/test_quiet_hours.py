"""Quiet hours: by weekday and local time, over midnight and changed clocks, never for ever."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.quiet_hours import (
    LEAST_FREE,
    NEVER_QUIET,
    WEEK,
    QuietHours,
    QuietWindow,
    Weekday,
    end_of_quiet,
    end_of_wait,
    is_quiet,
    require_an_end,
)

HOUR = timedelta(hours=1)
QUARTER = timedelta(minutes=15)
INSTANT = timedelta(microseconds=1)
NIGHTS = QuietHours(
    windows=(QuietWindow(days=WEEK, start=time(22), end=time(7)),), zone="Europe/Berlin"
)
WEEKENDS = QuietHours(
    windows=(
        QuietWindow(days=WEEK, start=time(18), end=time(9)),
        QuietWindow(days=WEEK[5:], start=time(0), end=time(0)),
    ),
    zone="America/New_York",
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(text: str, zone: str = "Europe/Berlin") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


clocks = st.builds(time, st.integers(0, 23), st.sampled_from((0, 15, 30, 45)))
windows = st.builds(
    QuietWindow,
    days=st.lists(st.sampled_from(Weekday), unique=True).map(tuple),
    start=clocks,
    end=clocks,
)
all_quiet_hours = st.builds(
    QuietHours, windows=st.lists(windows, max_size=4).map(tuple), zone=st.sampled_from(ZONES)
)
quiet_hours = all_quiet_hours.filter(lambda quiet: quiet.free >= LEAST_FREE)
moments = st.datetimes(datetime(2029, 1, 1), datetime(2032, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - Hypothesis adds the zone
waits = st.timedeltas(timedelta(), timedelta(days=20))


def shown_as_quiet(at: datetime, quiet: QuietHours) -> bool:
    """Tell it by the clock on the wall, minute by minute."""
    here = at.astimezone(ZoneInfo(quiet.zone))
    today, before = WEEK[here.weekday()], WEEK[here.weekday() - 1]
    clock = here.time()
    for window in quiet.windows:
        if window.end > window.start:
            if today in window.days and window.start <= clock < window.end:
                return True
        elif (today in window.days and clock >= window.start) or (
            before in window.days and clock < window.end
        ):
            return True
    return False


def changes_clocks(at: datetime, zone: str) -> bool:
    here = ZoneInfo(zone)
    days = (at + timedelta(days=days) for days in range(-3, 4))
    return len({day.astimezone(here).utcoffset() for day in days}) > 1


@given(moments, quiet_hours)
def test_it_is_quiet_when_the_clock_on_the_wall_says_so(at: datetime, quiet: QuietHours) -> None:
    if changes_clocks(at, quiet.zone):
        assert is_quiet(at, quiet) or not shown_as_quiet(at, quiet)
    else:
        assert is_quiet(at, quiet) == shown_as_quiet(at, quiet)


def test_without_quiet_hours_no_time_is_quiet() -> None:
    at = utc("2030-01-02T03:04")
    assert end_of_quiet(at, NEVER_QUIET) == at


@given(moments, quiet_hours)
def test_quiet_hours_end_at_the_first_moment_that_is_not_quiet(
    at: datetime, quiet: QuietHours
) -> None:
    end = end_of_quiet(at, quiet)
    assert end >= at
    assert not is_quiet(end, quiet)
    assert end == at or is_quiet(end - INSTANT, quiet)
    halfway = at + (end - at) / 2
    assert end_of_quiet(halfway, quiet) == end


@given(moments, waits, waits, quiet_hours)
def test_a_wait_is_the_sum_of_its_parts(
    start: datetime, first: timedelta, second: timedelta, quiet: QuietHours
) -> None:
    halfway = end_of_wait(start, first, quiet)
    assume(second > timedelta())
    assert end_of_wait(halfway, second, quiet) == end_of_wait(start, first + second, quiet)


@given(moments, st.integers(0, 32), quiet_hours)
def test_a_wait_takes_its_time_and_what_is_quiet_besides(
    start: datetime, quarters: int, quiet: QuietHours
) -> None:
    assume(quiet.free >= timedelta(days=1))
    start = start.replace(minute=0, second=0, microsecond=0)
    end = end_of_wait(start, quarters * QUARTER, quiet)
    awake = [at for at in _every_quarter(start, end) if not is_quiet(at, quiet)]
    assert len(awake) == quarters
    assert quarters == 0 or awake[-1] == end - QUARTER


def _every_quarter(start: datetime, end: datetime) -> list[datetime]:
    return [start + number * QUARTER for number in range((end - start) // QUARTER)]


@given(moments, waits)
def test_where_nothing_is_quiet_a_wait_is_just_that(start: datetime, wait: timedelta) -> None:
    assert end_of_wait(start, wait, NEVER_QUIET) == start + wait
    assert not is_quiet(start, NEVER_QUIET)


@given(all_quiet_hours)
def test_quiet_hours_that_leave_nothing_of_a_week_are_refused(quiet: QuietHours) -> None:
    week = _every_quarter(utc("2030-01-07"), utc("2030-01-14"))
    in_utc = QuietHours(windows=quiet.windows)
    assert quiet.free == QUARTER * sum(not shown_as_quiet(at, in_utc) for at in week)
    if quiet.free >= LEAST_FREE:
        require_an_end(quiet)
    else:
        with pytest.raises(InvalidInput, match="might never end"):
            require_an_end(quiet)


ALWAYS = QuietHours(windows=(QuietWindow(days=WEEK, start=time(9), end=time(9)),))


def test_nobody_waits_for_the_end_of_quiet_hours_that_have_none() -> None:
    assert ALWAYS.free == timedelta()
    with pytest.raises(InvalidInput, match="leave 0:00:00 of a week"):
        end_of_wait(utc("2030-01-01"), HOUR, ALWAYS)
    with pytest.raises(InvalidInput, match="might never end"):
        is_quiet(utc("2030-01-01"), ALWAYS)


def test_a_window_without_days_is_no_window() -> None:
    never = QuietHours(windows=(QuietWindow(days=(), start=time(1), end=time(2)),))
    assert end_of_wait(utc("2030-01-01"), HOUR, never) == utc("2030-01-01T01:00")


def test_an_unknown_zone_is_refused() -> None:
    for zone in ("Europe/Atlantis", "../etc/passwd", "/etc/passwd", ""):
        with pytest.raises(InvalidInput, match="There is no time zone"):
            require_an_end(QuietHours(zone=zone))


def test_no_time_passes_between_the_evening_and_the_morning() -> None:
    asked = local("2030-01-08T21:40")
    assert end_of_wait(asked, timedelta(minutes=30), NIGHTS) == local("2030-01-09T07:10")
    assert end_of_wait(asked, timedelta(minutes=20), NIGHTS) == local("2030-01-08T22:00")
    assert end_of_quiet(local("2030-01-09T03:00"), NIGHTS) == local("2030-01-09T07:00")
    assert is_quiet(local("2030-01-08T22:00"), NIGHTS)
    assert not is_quiet(local("2030-01-09T07:00"), NIGHTS)


def test_no_time_passes_over_a_weekend() -> None:
    new_york = "America/New_York"
    friday = local("2030-01-11T17:50", new_york)
    assert end_of_wait(friday, timedelta(minutes=15), WEEKENDS) == local(
        "2030-01-14T09:05", new_york
    )
    assert end_of_wait(friday, timedelta(), WEEKENDS) == friday


@pytest.mark.parametrize(
    ("evening", "morning", "night"),
    [
        ("2030-03-30T22:00", "2030-03-31T07:00", 8),
        ("2030-10-26T22:00", "2030-10-27T07:00", 10),
        ("2030-06-01T22:00", "2030-06-02T07:00", 9),
    ],
)
def test_a_night_in_which_clocks_are_changed_is_shorter_or_longer(
    evening: str, morning: str, night: int
) -> None:
    start = local(evening)
    assert end_of_quiet(start, NIGHTS) == local(morning)
    assert end_of_quiet(start, NIGHTS) - start == night * HOUR


def test_a_window_that_a_changed_clock_skips_or_shows_twice_is_taken_at_its_longest() -> None:
    short = QuietWindow(days=WEEK, start=time(2, 30), end=time(2, 45))
    quiet = QuietHours(windows=(short,), zone="Europe/Berlin")
    first = utc("2030-10-27T00:30")
    assert end_of_quiet(first, quiet) == utc("2030-10-27T01:45")
    skipped = end_of_quiet(utc("2030-03-31T00:45"), quiet)
    assert skipped == utc("2030-03-31T01:45")
