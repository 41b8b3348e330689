"""Words for people: counted, quoted, escaped, on one line; and the word that was meant."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import timedelta
from difflib import SequenceMatcher, get_close_matches
from typing import Final

_LIKELY: Final = 0.75
_POSSIBLE: Final = 0.6
_CANDIDATES: Final = 3
_PART: Final = 3
"""Letters that a part has to have to stand for the whole."""
_DURATION: Final = re.compile(
    r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,6})?)s)?(?:(\d{1,9})ms)?"
)
_LONGEST: Final = timedelta(days=366)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant; a wrong guess is worse than none."""
    near = get_close_matches(word, sorted(known), n=_CANDIDATES, cutoff=_POSSIBLE)
    return next((it for it in near if _is_close(word, it)), None)


def _is_close(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return (
        SequenceMatcher(None, other, word).ratio() >= _LIKELY
        or (len(shorter) >= _PART and shorter in longer)
        or sorted(word) == sorted(other)
        or (len(word) == len(other) and sum(a != b for a, b in zip(word, other, strict=True)) == 1)
    )


def counted(number: int, thing: str) -> str:
    """Say how many things there are."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def one_line(text: str, longest: int) -> str:
    """Put a text on one line, and cut it where it gets long."""
    line = " ".join(text[: 4 * longest].split())
    is_whole = len(line) <= longest and len(text) <= 4 * longest
    return line if is_whole else f"{line[: longest - 1]}…"


def excerpt(value: object, longest: int = 80) -> str:
    """Quote the beginning of what somebody else wrote in a sentence of ours."""
    if not isinstance(value, str):
        return repr(value)[:longest]
    return repr(value if len(value) <= longest else value[:longest] + "…")


def escaped(text: str) -> str:
    """Escape what a terminal or a reader's eye could be tricked by."""
    return "".join(it if _is_plain(it) else it.encode("unicode-escape").decode() for it in text)


def _is_plain(character: str) -> bool:
    category = unicodedata.category(character)
    return not (category.startswith("C") or category in {"Zl", "Zp"})


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
