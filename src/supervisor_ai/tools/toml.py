"""TOML of which nobody knows who wrote it.

The parser of Python keeps every beginning of a dotted key, so that one long key takes memory with
the square of its length, and keeps a thousand bytes for every part of a key. So keys are counted
before they are read.
"""

import re
import tomllib
from typing import Final

LARGEST: Final = 1024 * 1024
LONGEST_KEY: Final = 32
"""How many parts a key may have."""
MOST_PARTS: Final = 50_000
"""How many parts all keys that have several, or name a table, may have together."""

_TOKEN: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)"
    r'|(?P<part>"(?:[^"\\\n]|\\.)*+"?|\'[^\'\n]*+\'?|[\w-]++)'
    r"|(?P<dot>\.)|(?P<opening>[\[{])|[ \t]++|(?P<other>#[^\n]*+|.)",
    re.DOTALL,
)
_LONG_NUMBER: Final = re.compile(r"(?<![0-9A-Fa-f_])[0-9A-Fa-f_]{5000}")
"""The parser's pattern for numbers takes a hundred bytes for every digit."""
_CHEAP: Final = MOST_PARTS // 2


class TooMuchError(ValueError):
    """The text was made, or happens, to be too much for its parser."""


def read_toml(text: str) -> dict[str, object]:
    """Parse a text; raise ValueError or RecursionError where it cannot be understood."""
    if len(text) > LARGEST:
        raise TooMuchError(f"It has {len(text)} characters; {LARGEST} are allowed.")
    if _LONG_NUMBER.search(text):
        raise TooMuchError("It has a number of more than 5000 digits.")
    if _may_be_much(text):
        _count_keys(text)
    return tomllib.loads(text)


def _may_be_much(text: str) -> bool:
    """Tell quickly that a text cannot have a long key, as nearly all texts cannot."""
    if sum(map(text.count, ".[{")) > _CHEAP:
        return True
    return text.count(".") >= LONGEST_KEY and any(
        line.count(".") >= LONGEST_KEY for line in text.split("\n")
    )


def _count_keys(text: str) -> None:
    """Go over the tokens once; a dot between two parts makes them one key."""
    length = parts = 0
    is_joined = False
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "part":
                length = length + 1 if is_joined else 1
                parts += is_joined
                is_joined = False
            case "dot":
                is_joined = True
            case "opening":
                parts += 1
                is_joined = False
            case "other":
                is_joined = False
            case _:
                pass
        if length > LONGEST_KEY or parts > MOST_PARTS:
            raise TooMuchError(
                f"It has a key of {length} parts or {parts} parts of keys;"
                f" {LONGEST_KEY} and {MOST_PARTS} are allowed."
            )
