"""Tests of Go and Rust that fail, by an assertion of their own turned into its opposite."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.probes.opposites import Which, between, opposite_of, wrapped
from supervisor_ai.gates.evidence.sources.edits import Edit, applied, tree_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of, walked
from supervisor_ai.gates.integrity.languages.go.table import GO
from supervisor_ai.gates.integrity.languages.rust.attributes import Attributes, attribute_text
from supervisor_ai.gates.integrity.languages.rust.table import RUST

if TYPE_CHECKING:
    from tree_sitter import Node

_GO_TEST: Final = re.compile(r"Test(?![a-z])\w*")
_GO_FAILS: Final = re.compile(r"\b\w+\.(?:Errorf?|Fatalf?|Fail|FailNow)\(")
_GO_HELPERS: Final = frozenset({"assert", "require", "is", "check"})
_NIL: Final = re.compile(r"\bnil\b")
"""What is missing there is used below: the whole run would end."""
_RUST_IN_FRONT: Final = frozenset({"attribute_item", "line_comment", "block_comment"})
_RUST_HOLDING: Final = frozenset({"assert", "debug_assert"})


def failing_go(path: str, source: bytes, which: Which) -> bytes:
    """Let every test of a file fail that runs; raise NoGraft as reading does."""
    root = tree_of(GO.grammars[".go"], path, source)
    tests = (
        node
        for node in root.named_children
        if node.type == "function_declaration"
        and _GO_TEST.fullmatch(source_of(field(node, "name")))
    )
    return applied(source, [edit for test in tests for edit in _failing_go(test, which)])


def _failing_go(test: "Node", which: Which) -> Sequence[Edit]:
    body, given = field(test, "body"), source_of(field(test, "parameters"))
    if body is None:
        return ()
    opposites = [edits for node in walked(body) if (edits := _opposite_go(node))]
    if opposites:
        return opposites[which.value]
    name = given.strip("()").partition(" ")[0]
    one = len(source_of(body)) % 89 + 11
    said = f'\n\t{name}.Errorf("%d is not %d", {one}, {one + 1})\n'.encode()
    return (Edit(body.end_byte - 1, body.end_byte - 1, said),) if name.isidentifier() else ()


def _opposite_go(node: "Node") -> tuple[Edit, ...]:
    if node.type == "if_statement":
        condition, then = field(node, "condition"), source_of(field(node, "consequence"))
        if condition is None or _NIL.search(source_of(condition)) or not _GO_FAILS.search(then):
            return ()
        return wrapped(condition, b"!")
    function = field(node, "function") if node.type == "call_expression" else None
    if source_of(field(function, "operand")) not in _GO_HELPERS:
        return ()
    return opposite_of(field(function, "field"))


def failing_rust(path: str, source: bytes, which: Which) -> bytes:
    """Let every test of a file fail that runs; raise NoGraft as reading does."""
    root = tree_of(RUST.grammars[".rs"], path, source)
    return applied(source, [edit for body in _rust_tests(root) for edit in _in_rust(body, which)])


def _rust_tests(root: "Node") -> Iterator["Node"]:
    stack = [root]
    while stack:
        texts: list[str] = []
        for node in stack.pop().named_children:
            if node.type in _RUST_IN_FRONT:
                is_one = node.type == "attribute_item"
                texts += [attribute_text(node, RUST)] if is_one else []
                continue
            body = field(node, "body")
            if body is not None and node.type == "mod_item":
                stack.append(body)
            elif body is not None and Attributes(texts=tuple(texts)).is_test:
                yield body
            texts = []


def _in_rust(body: "Node", which: Which) -> Sequence[Edit]:
    opposites = [edits for node in walked(body) if (edits := _opposite_rust(node))]
    if opposites:
        return opposites[which.value]
    one = len(source_of(body)) % 89 + 11
    said = f" assert_eq!({one}, {one + 1});".encode()
    return (Edit(body.start_byte + 1, body.start_byte + 1, said),)


def _opposite_rust(node: "Node") -> tuple[Edit, ...]:
    name = field(node, "macro") if node.type == "macro_invocation" else None
    if source_of(name) not in _RUST_HOLDING:
        return opposite_of(name)
    given = next((it for it in node.children if it.type == "token_tree"), None)
    if given is None or given.end_byte - given.start_byte <= len("()"):
        return ()
    comma = next((it.start_byte for it in given.children if source_of(it) == ","), None)
    return between(given.start_byte + 1, comma or given.end_byte - 1, b"!")
