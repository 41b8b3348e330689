"""Quiet hours: windows of a week in which nobody is disturbed and no wait for a person counts."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(weeks=1)
_LAG: Final = timedelta(days=3)
"""So much later than its local start a window begins at most, wherever a zone jumps."""
LEAST_FREE: Final = timedelta(hours=1)
"""What quiet hours leave of a week at least, so that every wait comes to an end."""


class Weekday(StrEnum):
    """A day of the week."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


WEEK: Final = tuple(Weekday)


class QuietWindow(Struct, frozen=True, kw_only=True):
    """From a local time to another; one that ends no later than it starts ends on the next day."""

    days: tuple[Weekday, ...]
    """The days on which it starts."""
    start: time
    end: time

    @property
    def length(self) -> timedelta:
        """Return how long it is where no clock is changed."""
        first = datetime.combine(date.min, self.start)
        last = datetime.combine(date.min, self.end)
        return last - first if last > first else last - first + _DAY


class QuietHours(Struct, frozen=True, kw_only=True):
    """Windows of every week, by the clocks of one time zone."""

    windows: tuple[QuietWindow, ...] = ()
    zone: str = "UTC"

    @property
    def free(self) -> timedelta:
        """Return how much of a week is not quiet, where no clock is changed."""
        spans = sorted(span for window in self.windows for span in _spans(window))
        spans += [(start + _WEEK, end + _WEEK) for start, end in spans]
        free, until = timedelta(), _WEEK
        for start, end in spans:
            free += max(timedelta(), start - until)
            until = max(until, end)
        return free + max(timedelta(), 2 * _WEEK - until)


NEVER_QUIET: Final = QuietHours()


def require_an_end(quiet: QuietHours) -> None:
    """Refuse quiet hours in a zone that nobody knows, or that leave next to nothing of a week."""
    _zone(quiet)
    if quiet.free < LEAST_FREE:
        raise InvalidInput(
            f"The quiet hours leave {quiet.free} of a week, so that a wait might never end.",
            hint=f"Leave at least {LEAST_FREE} of every week.",
        )


def is_quiet(at: datetime, quiet: QuietHours) -> bool:
    """Tell whether nobody should be disturbed at a time."""
    return end_of_quiet(at, quiet) > at


def end_of_quiet(at: datetime, quiet: QuietHours) -> datetime:
    """Return when the quiet hours end that a time lies in; the time itself if it is in none."""
    require_an_end(quiet)
    for start, end in _stretches(quiet, at):
        if start > at:
            break
        if end > at:
            return end
    return at


def end_of_wait(start: datetime, wait: timedelta, quiet: QuietHours) -> datetime:
    """Return when a wait is over for which time stands still in quiet hours."""
    require_an_end(quiet)
    if wait <= timedelta():
        return start
    now, left = start, wait
    for begin, end in _stretches(quiet, start):
        free = begin - now
        if free >= left:
            break
        left -= max(free, timedelta())
        now = max(now, end)
    return now + left


def _spans(window: QuietWindow) -> Iterator[tuple[timedelta, timedelta]]:
    """Place a window in a week of 168 hours that has none before it."""
    clock = datetime.combine(date.min, window.start) - datetime.combine(date.min, time())
    for day in dict.fromkeys(window.days):
        begin = WEEK.index(day) * _DAY + clock
        yield begin, begin + window.length


def _stretches(quiet: QuietHours, at: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Find what is quiet, from a time or shortly before it on, in order and without overlaps."""
    if not any(window.days for window in quiet.windows):
        return
    found = _intervals(quiet, at)
    start, end = next(found)
    while True:
        begin, until = next(found)
        if begin > end:
            yield start, end
            start = begin
        end = max(end, until)


def _intervals(quiet: QuietHours, at: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Find every window from a time on, by when it begins: a changed clock can swap neighbours."""
    zone, waiting = _zone(quiet), list[tuple[datetime, datetime]]()
    day = at.astimezone(zone).date() - _LAG
    while True:
        for window in quiet.windows:
            if WEEK[day.weekday()] in window.days:
                heappush(waiting, _interval(window, day, zone))
        day += _DAY
        settled = datetime.combine(day, time(), UTC) - _LAG
        while waiting and waiting[0][0] < settled:
            yield heappop(waiting)


def _interval(window: QuietWindow, day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return when a window of a day begins and ends; where a clock is changed, the longest."""
    last = day if window.end > window.start else day + _DAY
    starts = (datetime.combine(day, window.start, zone).replace(fold=fold) for fold in (0, 1))
    ends = (datetime.combine(last, window.end, zone).replace(fold=fold) for fold in (0, 1))
    return min(at.astimezone(UTC) for at in starts), max(at.astimezone(UTC) for at in ends)


def _zone(quiet: QuietHours) -> "ZoneInfo":
    # Every command reads facts that name this module; only few of them ask for a zone.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(quiet.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"There is no time zone {quiet.zone!r} on this machine.",
            hint="Name one as 'Europe/Berlin'; where even that is unknown, install tzdata.",
        ) from error
