"""When a usage limit ends, from the many ways in which that is said."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from supervisor_ai.workers.output.calendar_words import clock_times, dates, midnight_pacific

FURTHEST: Final = timedelta(days=8)
"""No limit that is worth waiting for lasts longer."""
_SLACK: Final = timedelta(minutes=1)
_READ: Final = 32 << 10
_MILLENNIA: Final = 10**12
"""As seconds far beyond any limit, hence milliseconds."""
_SOON: Final = timedelta(minutes=1)

_EPOCH: Final = re.compile(
    r"(?:\||\bresets?_?at[\"']?\s{0,5}[:=]\s{0,5}[\"']?)(\d{10}|\d{13})\b", re.IGNORECASE
)
_EPOCH_HEADER: Final = re.compile(
    r"-reset(?:-at)?[\"']?\s{0,5}[:=]\s{0,5}[\"']?(\d{10}|\d{13})\b", re.IGNORECASE
)
_RETRY_AFTER: Final = re.compile(
    r"(?:retry-after|resets?_in_seconds|ratelimit-reset(?:-after|-requests|-tokens)?)"
    r"[\"']?\s{0,5}[:=]\s{0,5}[\"']?(\d{1,8}(?:\.\d{1,9})?)(?=[\s\"',;}\])]|\Z)",
    re.IGNORECASE,
)
_MILLISECONDS: Final = re.compile(
    r"(?:retry-after-ms|retryDelayMs)[\"']?\s{0,5}[:=]\s{0,5}[\"']?(\d{1,12})\b", re.IGNORECASE
)
_AMOUNT: Final = (
    r"(?:\d{1,6}(?:\.\d{1,9})?\s{0,3}|\ban?\s)"
    r"(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)"
    r"(?![a-z])"
)
_SPAN: Final = rf"{_AMOUNT}(?:[\s,]{{0,3}}(?:and )?{_AMOUNT}){{0,4}}"
_IN: Final = re.compile(
    r"(?:(?:retryDelay|quotaResetDelay|ratelimit-reset[a-z-]{0,40})[\"']?\s{0,5}[:=]\s{0,5}[\"']?"
    r"|\b(?:again|retry|resets?|available|wait(?: for)?|renews?)\s{1,3}"
    r"(?:in|after)?\s{0,3}(?:about |~)?)"
    rf"({_SPAN})",
    re.IGNORECASE,
)
_MOMENTARILY: Final = re.compile(r"\bin (?:less than|under) a minute", re.IGNORECASE)
_ONE: Final = re.compile(r"(\d+(?:\.\d+)?|\ban?(?=\s))\s*(ms|milli|msec|[smhdw])", re.IGNORECASE)
_UNITS: Final = {
    "ms": timedelta(milliseconds=1),
    "milli": timedelta(milliseconds=1),
    "msec": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_PER_DAY: Final = re.compile(r"PerDay|requests per day|\bRPD\b")
_DAILY: Final = re.compile(r"\bdaily (?:\w+ ){0,2}(?:quota|limit)", re.IGNORECASE)

Form = Callable[[str, datetime], Iterator[datetime]]


def find_reset(text: str, now: datetime) -> datetime | None:
    """Return when the limit that a text tells of is lifted, or None where it does not say.

    Never more than a minute in the past, never further away than the longest limit.
    """
    text, now = text[-_READ:], now.astimezone(UTC)
    for form in _FORMS:
        found = [it.astimezone(UTC) for it in form(text, now) if it >= now - _SLACK]
        if found:
            return min(max(found), now + FURTHEST)
    return None


def _per_day(text: str, now: datetime) -> Iterator[datetime]:
    if _PER_DAY.search(text):
        yield midnight_pacific(now)


def _epochs(text: str, now: datetime) -> Iterator[datetime]:
    del now
    yield from (_since_epoch(match) for match in _EPOCH.finditer(text))


def _since_epoch(match: re.Match[str]) -> datetime:
    number = int(match[1])
    return datetime.fromtimestamp(number / (1000 if number >= _MILLENNIA else 1), UTC)


def _headers(text: str, now: datetime) -> Iterator[datetime]:
    for match in _RETRY_AFTER.finditer(text):
        yield now + min(timedelta(seconds=float(match[1])), FURTHEST)
    yield from (_since_epoch(match) for match in _EPOCH_HEADER.finditer(text))
    for match in _MILLISECONDS.finditer(text):
        yield now + min(timedelta(milliseconds=int(match[1])), FURTHEST)


def _spans(text: str, now: datetime) -> Iterator[datetime]:
    for match in _IN.finditer(text):
        yield now + min(_length(match[1]), FURTHEST)
    if _MOMENTARILY.search(text):
        yield now + _SOON


def _length(span: str) -> timedelta:
    """Add up what a span of time is made of."""
    parts = _ONE.findall(span.lower())
    return sum(
        ((1.0 if count in {"a", "an"} else float(count)) * _UNITS[unit] for count, unit in parts),
        timedelta(),
    )


def _days(text: str, now: datetime) -> Iterator[datetime]:
    if _DAILY.search(text):
        yield midnight_pacific(now)


_FORMS: Final[tuple[Form, ...]] = (
    _per_day,
    _epochs,
    _headers,
    _spans,
    dates,
    clock_times,
    _days,
)
"""From the most to the least certain; the first that finds something decides."""
