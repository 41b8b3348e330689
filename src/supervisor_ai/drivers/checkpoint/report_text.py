"""Text from outside in a report: it breaks no table, forges no line, and comes back as it was."""

import re
from collections.abc import Iterable
from typing import Final

_ACTIVE: Final = frozenset('\\|`<>[]*";&')
_ESCAPE: Final = re.compile(r"\\(?:x\{([0-9a-f]{1,6})\}|(.))")
_CELL: Final = re.compile(r"(?:[^\\|]|\\.)+")
_PART: Final = re.compile(r"(?:[^\\;]|\\.)+")


def escape(text: str) -> str:
    """Write text so that nothing in it means anything to markdown, and all of it on one line."""
    return "".join(map(_written, text))


def _written(character: str) -> str:
    if character in _ACTIVE:
        return f"\\{character}"
    return character if character.isprintable() else f"\\x{{{ord(character):x}}}"


def unescape(text: str) -> str:
    """Return text as it was before it was escaped."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], text)


def row(cells: Iterable[str]) -> str:
    """Write a row of a table."""
    return f"| {' | '.join(cells)} |"


def split(line: str) -> list[str]:
    """Take a row of a table apart; the cells stay escaped."""
    return [cell[1:-1] for cell in _CELL.findall(line)]


def parts(cell: str) -> list[str]:
    """Take a list in a cell apart, which has semicolons between its parts; they stay escaped."""
    found = _PART.findall(cell)
    return [*found[:1], *(part[1:] for part in found[1:])]
