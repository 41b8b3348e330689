"""Test items of Rust: what is there in test builds only, and examples in documentation."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.gates.evidence.sources.edits import Examples, TestItems, Where, tree_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of
from supervisor_ai.gates.integrity.languages.rust.attributes import Attributes, attribute_text
from supervisor_ai.gates.integrity.languages.rust.table import RUST

if TYPE_CHECKING:
    from tree_sitter import Node

MENTIONED: Final = re.compile(rb"\btest|```|proptest|quickcheck")
_NEGATED: Final = re.compile(r"not\s*\((?:[^()]|\([^()]*\)){0,500}\)")
_TEST: Final = re.compile(r"\btest\b")
_IN_FRONT: Final = frozenset({"attribute_item", "line_comment", "block_comment"})
_AROUND: Final = frozenset({"mod_item", "impl_item", "trait_item"})
_TEST_MACRO: Final = re.compile(r"(?:\w+::)*(?:proptest|quickcheck)\s*!|[\s\S]{0,5000}#\[test\]")
_OUTER, _INNER = b"///", b"//!"
_FENCE: Final = re.compile(r"(?m)^[ \t]*//[/!][ ]?[ \t]*```[\s\S]*?^[ \t]*//[/!][ ]?[ \t]*```")


class _Item(Struct, frozen=True, kw_only=True):
    node: "Node"
    start: int
    """Where its attributes and documentation begin."""
    is_test: bool


def rust_items(path: str, source: bytes) -> TestItems:
    """Find the test items of a source; raise NoGraft where it cannot be understood."""
    root = tree_of(next(iter(RUST.grammars.values())), path, source)
    spans: dict[Where, list[tuple[int, int]]] = defaultdict(list)
    ends: dict[Where, int] = {(): len(source)}
    examples: dict[Where, Examples] = {("//!",): _inner_documentation(source)}
    stack: list[tuple[Where, Node]] = [((), root)]
    while stack:
        where, container = stack.pop()
        for item in _items_of(container):
            if item.is_test:
                spans[where].append((item.start, item.node.end_byte))
                continue
            inside = (*where, _name(item.node))
            examples.setdefault(inside, _documentation(source, item.node))
            body = field(item.node, "body")
            if item.node.type in _AROUND and body is not None:
                ends[inside] = body.end_byte - 1
                stack.append((inside, body))
    return TestItems(spans=dict(spans), ends=ends, examples=examples)


def _items_of(container: "Node") -> Iterator[_Item]:
    """Return items with what stands in front of them."""
    start: int | None = None
    texts: list[str] = []
    for node in container.named_children:
        if node.type in _IN_FRONT:
            is_own = node.type == "attribute_item" or source_of(node).startswith(("///", "/**"))
            start = node.start_byte if start is None and is_own else start
            if node.type == "attribute_item":
                texts.append(attribute_text(node, RUST))
            continue
        is_test = _is_test(node, texts)
        yield _Item(node=node, start=node.start_byte if start is None else start, is_test=is_test)
        start, texts = None, []


def _is_test(node: "Node", texts: list[str]) -> bool:
    if Attributes(texts=tuple(texts)).is_test or any(map(_is_for_tests, texts)):
        return True
    is_macro = node.type in ("macro_invocation", "expression_statement")
    return is_macro and _TEST_MACRO.match(source_of(node)) is not None


def _is_for_tests(text: str) -> bool:
    return text.startswith("cfg(") and _TEST.search(_NEGATED.sub("", text)) is not None


def _name(node: "Node") -> str:
    """Name an item so that it is found again: an `impl` by its type and its trait."""
    if node.type == "impl_item":
        return f"impl {source_of(field(node, 'trait'))} for {source_of(field(node, 'type'))}"
    return f"{node.type} {source_of(field(node, 'name'))}"


def _documentation(source: bytes, node: "Node") -> Examples:
    """Find the lines of documentation above an item and its attributes."""
    end = _above(source, source.rfind(b"\n", 0, node.start_byte) + 1, b"#[")
    return _examples(source, _above(source, end, _OUTER), end)


def _above(source: bytes, at: int, mark: bytes) -> int:
    """Go up over the lines that begin with a mark."""
    while at > 0:
        start = source.rfind(b"\n", 0, at - 1) + 1
        if not source[start:at].lstrip().startswith(mark):
            break
        at = start
    return at


def _inner_documentation(source: bytes) -> Examples:
    """Find the lines of documentation at the top of a file."""
    at = end = 0
    for line in source.splitlines(keepends=True):
        is_documentation = line.lstrip().startswith(_INNER)
        if line.strip() and not is_documentation:
            break
        at += len(line)
        end = at if is_documentation else end
    return _examples(source, 0, end)


def _examples(source: bytes, start: int, end: int) -> Examples:
    text = source[start:end]
    run = "\n".join(_FENCE.findall(text.decode("utf-8", "replace")))
    return Examples(start=start, end=end, text=text, run=run)
