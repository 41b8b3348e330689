"""Dates and times of day as people write them: `Nov 16th, 3:04 PM`, `3am (Europe/Berlin)`."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import Final
from zoneinfo import ZoneInfo

_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_PACIFIC: Final = "America/Los_Angeles"
_ZONES: Final = {
    **dict.fromkeys(("utc", "gmt", "z"), "UTC"),
    **dict.fromkeys(("pt", "pst", "pdt"), _PACIFIC),
    **dict.fromkeys(("et", "est", "edt"), "America/New_York"),
    **dict.fromkeys(("ct", "cst", "cdt"), "America/Chicago"),
    **dict.fromkeys(("cet", "cest"), "Europe/Berlin"),
    "bst": "Europe/London",
    "jst": "Asia/Tokyo",
}
_WITHOUT_A_DATABASE: Final[dict[str, tzinfo]] = {
    "UTC": UTC,
    _PACIFIC: timezone(timedelta(hours=-8)),
}
_WHEN: Final = (
    r"(?:(?:\b|quota)reset[a-z_-]{0,20}|\b(?:retry-after|again|until|after|available|renews?|at))"
)
_GAP: Final = r"[\"']?\s{0,3}[:=]?\s{0,3}[\"']?(?:(?:at|on)\s)?\s{0,2}"
_TIME: Final = r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?::\d{2})?\s{0,2}(?P<half>[ap]\.?m\b)?"
_ZONE: Final = r"(?:\s{0,2}\(?(?P<zone>[a-z]{1,20}(?:/[a-z0-9_+-]{1,20}){0,2}))?"
_HTTP_DATE: Final = re.compile(
    rf"{_WHEN}{_GAP}(?P<date>[a-z]{{3}}, \d{{2}} [a-z]{{3}} \d{{4}} \d{{2}}:\d{{2}}:\d{{2}} GMT)",
    re.IGNORECASE,
)
_ISO: Final = re.compile(
    rf"{_WHEN}{_GAP}(?P<day>\d{{4}}-\d\d-\d\d)[T ](?P<clock>\d\d:\d\d(?::\d\d)?)(?:\.\d{{1,9}})?"
    r"\s?(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    rf"{_WHEN}{_GAP}(?:[a-z]{{3,9}}, )?(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.? "
    r"(?P<day>\d{1,2})(?:[a-z]{2})?,?(?: (?P<year>\d{4}))?,?(?: at)? "
    rf"{_TIME}{_ZONE}",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(
    rf"{_WHEN}{_GAP}(?:(?P<weekday>{'|'.join(_WEEKDAYS)})[a-z]{{0,6}},? (?:at )?)?{_TIME}{_ZONE}",
    re.IGNORECASE,
)
_IMPOSSIBLE: Final = (ValueError, OverflowError, TypeError)

Reading = Callable[[re.Match[str], datetime], datetime | None]


def dates(text: str, now: datetime) -> Iterator[datetime]:
    """Yield the moments that a text names by their dates."""
    for pattern, reading in ((_HTTP_DATE, _http), (_ISO, _iso), (_DATE, _dated)):
        yield from _all(pattern, reading, text, now)


def clock_times(text: str, now: datetime) -> Iterator[datetime]:
    """Yield the next moments at which a clock shows the times that a text names."""
    yield from _all(_CLOCK, _next, text, now)


def midnight_pacific(now: datetime) -> datetime:
    """Return when a new day begins where daily quotas are counted."""
    local = now.astimezone(_zone(_PACIFIC) or UTC)
    return datetime.combine(local.date() + timedelta(days=1), time(), local.tzinfo)


def _all(
    pattern: re.Pattern[str], reading: Reading, text: str, now: datetime
) -> Iterator[datetime]:
    for match in pattern.finditer(text):
        try:
            found = reading(match, now)
        except _IMPOSSIBLE:
            continue
        if found is not None:
            yield found


def _http(match: re.Match[str], now: datetime) -> datetime:
    del now
    return parsedate_to_datetime(match["date"]).astimezone(UTC)


def _iso(match: re.Match[str], now: datetime) -> datetime:
    del now
    zone = (match["zone"] or "Z").upper().replace("UTC", "Z")
    return datetime.fromisoformat(f"{match['day']}T{match['clock']}{zone}").astimezone(UTC)


def _dated(match: re.Match[str], now: datetime) -> datetime | None:
    """Read a date; one without a year is the next of its kind."""
    zone, clock = _zone_of(match), _time(match)
    if zone is None or clock is None:
        return None
    month, day = _MONTHS.index(match["month"].lower()) + 1, int(match["day"])
    first = int(match["year"] or now.astimezone(zone).year)
    found = datetime(first, month, day, clock.hour, clock.minute, tzinfo=zone)
    is_over = not match["year"] and found < now - timedelta(days=1)
    return (found.replace(year=first + 1) if is_over else found).astimezone(UTC)


def _next(match: re.Match[str], now: datetime) -> datetime | None:
    zone, clock = _zone_of(match), _time(match)
    if zone is None or clock is None or not (match["minute"] or match["half"]):
        return None
    today = now.astimezone(zone)
    days = _WEEKDAYS.index(match["weekday"].lower()) - today.weekday() if match["weekday"] else 0
    found = datetime.combine(today.date() + timedelta(days=days % 7), clock, zone)
    if found < now - timedelta(minutes=1):
        later = timedelta(days=7 if match["weekday"] else 1)
        found = datetime.combine(found.date() + later, clock, zone)
    return found.astimezone(UTC)


def _time(match: re.Match[str]) -> time | None:
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return time(hour, int(match["minute"] or 0))


def _zone_of(match: re.Match[str]) -> tzinfo | None:
    """Find the zone; words after a time that name no zone are just the next words."""
    name = match["zone"] or "UTC"
    return _zone(_ZONES.get(name.lower(), name)) or (None if "/" in name else UTC)


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return _WITHOUT_A_DATABASE.get(name)
