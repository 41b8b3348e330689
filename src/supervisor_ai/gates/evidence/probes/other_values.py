"""Other values in place of those that a test gives: near ones, and far ones of one form."""

import re
from collections.abc import Iterable
from typing import Final

from supervisor_ai.gates.evidence.probes.literals import Literal
from supervisor_ai.gates.evidence.sources.edits import Edit, applied

_DIGITS: Final = re.compile(rb"\d+")
_WHOLE: Final = re.compile(rb"[1-9][\d_]*|0")
_BROKEN: Final = re.compile(rb"(\d+)\.(\d+)")
_FORMAT: Final = re.compile(rb"%|\{\w*\}|\\")
"""What is filled in or escaped is left alone: it would mean another thing, or nothing."""
_NAME: Final = re.compile(rb"\w*")
_LAST_LETTER: Final = re.compile(rb"([A-Za-z])(?=[^A-Za-z]*$)")
_LETTERS: Final = 26
_STRUCTURAL: Final = 2
"""Numbers below it say how many and which, rather than how much."""


def with_near_values(source: bytes, literals: Iterable[Literal], step: int) -> bytes:
    """Put values into a source that lie beside its own."""
    edits = []
    for at, literal in enumerate(literals):
        old = source[literal.start : literal.end]
        # Steps that differ break what the values of one test have to do with each other.
        by = 1 if step == 0 else 1 + (at * step) % 3
        new = _near_number(old, by) if literal.is_number else _near_text(old, by)
        edits.append(Edit(literal.start, literal.end, new))
    return applied(source, edits)


def _near_number(old: bytes, by: int) -> bytes:
    broken = _BROKEN.fullmatch(old)
    if broken:
        return b"%d.%b" % (int(broken[1]) + by, broken[2])
    if not _WHOLE.fullmatch(old) or int(old) < _STRUCTURAL:
        return old
    return b"%d" % (int(old) + by)


def _near_text(old: bytes, by: int) -> bytes:
    if _FORMAT.search(old):
        return old
    if _DIGITS.search(old):
        return _DIGITS.sub(lambda it: b"%0*d" % (len(it[0]), int(it[0]) + by), old)
    return old if _NAME.fullmatch(old) else _LAST_LETTER.sub(lambda it: _turned(it[1], by), old)


def with_far_values(source: bytes, literals: Iterable[Literal], turn: int) -> bytes:
    """Put values of the same form into a source that have nothing to do with its own."""
    chosen = list(enumerate(literals))
    edits = [
        Edit(it.start, it.end, far_value(source[it.start : it.end], it, turn + 2 * at))
        for at, it in chosen
    ]
    return applied(source, edits)


def far_value(old: bytes, literal: Literal, turn: int) -> bytes:
    """Return another value: the same signs in it, all digits and letters others."""
    if literal.is_number and not (_WHOLE.fullmatch(old) or _BROKEN.fullmatch(old)):
        return old
    new = b"".join(_turned(bytes([letter]), 3 + turn) for letter in old)
    return new.lstrip(b"0") or b"7" if literal.is_number and b"." not in new else new


def _turned(letter: bytes, by: int) -> bytes:
    if letter.isdigit():
        return b"%d" % ((int(letter) + 1 + by % 9) % 10)
    for first in (b"a", b"A"):
        if first <= letter <= bytes([first[0] + _LETTERS - 1]):
            return bytes([first[0] + (letter[0] - first[0] + 1 + by % 25) % _LETTERS])
    return letter


def with_blank_values(source: bytes, literals: Iterable[Literal]) -> bytes:
    """Put nothing into a source in the place of each value: no letters, and zero."""
    edits = [Edit(it.start, it.end, b"0" if it.is_number else b"") for it in literals]
    return applied(source, edits)
