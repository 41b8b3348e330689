"""Says whether a file of the corpus can be read by its language."""

import ast
from importlib import import_module
from pathlib import PurePosixPath
from typing import Final

from tree_sitter import Language, Parser

_GRAMMARS: Final = {
    ".js": ("tree_sitter_javascript", "language"),
    ".mjs": ("tree_sitter_javascript", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".go": ("tree_sitter_go", "language"),
    ".rs": ("tree_sitter_rust", "language"),
    ".java": ("tree_sitter_java", "language"),
}


def is_readable(path: str, text: str) -> bool:
    """Parse a file; one whose language nobody knows is readable."""
    ending = PurePosixPath(path).suffix
    if ending == ".py":
        return _is_python(text)
    if ending not in _GRAMMARS:
        return True
    module, name = _GRAMMARS[ending]
    grammar = Language(getattr(import_module(module), name)())
    return not Parser(grammar).parse(text.encode()).root_node.has_error


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
