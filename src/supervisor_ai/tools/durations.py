"""Durations as people write them: `45m`, `1h30m`, `14d`."""

import re
from datetime import timedelta
from typing import Final

_DURATION: Final = re.compile(
    r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,6})?)s)?(?:(\d{1,9})ms)?"
)
_LONGEST: Final = timedelta(days=366)


def duration(value: object) -> timedelta:
    """Read `45m`, `1h30m`, `250ms` or a number of seconds."""
    length = _length(value)
    if length is None:
        raise ValueError(f"must be a duration such as 250ms, 30s, 45m, 2h or 14d, found {value!r}")
    if not timedelta() < length <= _LONGEST:
        raise ValueError(f"must be longer than nothing and at most a year, found {value!r}")
    return length


def _length(value: object) -> timedelta | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return timedelta(seconds=max(0, min(value, 2 * _LONGEST.total_seconds())))
    match = _DURATION.fullmatch(value) if isinstance(value, str) and value else None
    if match is None:
        return None
    days, hours, minutes, seconds, thousandths = (float(part or 0) for part in match.groups())
    return timedelta(
        days=days, hours=hours, minutes=minutes, seconds=seconds, milliseconds=thousandths
    )
