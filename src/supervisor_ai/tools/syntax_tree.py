"""Tree-sitter parser for source of which nobody knows who wrote it: bounded in time and depth."""

from functools import cache
from importlib import import_module
from time import thread_time
from typing import TYPE_CHECKING, Final, NamedTuple, cast

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Tree

_CHUNK: Final = 1024
_LANGUAGES: Final = ("go", "java", "javascript", "python", "rust", "typescript")
PARSERS: Final = ("tree_sitter", *(f"tree_sitter_{it}" for it in _LANGUAGES))
"""The packages that parsing may import."""


class Grammar(NamedTuple):
    """A grammar by the module and function that hold it; it is loaded when a file needs it."""

    module: str
    function: str = "language"


@cache
def load_grammar(grammar: Grammar) -> "Language":
    """Return what tree-sitter knows of a language."""
    from tree_sitter import Language

    found = getattr(import_module(grammar.module), grammar.function)
    return Language(cast("object", found()))


def parse_in_time(grammar: Grammar, source: bytes, *, seconds: float) -> "tuple[Tree, bool]":
    """Parse a text, broken or not; and tell whether the end was not reached in time.

    What lies beyond counts as not there. Nodes of this tree cannot be asked for their text.
    """
    from tree_sitter import Parser

    deadline = thread_time() + seconds
    is_late = False

    # The end of the file is the one signal that stops the parser in the midst of a recovery.
    def read(offset: int, _point: "Point") -> bytes:
        nonlocal is_late
        is_late = is_late or thread_time() > deadline
        return b"" if is_late else source[offset : offset + _CHUNK]

    return Parser(load_grammar(grammar)).parse(read), is_late


def parse_whole(grammar: Grammar, source: bytes) -> "Node":
    """Parse a text that was parsed in time before; its nodes can be asked for their text."""
    from tree_sitter import Parser

    return Parser(load_grammar(grammar)).parse(source).root_node


def is_deeper(root: "Node", depth: int) -> bool:
    """Tell whether a tree has more levels than a number."""
    cursor, level = root.walk(), 0
    while True:
        if cursor.goto_first_child():
            level += 1
            if level > depth:
                return True
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            level -= 1
