"""Words cut short, so that they fit into a title or a name."""

import re
import unicodedata
from typing import Final

_LENGTH: Final = 40


def slug_of(line: str) -> str:
    """Make a short name in ascii of a line: a few words, with dashes between them."""
    letters = unicodedata.normalize("NFKD", line).encode("ascii", "ignore").decode().lower()
    return cut(re.sub(r"[^a-z0-9]+", "-", letters).strip("-"), _LENGTH, "-")


def cut(words: str, length: int, gap: str) -> str:
    """Cut between words, or inside one that is too long by itself."""
    if len(words) <= length:
        return words
    return words[: length + 1].rpartition(gap)[0] or words[:length]
