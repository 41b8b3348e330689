"""JavaScript tests that fail, by an assertion of their own that is turned into its opposite."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.probes.opposites import Which, opposite_of, wrapped
from supervisor_ai.gates.evidence.sources.edits import Edit, applied, tree_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of, walked
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST: Final = re.compile(r"(?:\w+\.)?(?:it|test|specify)(?:\.(?:concurrent|serial))?")
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "function"})
_OWN: Final = _FUNCTIONS | {"function_declaration", "method_definition", "class_declaration"}
_GIVEN: Final = re.compile(r"\(?\s*(?:t|ctx|context|assert)?\s*\)?")
"""What a test may take; who takes a function to call at the end is not made to fail there."""
_ASSERTING: Final = re.compile(r"(?:\w+\.)*(?:assert|strict|t|test|tap)")
_HOLDING: Final = re.compile(r"assert|(?:\w+\.)*(?:assert|strict|t|test|tap)\.(?:ok|assert)")


def failing_script(path: str, source: bytes, which: Which) -> bytes:
    """Let every test of a file fail that runs; raise NoGraft as reading does."""
    root = tree_of(JAVASCRIPT.grammars[PurePosixPath(path).suffix], path, source)
    edits = [edit for test in _tests(root) for edit in _failing(test, which)]
    # A test in another one shares its assertions with it.
    return applied(source, dict.fromkeys(edits))


def _tests(root: "Node") -> Iterator["Node"]:
    for node in walked(root):
        if node.type == "call_expression" and _TEST.fullmatch(source_of(field(node, "function"))):
            arguments = field(node, "arguments")
            given = arguments.named_children if arguments is not None else []
            yield from (it for it in given[1:] if it.type in _FUNCTIONS)


def _failing(function: "Node", which: Which) -> Sequence[Edit]:
    body = field(function, "body")
    if body is None:
        return ()
    opposites = [edits for node in walked(body) if (edits := _opposite(node))]
    return opposites[which.value] if opposites else _at_the_end(function, body)


def _opposite(node: "Node") -> tuple[Edit, ...]:
    function = field(node, "function") if node.type == "call_expression" else None
    if function is None:
        return ()
    said = source_of(function)
    if said == "expect":
        return _not_expected(node)
    if _HOLDING.fullmatch(said):
        arguments = field(node, "arguments")
        given = arguments.named_children if arguments is not None else []
        return wrapped(given[0], b"!") if given else ()
    is_asserting = _ASSERTING.fullmatch(source_of(field(function, "object")))
    return opposite_of(field(function, "property")) if is_asserting else ()


def _not_expected(call: "Node") -> tuple[Edit, ...]:
    """Put a `not` behind what is expected of something, or take it away."""
    chain = call.parent
    following = field(chain, "property")
    if chain is None or chain.type != "member_expression" or following is None:
        return ()
    if source_of(following) == "not":
        return (Edit(call.end_byte, following.end_byte),)
    return (Edit(call.end_byte, call.end_byte, b".not"),)


def _at_the_end(function: "Node", body: "Node") -> Sequence[Edit]:
    takes = source_of(field(function, "parameters")) + source_of(field(function, "parameter"))
    is_plain = body.type == "statement_block" and _GIVEN.fullmatch(takes)
    if not is_plain or _is_left_early(body):
        return ()
    one = len(source_of(body)) % 89 + 11
    said = f'\n;throw new Error("{one} is not {one + 1}");\n'
    return (Edit(body.end_byte - 1, body.end_byte - 1, said.encode()),)


def _is_left_early(body: "Node") -> bool:
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type == "return_statement":
            return True
        stack.extend(child for child in node.named_children if child.type not in _OWN)
    return False
