"""What a change removes from the product, so that tests of it have nothing left to test."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from supervisor_ai.gates.integrity.comparison.words import tokens
from supervisor_ai.gates.integrity.model import TestCase

_DEFINED: Final = re.compile(
    rb"\b(?:def|class|function\*?|const|let|var|func|fn|struct|enum|trait|type|interface|mod)"
    rb"[ \t]+(?:\([^()\n]{0,200}\)[ \t]*)?(\w+)"
)
_METHOD: Final = re.compile(
    rb"(?m)^[ \t]+(?:async[ \t]+|static[ \t]+|get[ \t]+)?(\w+)\([^\n]{0,200}\{"
)
_EVERYWHERE: Final = frozenset(
    {"if", "for", "while", "switch", "catch", "constructor", "main", "new", "init", "setup", "get"}
)


Defined = Callable[[str, bytes], frozenset[str]]
"""Finds the names that a file defines, by its path and its source."""


def defined_names(source: bytes, method: re.Pattern[bytes] | None = None) -> frozenset[str]:
    """Find the names that code defines, in any of the languages."""
    found = {*_DEFINED.findall(source), *_METHOD.findall(source)}
    found |= set(method.findall(source) if method else ())
    return frozenset(name.decode(errors="replace") for name in found)


def removed_names(
    before: Iterable[tuple[str, bytes]], after: Iterable[tuple[str, bytes]], defined: Defined
) -> frozenset[str]:
    """Return what the product defined before and no longer defines in any file that changed."""
    old = frozenset[str]().union(*(defined(path, source) for path, source in before))
    new = frozenset[str]().union(*(defined(path, source) for path, source in after))
    return frozenset(name for name in old - new if not name.startswith("__")) - _EVERYWHERE


def uses_any(test: TestCase, names: frozenset[str]) -> bool:
    """Tell whether a test calls or checks one of the names."""
    called = {part for call in test.calls for part in tokens(call)}
    asked = {part for found in test.assertions for part in tokens(found.subject)}
    return bool(names & (called | asked))
