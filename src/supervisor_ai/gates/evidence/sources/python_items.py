"""Test items of Python modules: doctests, tests beside the code, and what a module runs of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import Examples, TestItems, Where, tree_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of
from supervisor_ai.gates.integrity.languages.python.table import PYTHON

if TYPE_CHECKING:
    from tree_sitter import Node

MENTIONED: Final = re.compile(rb">>>|\bdef test|\bclass \w*Test|testmod|unittest|pytest")
_DEFINED: Final = frozenset({"function_definition", "class_definition"})
_NAMED: Final = re.compile(r"test|Test")
_CHECKS: Final = re.compile(r"(?m)^\s+assert\b|\.assert\w+\(|\braises\(")
_METHOD: Final = re.compile(r"(?m)^\s+(?:async )?def test")
_SELF_TEST: Final = re.compile(r"testmod|unittest\.main|pytest\.main|^\s+assert\b", re.MULTILINE)
_EXAMPLE: Final = re.compile(r"(?m)^[ \t]*>>> [\s\S]*?(?:\n[ \t]*\n|\Z)")


def python_items(path: str, source: bytes) -> TestItems:
    """Find the test items of a module; raise NoGraft where it cannot be understood."""
    root = tree_of(PYTHON.grammars[".py"], path, source)
    spans: dict[Where, list[tuple[int, int]]] = defaultdict(list)
    end = len(source)
    for node in root.named_children:
        if is_test_item(node):
            name = source_of(field(definition_of(node), "name"))
            spans[name,].append((node.start_byte, node.end_byte))
        elif is_main(node):
            # What stands behind it is not there yet when it runs.
            end = min(end, node.start_byte)
    return TestItems(
        spans=dict(spans),
        ends={(): end},
        examples=dict(_examples(root, source)),
        is_by_name=True,
    )


def is_test_item(node: "Node") -> bool:
    """Tell whether a statement of a module is a test, or runs the module's own tests."""
    if is_main(node):
        return _SELF_TEST.search(source_of(node)) is not None
    inner = definition_of(node)
    if inner is None or not _NAMED.match(source_of(field(inner, "name"))):
        return False
    text = source_of(inner)
    is_run = inner.type == "function_definition" or _METHOD.search(text) is not None
    return is_run and _CHECKS.search(text) is not None


def definition_of(node: "Node") -> "Node | None":
    """Return the function or class that a statement defines, without its decorators."""
    inner = field(node, "definition") if node.type == "decorated_definition" else node
    return inner if inner is not None and inner.type in _DEFINED else None


def docstring_of(body: "Node | None") -> "Node | None":
    """Return the string that a body begins with."""
    statements = [] if body is None else [it for it in body.named_children if not it.is_extra]
    if not statements or statements[0].type != "expression_statement":
        return None
    inner = statements[0].named_children
    return statements[0] if len(inner) == 1 and inner[0].type == "string" else None


def is_main(node: "Node") -> bool:
    """Tell whether a statement runs only where the module is the program."""
    condition = source_of(field(node, "condition")) if node.type == "if_statement" else ""
    return "__name__" in condition


def _examples(root: "Node", source: bytes) -> Iterator[tuple[Where, Examples]]:
    seen: Counter[Where] = Counter()
    stack: list[tuple[Where, Node]] = [((), root)]
    while stack:
        where, body = stack.pop()
        yield where, _documentation(body, source)
        for node in body.named_children:
            inner = definition_of(node)
            if inner is not None:
                name = (*where, source_of(field(inner, "name")))
                seen[name] += 1
                inside = (*name, str(seen[name])) if seen[name] > 1 else name
                found = field(inner, "body")
                if found is not None:
                    stack.append((inside, found))


def _documentation(body: "Node", source: bytes) -> Examples:
    found = docstring_of(body)
    if found is not None:
        text = source[found.start_byte : found.end_byte]
        run = "".join(_EXAMPLE.findall(text.decode("utf-8", "replace"))).split()
        return Examples(start=found.start_byte, end=found.end_byte, text=text, run=" ".join(run))
    at = body.start_byte
    indent = source[source.rfind(b"\n", 0, at) + 1 : at]
    return Examples(start=at, end=at, is_open=not indent.strip(), behind=b"\n" + indent)
