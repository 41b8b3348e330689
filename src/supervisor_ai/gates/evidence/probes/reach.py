"""What code leads to: the definitions that it names, and those that they name in turn."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.probes.literals import GRAMMARS
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, parsed, source_of
from supervisor_ai.gates.integrity.model import Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD: Final = re.compile(r"[^\W\d]\w*")
_LAST_WORD: Final = re.compile(r"[^\W\d]\w*$")
_NAMES: Final = ("name", "left", "key")
_VALUES: Final = ("body", "value", "right")
_DEEPEST: Final = 4
"""A definition in so many others is a part of them."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of some code."""
    return frozenset(_WORD.findall(text))


def definitions(path: str, source: bytes) -> Iterator[tuple[str, str]]:
    """Yield what a source defines, functions and values alike: a name, and its text."""
    root = parsed(GRAMMARS[PurePosixPath(path).suffix], path, source)
    if isinstance(root, Unreadable):
        return
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        name = _name(node)
        if name:
            yield name, source_of(node)
            depth += 1
        if depth < _DEEPEST:
            stack.extend((child, depth) for child in node.named_children)


def _name(node: "Node") -> str:
    """Return the last word of what a node gives a meaning to; nothing where it is no definition."""
    if all(field(node, each) is None for each in _VALUES):
        return ""
    said = next((found for each in _NAMES if (found := field(node, each)) is not None), None)
    last = _LAST_WORD.search(source_of(said))
    return last[0] if last else ""


class Reach:
    """The definitions of some sources, and what leads to what by its name."""

    def __init__(self, sources: Iterable[tuple[str, bytes]]) -> None:
        self._named: defaultdict[str, set[str]] = defaultdict(set)
        for path, source in sources:
            for name, text in definitions(path, source):
                self._named[name] |= words_of(text)

    def of(self, words: Collection[str]) -> frozenset[str]:
        """Return all definitions that some words lead to."""
        found: set[str] = set()
        news = self._named.keys() & set(words)
        while news:
            found |= news
            named = set[str]().union(*(self._named[name] for name in news))
            news = (self._named.keys() & named) - found
        return frozenset(found)


def changed_names(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> frozenset[str]:
    """Return the names whose definitions are not the same on both sides."""
    old, new = (
        {it for path, source in side.items() for it in definitions(path, source)}
        for side in (before, after)
    )
    return frozenset(name for name, _ in old ^ new)


def forgotten_parameters(path: str, before: bytes, after: bytes) -> frozenset[tuple[str, str]]:
    """Return the parameters that a function used before and does not use any more."""
    if PurePosixPath(path).suffix not in GRAMMARS:
        return frozenset()
    used, unused = (dict(_parameters(path, source)) for source in (before, after))
    return frozenset(
        (name, parameter)
        for name, (_, idle) in unused.items()
        for parameter in idle & used.get(name, (frozenset[str](), idle))[0]
    )


def _parameters(
    path: str, source: bytes
) -> Iterator[tuple[str, tuple[frozenset[str], frozenset[str]]]]:
    """Yield each function with the parameters that it uses, and with those that it does not."""
    root = parsed(GRAMMARS[PurePosixPath(path).suffix], path, source)
    stack = [] if isinstance(root, Unreadable) else [(root, 0)]
    while stack:
        node, depth = stack.pop()
        name, given = _name(node), _given(node)
        if name and given:
            counted = Counter(_WORD.findall(source_of(node)))
            used = frozenset(it for it in given if counted[it] > 1)
            yield name, (used, frozenset(given) - used)
        depth += bool(name)
        if depth < _DEEPEST:
            stack.extend((child, depth) for child in node.named_children)


def _given(node: "Node") -> list[str]:
    """Return the names of the parameters of a function, or of one that is the value of a name."""
    inner = field(node, "value") or node
    single, several = field(inner, "parameter"), field(inner, "parameters")
    parts = [] if several is None else several.named_children
    names = (field(it, "name") or field(it, "pattern") or it for it in (*parts, single) if it)
    words = (_WORD.match(source_of(it)) for it in names)
    return [found[0] for found in words if found is not None]
