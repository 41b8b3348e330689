"""The languages whose tests are read with tree-sitter."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supervisor_ai.gates.integrity.model import Language


def tree_sitter_languages() -> "tuple[Language, ...]":
    """Return a reader for each of these languages; grammars are loaded when a file needs them."""
    from supervisor_ai.gates.integrity.languages.go import Go
    from supervisor_ai.gates.integrity.languages.javascript import JavaScript
    from supervisor_ai.gates.integrity.languages.rust import Rust

    return (JavaScript(), Go(), Rust())
