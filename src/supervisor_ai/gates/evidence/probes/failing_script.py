"""JavaScript tests that fail at their end, by an assertion such as they make themselves."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import Edit, applied, tree_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of, walked
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST: Final = re.compile(r"(?:\w+\.)?(?:it|test|specify)(?:\.(?:concurrent|serial))?")
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "function"})
_OWN: Final = _FUNCTIONS | {"function_declaration", "method_definition", "class_declaration"}
_GIVEN: Final = re.compile(r"\(?\s*(?:t|ctx|context|assert)?\s*\)?")
"""What a test may take; who takes a function to call at the end is left alone."""
_EQUAL: Final = re.compile(
    r"\b(?:assert|t|test|chai\.assert)\.(?:strictEqual|equal|deepEqual|deepStrictEqual|is|same)(?=\()"
)
_CHAINED: Final = re.compile(r"\)\.(to\.(?:equal|eql|be\.equal)|toBe|toEqual|toStrictEqual)\(")


def failing_script(path: str, source: bytes) -> bytes:
    """Let every test of a file fail that comes to its end; raise NoGraft as reading does."""
    root = tree_of(JAVASCRIPT.grammars[PurePosixPath(path).suffix], path, source)
    return applied(source, [_failing(body) for body in _bodies(root)])


def _bodies(root: "Node") -> Iterator["Node"]:
    for node in walked(root):
        if node.type == "call_expression" and _TEST.fullmatch(source_of(field(node, "function"))):
            arguments = field(node, "arguments")
            given = arguments.named_children if arguments is not None else []
            yield from (body for it in given[1:] if (body := _body(it)) is not None)


def _body(function: "Node") -> "Node | None":
    body = field(function, "body")
    if function.type not in _FUNCTIONS or body is None or body.type != "statement_block":
        return None
    takes = source_of(field(function, "parameters")) + source_of(field(function, "parameter"))
    return body if _GIVEN.fullmatch(takes) and not _is_left_early(body) else None


def _is_left_early(body: "Node") -> bool:
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type == "return_statement":
            return True
        stack.extend(child for child in node.named_children if child.type not in _OWN)
    return False


def _failing(body: "Node") -> Edit:
    text = source_of(body)
    one = len(text) % 89 + 11
    equal, chained = _EQUAL.search(text), _CHAINED.search(text)
    if equal is not None:
        said = f"{equal[0]}({one}, {one + 1});"
    elif chained is not None and "expect(" in text:
        said = f"expect({one}).{chained[1]}({one + 1});"
    else:
        said = f'throw new Error("{one} is not {one + 1}");'
    return Edit(body.end_byte - 1, body.end_byte - 1, f"\n;{said}\n".encode())
