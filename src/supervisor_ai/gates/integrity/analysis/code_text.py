"""Code as it counts: without blanks and comments, and with local names replaced by their values."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from supervisor_ai.gates.integrity.analysis.names import MAX_VALUE, NO_NAMES, Names
from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of, walked

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_WORDS: Final = 1_000
MAX_BODY_WORDS: Final = 50_000
MAX_OUTSIDE: Final = 2_000_000
_MAX_RESOLUTIONS: Final = 6
_OPERATORS: Final = frozenset("+-*/%&|<>=!?:")
_BRACKETS: Final = "parenthesized_expression"
_COMPOUND: Final = ("_operator", "binary_expression", "conditional_expression")
_CLOSING: Final = frozenset({")", "]", "}"})


class Style(Struct, frozen=True, kw_only=True):
    """How a language writes what does not count."""

    left_out: frozenset[str] = frozenset()
    """Kinds of nodes that say nothing about what is tested: comments, types."""
    whole: frozenset[str] = frozenset()
    """Kinds of nodes that are one word, blanks included: strings."""
    transparent: Mapping[str, str] = field(default_factory=dict)
    """Kinds of nodes that count as one of their fields; "" is the first thing they hold."""
    names: frozenset[str] = frozenset({"identifier"})
    labels: Mapping[str, str] = field(default_factory=dict)
    """Kinds of nodes, and their field that names something of another: `total` of `cart.total`."""
    lines: frozenset[str] = frozenset()
    """Kinds of nodes whose parts stand on lines of their own in the code of a test."""


def wording(node: "Node | None", style: Style, names: Names = NO_NAMES) -> str:
    """Return the code of an expression, every local name replaced by what it is set to."""
    return "" if node is None else _joined(_words(node, style, names), MAX_WORDS)


def body_wording(node: "Node | None", style: Style) -> str:
    """Return the code of a test as it counts."""
    words = () if node is None else _words(node, style, NO_NAMES, lines=style.lines)
    return _joined(words, MAX_BODY_WORDS).strip("\n")


def _joined(words: Iterable[str], limit: int) -> str:
    kept: list[str] = []
    for word in words:
        if word in _CLOSING and kept and kept[-1] == ",":
            kept.pop()
        if word != ";":
            kept.append(word)
        if len(kept) >= limit:
            break
    return "".join(_spaced(kept))


def _spaced(words: list[str]) -> Iterator[str]:
    """Put a blank only where two words would become another one without it."""
    last = ""
    for word in words:
        is_word = _is_wordy(last[-1:]) and _is_wordy(word[:1])
        if is_word or (last[-1:] in _OPERATORS and word[:1] in _OPERATORS and last):
            yield " "
        yield word
        last = word


def _is_wordy(letter: str) -> bool:
    return letter.isalnum() or (letter in ("_", "$", '"', "'", "`") and letter != "")


def _words(
    node: "Node", style: Style, names: Names, *, lines: frozenset[str] = frozenset()
) -> Iterator[str]:
    stack: list[tuple[Node, tuple[str, ...], bool]] = [(node, (), False)]
    room = MAX_VALUE
    while stack:
        outer, trail, is_line = stack.pop()
        found = bare(outer, style)
        if outer is not node and outer.type == _BRACKETS and found.type.endswith(_COMPOUND):
            # Without its brackets, a sum that is multiplied would be another one.
            found = outer
        if found.type in style.left_out or found.is_extra:
            continue
        if is_line:
            yield "\n"
        name = source_of(found) if names is not NO_NAMES and found.type in style.names else ""
        value = names.get(name)
        is_told = name not in trail and len(trail) < _MAX_RESOLUTIONS
        if value is not None and is_told and value.descendant_count <= room:
            room -= value.descendant_count
            stack.append((value, (*trail, name), False))
        elif found.type in style.whole or not found.child_count:
            yield _word(found)
        else:
            label = _label(found, style) if names is not NO_NAMES else None
            is_line = found.type in lines
            stack.extend(
                (child, (*trail, source_of(child)) if child == label else trail, is_line)
                for child in reversed(found.children)
            )


def _label(node: "Node", style: Style) -> "Node | None":
    wanted = style.labels.get(node.type)
    return None if wanted is None else node.child_by_field_name(wanted)


def is_told(asked: str, wanted: str) -> bool:
    """Tell whether a wanted value is made by the very call whose answer it is compared with."""
    if asked == wanted:
        return True
    at = wanted.find(asked) if "(" in asked else -1
    return at >= 0 and not _is_wordy(wanted[at - 1 : at])


class Outside:
    """The values of a file that its tests name, as words, within a bound for the whole file."""

    def __init__(self, values: Mapping[str, "Node"], style: Style) -> None:
        self._values, self._style = values, style
        self._known: dict[str, str] = {}
        self._room = MAX_OUTSIDE

    def told(self, node: "Node") -> Iterator[str]:
        """Yield the values that some code names."""
        if self._values:
            used = {source_of(each) for each in walked(node) if each.type in self._style.names}
            yield from self.named(used)

    def named(self, names: Collection[str]) -> Iterator[str]:
        """Yield the values of some names."""
        for name in sorted(self._values.keys() & names):
            if name not in self._known:
                self._known[name] = wording(self._values[name], self._style)
            self._room -= len(self._known[name])
            if self._room < 0:
                return
            yield self._known[name]


def is_alias(value: "Node", names: Names, style: Style) -> bool:
    """Tell whether a value is only another name for something that does not change."""
    inner = bare(value, style)
    return inner.type in style.names and names.get(source_of(inner)) is not None


def bare(node: "Node", style: Style) -> "Node":
    """Return what counts of a node: without brackets around it, casts and the like."""
    while node.type in style.transparent:
        wanted = style.transparent[node.type]
        inner = node.child_by_field_name(wanted) if wanted else _first(node)
        if inner is None:
            return node
        node = inner
    return node


def _first(node: "Node") -> "Node | None":
    return next((child for child in node.named_children if not child.is_extra), None)


def _word(node: "Node") -> str:
    text = source_of(node)
    is_plain = text[:1] == "'" and len(text) > 1 and not {'"', "\\"} & set(text)
    # The two kinds of quotation marks mean the same where a string may have either.
    return f'"{text[1:-1]}"' if is_plain and node.type == "string" else text
