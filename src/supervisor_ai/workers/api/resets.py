"""When a limit ends, as the headers of an answer say it."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

_LONGEST: Final = timedelta(days=32)
_NUMBER: Final = re.compile(r"[0-9]{1,14}(\.[0-9]{1,9})?")
_LENGTH: Final = re.compile(
    r"(?:([0-9]{1,5})d)?(?:([0-9]{1,5})h)?(?:([0-9]{1,6})m(?!s))?"
    r"(?:([0-9]{1,8}(?:\.[0-9]{1,9})?)s)?(?:([0-9]{1,8}(?:\.[0-9]{1,9})?)ms)?"
)
_RESET: Final = re.compile(
    r"(?:x-ratelimit-reset(-.+)?|anthropic-ratelimit(-.+)-reset|ratelimit-reset(-.+)?)"
)
# Larger numbers are moments, counted in seconds or milliseconds; smaller ones are waits.
_MOMENT: Final = 10**9
_MILLISECONDS: Final = 10**12


def find_reset(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """Find when to ask again: what the service asks for, else when what is used up comes back."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        if name in headers and (asked := _moment(headers[name], now, unit)):
            return asked
    resets = dict(_resets(headers, now))
    used_up = [resets[name] for name in resets if _is_used_up(headers, name)]
    return max(used_up or resets.values(), default=None)


def _resets(headers: Mapping[str, str], now: datetime) -> Iterator[tuple[str, datetime]]:
    for name, value in headers.items():
        if _RESET.fullmatch(name) and (moment := _moment(value, now)):
            yield name, moment


def _is_used_up(headers: Mapping[str, str], name: str) -> bool:
    return headers.get(name.replace("reset", "remaining")) == "0"


def _moment(value: str, now: datetime, unit: int = 1) -> datetime | None:
    try:
        moment = _read(value, now, unit)
    except (ValueError, OverflowError):
        return None
    # A service that names a day far away would otherwise hold a run for ever.
    return None if moment is None or not now <= moment <= now + _LONGEST else moment


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
