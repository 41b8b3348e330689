"""Assertions and their opposites: a product that is as it was can pass only one of the two."""

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import Edit
from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of

if TYPE_CHECKING:
    from tree_sitter import Node


class Which(Enum):
    """Which of the assertions of a test says the opposite."""

    FIRST = 0
    LAST = -1


_PAIRS: Final = (
    # unittest
    *(("assertEqual", "assertNotEqual"), ("assertTrue", "assertFalse")),
    *(("assertIs", "assertIsNot"), ("assertIn", "assertNotIn")),
    *(("assertIsNone", "assertIsNotNone"), ("assertIsInstance", "assertNotIsInstance")),
    *(("assertAlmostEqual", "assertNotAlmostEqual"), ("assertRegex", "assertNotRegex")),
    *(("assertGreater", "assertLessEqual"), ("assertLess", "assertGreaterEqual")),
    # node, chai, tap, ava
    *(("equal", "notEqual"), ("strictEqual", "notStrictEqual"), ("deepEqual", "notDeepEqual")),
    *(("deepStrictEqual", "notDeepStrictEqual"), ("match", "doesNotMatch"), ("is", "not")),
    *(("true", "false"), ("truthy", "falsy"), ("same", "notSame")),
    # testify
    *(("Equal", "NotEqual"), ("True", "False"), ("Nil", "NotNil"), ("NoError", "Error")),
    *(("Contains", "NotContains"), ("Empty", "NotEmpty"), ("Same", "NotSame")),
    # Rust
    *(("assert_eq", "assert_ne"), ("debug_assert_eq", "debug_assert_ne")),
)
_OPPOSITES: Final[Mapping[str, str]] = {
    **{one: other for pair in _PAIRS for one, other in (pair, pair[::-1])},
    **dict.fromkeys(
        (f"assert{kind}Equal" for kind in ("List", "Dict", "Set", "Tuple", "Sequence")),
        "assertNotEqual",
    ),
    "assertMultiLineEqual": "assertNotEqual",
}


def opposite_of(name: "Node | None") -> tuple[Edit, ...]:
    """Return what turns the name of an assertion into its opposite; nothing if it has none."""
    other = _OPPOSITES.get(source_of(name))
    if name is None or other is None:
        return ()
    return (Edit(name.start_byte, name.end_byte, other.encode()),)


def wrapped(condition: "Node", sign: bytes) -> tuple[Edit, ...]:
    """Return what turns a condition into its opposite."""
    return between(condition.start_byte, condition.end_byte, sign)


def between(start: int, end: int, sign: bytes) -> tuple[Edit, ...]:
    """Return what turns the condition at a place into its opposite."""
    return (Edit(start, start, sign + b"("), Edit(end, end, b")"))
