"""When a usage limit ends, as the headers of an answer say it."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

FURTHEST: Final = timedelta(days=400)
"""A service that names a day further away would hold a run for ever."""

_LONGEST: Final = 64
_NUMBER: Final = re.compile(r"[0-9]{1,14}(\.[0-9]{1,9})?")
_LENGTH: Final = re.compile(
    r"(?:([0-9]{1,5})d)?(?:([0-9]{1,5})h)?(?:([0-9]{1,6})m(?!s))?"
    r"(?:([0-9]{1,8}(?:\.[0-9]{1,9})?)s)?(?:([0-9]{1,8}(?:\.[0-9]{1,9})?)ms)?"
)
_RESET: Final = re.compile(
    r"(?:x-ratelimit-reset(-.+)?|anthropic-ratelimit(-.+)-reset|ratelimit-reset(-.+)?"
    r"|x-codex(-.+)?-(?:primary|secondary)-reset-at)"
)
# Larger numbers are moments, counted in seconds or milliseconds; smaller ones are waits.
_MOMENT: Final = 10**9
_MILLISECONDS: Final = 10**12

_AT: Final = "reset-at"
_WHOLE: Final = 100.0
_USED_UP, _UNSAID, _LEFT = range(3)


def find_reset(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """Find when to ask again: what the service asks for, else when what is used up comes back.

    The names of the headers are in small letters. What makes no sense is passed over.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        if name in headers and (asked := _moment(headers[name], now, unit)):
            return asked
    resets = dict(_resets(headers, now))
    states = {name: _state(headers, name) for name in resets}
    worst = min(states.values(), default=_LEFT)
    return max((resets[name] for name in resets if states[name] == worst), default=None)


def _resets(headers: Mapping[str, str], now: datetime) -> Iterator[tuple[str, datetime]]:
    for name, value in headers.items():
        if _RESET.fullmatch(name) and (moment := _moment(value, now)):
            yield name, moment


def _state(headers: Mapping[str, str], name: str) -> int:
    """Tell whether that which a header counts is used up, as its neighbours say."""
    if name.endswith(_AT):
        part = headers.get(name.removesuffix(_AT) + "used-percent", "")
        is_said = _NUMBER.fullmatch(part) is not None
        return (_USED_UP if float(part) >= _WHOLE else _LEFT) if is_said else _UNSAID
    for word, used_up in (("remaining", "0"), ("status", "rejected")):
        if (said := headers.get(name.replace("reset", word))) is not None:
            return _USED_UP if said == used_up else _LEFT
    return _UNSAID


def _moment(value: str, now: datetime, unit: int = 1) -> datetime | None:
    if len(value) > _LONGEST:
        return None
    try:
        moment = _read(value, now, unit)
    except (ValueError, OverflowError):
        return None
    return None if moment is None or not now <= moment <= now + FURTHEST else moment


def _read(value: str, now: datetime, unit: int) -> datetime | None:
    if _NUMBER.fullmatch(value):
        number = float(value)
        if number >= _MOMENT:
            scale = 1000 if number >= _MILLISECONDS else 1
            return datetime.fromtimestamp(number / scale, UTC)
        return now + timedelta(seconds=number / unit)
    if value and (length := _LENGTH.fullmatch(value)):
        days, hours, minutes, seconds, milliseconds = (float(part or 0) for part in length.groups())
        return now + timedelta(
            days=days, hours=hours, minutes=minutes, seconds=seconds, milliseconds=milliseconds
        )
    return _date(value)


def _date(value: str) -> datetime | None:
    written = datetime.fromisoformat(value) if value[:1].isdigit() else parsedate_to_datetime(value)
    return written.astimezone(UTC) if written.tzinfo else None
