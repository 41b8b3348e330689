"""Statements of a source: lines that belong together, so that a call is seen whole."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.change.risks.sources import RiskSource

_MOST_LINES: Final = 12
_LONGEST: Final = 2_000
_OPENING: Final = re.compile(r"[(\[]")
_CLOSING: Final = re.compile(r"[)\]]")
_KEY: Final = re.compile(r"(?P<indent>\s*)(?:-\s+)?(?P<key>[\w.\"'-]+)\s*:\s*$")
_ITEM: Final = re.compile(r"(?P<indent>\s*)-\s+(?!\S+:(?:\s|$))")
_BLANKS: Final = re.compile(r"\s+")


class Unit(Struct, frozen=True):
    """One statement, without comments, and once more without the contents of strings."""

    text: str
    code: str


def units_of(source: RiskSource) -> Counter[Unit]:
    """Count the statements of a source."""
    pairs = zip(source.text.split("\n"), source.code.split("\n"), strict=True)
    lines = [Unit(text[:_LONGEST], code[:_LONGEST]) for text, code in pairs]
    match source.family:
        case "yaml":
            found = _under_keys(lines)
        case "sql":
            found = _joined(lines, lambda unit: ";" not in unit.code)
        case "json":
            found = iter(lines)
        case "shell" | "docker":
            found = _joined(lines, lambda unit: unit.code.rstrip().endswith("\\"))
        case _:
            found = _joined(lines, _is_open)
    spaced = (Unit(_even(unit.text), _even(unit.code)) for unit in found)
    return Counter(unit for unit in spaced if unit.text)


def _even(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _is_open(unit: Unit) -> bool:
    code = unit.code
    return len(_OPENING.findall(code)) > len(_CLOSING.findall(code))


def _joined(lines: list[Unit], is_open: Callable[[Unit], bool]) -> Iterator[Unit]:
    """Put lines together as long as what they begin is open, but not without end."""
    begun: list[Unit] = []
    for line in lines:
        if not begun and not line.code.strip():
            continue
        begun.append(line)
        whole = Unit("\n".join(part.text for part in begun), "\n".join(part.code for part in begun))
        if len(begun) >= _MOST_LINES or len(whole.text) >= _LONGEST or not is_open(whole):
            yield whole
            begun = []
    if begun:
        yield Unit("\n".join(part.text for part in begun), "\n".join(part.code for part in begun))


def _under_keys(lines: list[Unit]) -> Iterator[Unit]:
    """Write the key before an item that is a plain value: alone it says nothing."""
    key = ""
    for line in lines:
        if _ITEM.match(line.text):
            yield Unit(f"{key}{line.text}", f"{key}{line.code}")
            continue
        if line.text.strip():
            found = _KEY.match(line.text)
            key = f"{found['key']}: " if found else ""
            yield line
