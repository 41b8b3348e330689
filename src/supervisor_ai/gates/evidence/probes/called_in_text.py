"""Calls in a text that a test gives to the product: `max(1, 2)` in `evaluate("max(1, 2)")`.

A product that reads a language of its own gets new functions, too, and those have arguments.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.gates.evidence.probes.literals import Literal

_CALL: Final = re.compile(rb"(?<![\w.])([A-Za-z_]\w*)\(([^()\"'`]*)\)")
_NUMBER: Final = re.compile(rb"\s*(\d+(?:\.\d+)?)\s*")


def called_in_text(source: bytes, literals: Sequence[Literal]) -> Iterator[Literal]:
    """Yield the numbers that calls in texts are given, each as an argument of its call."""
    for literal in literals:
        if literal.is_number or not literal.call:
            continue
        for call in _CALL.finditer(source, literal.start, literal.end):
            yield from _given(call, is_compared=literal.is_compared)


def _given(call: re.Match[bytes], *, is_compared: bool) -> Iterator[Literal]:
    start = call.start(2)
    for at, text in enumerate(call[2].split(b",")):
        number = _NUMBER.fullmatch(text)
        if number is not None:
            yield Literal(
                start=start + number.start(1),
                end=start + number.end(1),
                is_number=True,
                call=call[1].decode(),
                at=at,
                opened=call.start(2),
                is_compared=is_compared,
            )
        start += len(text) + 1
