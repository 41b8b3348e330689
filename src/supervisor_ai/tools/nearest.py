"""The word that was probably meant: one that is close enough, or none."""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from typing import Final

_LIKELY: Final = 0.75
_POSSIBLE: Final = 0.6
_CANDIDATES: Final = 3
_PART: Final = 3
"""Letters that a part has to have to stand for the whole."""


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
