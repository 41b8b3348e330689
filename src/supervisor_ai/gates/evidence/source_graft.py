"""Grafts sources in which tests stand among the product: the base's tests into the head's file."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.evidence.sources import python_items, rust_items, script_items
from supervisor_ai.gates.evidence.sources.edits import TestItems, grafted
from supervisor_ai.gates.evidence.toml_graft import NoGraft


class _Language(Struct, frozen=True):
    mentioned: re.Pattern[bytes]
    """Without it a source has no test items, and need not be parsed."""
    read: Callable[[str, bytes], TestItems] | None = None
    """Finds them; None: nobody can."""


_SCRIPT: Final = _Language(script_items.MENTIONED, script_items.script_items)
_C: Final = _Language(re.compile(rb"#\s*include\s*[<\"][^>\"\n]*(?:doctest|catch|gtest|utest)"))
_LANGUAGES: Final[Mapping[str, _Language]] = {
    ".py": _Language(python_items.MENTIONED, python_items.python_items),
    ".rs": _Language(rust_items.MENTIONED, rust_items.rust_items),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), _SCRIPT),
    **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"), _C),
    ".zig": _Language(re.compile(rb"(?m)^test\b")),
    ".d": _Language(re.compile(rb"(?m)^\s*unittest\b")),
    **dict.fromkeys((".ex", ".exs"), _Language(re.compile(rb"(?m)^\s*iex>"))),
    **dict.fromkeys(
        (".hs", ".ml", ".jl", ".pyx"), _Language(re.compile(rb">>> |let%test|jldoctest"))
    ),
}


def may_hold_tests(path: str) -> bool:
    """Tell whether a language lets tests stand among the product."""
    return PurePosixPath(path).suffix in _LANGUAGES


def graft_source(path: str, before: bytes, after: bytes) -> bytes | None:
    """Return the head's source with the tests of the base; None where neither has any.

    Raise NoGraft where they cannot be told from the product.
    """
    language = _LANGUAGES[PurePosixPath(path).suffix]
    if not (language.mentioned.search(before) or language.mentioned.search(after)):
        return None
    if language.read is None:
        if not language.mentioned.search(before):
            return None
        raise NoGraft("nobody here reads the tests that stand among its code")
    try:
        old = language.read(path, before)
    except NoGraft as error:
        raise NoGraft(f"before the change {error}") from None
    new = language.read(path, after)
    if not any(_has_tests(items) for items in (old, new)):
        return None
    return grafted(before, after, old, new)


def _has_tests(items: TestItems) -> bool:
    return bool(items.spans) or any(each.run for each in items.examples.values())
