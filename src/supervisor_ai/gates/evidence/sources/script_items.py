"""Test items of JavaScript and TypeScript: the tests that vitest finds within a module."""

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import TestItems, tree_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT

if TYPE_CHECKING:
    from tree_sitter import Node

MENTIONED: Final = re.compile(rb"import\.meta\.vitest")


def script_items(path: str, source: bytes) -> TestItems:
    """Find the test items of a module; raise NoGraft where it cannot be understood."""
    root = tree_of(JAVASCRIPT.grammars[PurePosixPath(path).suffix], path, source)
    spans = [(node.start_byte, node.end_byte) for node in root.children if is_test_item(node)]
    return TestItems(spans={(): spans} if spans else {}, ends={(): len(source)}, examples={})


def is_test_item(node: "Node") -> bool:
    """Tell whether a statement of a module is there for vitest alone."""
    condition = source_of(field(node, "condition")) if node.type == "if_statement" else ""
    return "import.meta.vitest" in condition
