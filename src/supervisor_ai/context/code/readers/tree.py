"""Reads a syntax tree into entries, by the shape of its language."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.context.code.entry import (
    MAX_MEMBERS,
    MAX_VALUE,
    CodeEntry,
    EntryKind,
    first_sentence,
    one_line,
)
from supervisor_ai.context.code.readers.shape import NodePlace, NodeRole, SyntaxShape
from supervisor_ai.context.code.syntax_tree import SyntaxTree
from supervisor_ai.domain.structs import replace

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH: Final = 12
_COMMENTS: Final = frozenset({"comment", "line_comment", "block_comment"})
_MARKS: Final = frozenset({"attribute_item", "decorator"})
_HOLDERS: Final = frozenset({"variable_declarator", "assignment", "assignment_expression"})
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function"})


def tree_entries(tree: SyntaxTree, shape: SyntaxShape) -> tuple[CodeEntry, ...]:
    """Return what a file declares; what the parser could not place is read as far as it goes."""
    place = NodePlace(exported=shape.exported(tree))
    return tuple(_TreeReader(tree, shape).inside(tree.root, place, 0))


class _TreeReader:
    """Walks declarations only: bodies of functions are never entered."""

    def __init__(self, tree: SyntaxTree, shape: SyntaxShape) -> None:
        self._tree = tree
        self._shape = shape

    def inside(self, parent: "Node", place: NodePlace, depth: int) -> Iterator[CodeEntry]:
        if depth > MAX_DEPTH:
            return
        before: list[Node] = []
        for node in parent.named_children[:MAX_MEMBERS]:
            if node.type in _COMMENTS or node.type in _MARKS:
                before.append(node)
                continue
            marks = [self._tree.text(mark) for mark in before if mark.type in _MARKS]
            yield from self._entries(
                node, replace(place, marks=" ".join(marks)), depth, self._doc(before, node)
            )
            before = []

    def _entries(self, node: "Node", place: NodePlace, depth: int, doc: str) -> Iterator[CodeEntry]:
        role = self._role(node)
        match role:
            case None:
                return
            case NodeRole.GROUP:
                yield from self.inside(node, place, depth + 1)
            case NodeRole.WRAPPER:
                yield from self._wrapped(node, place, depth, doc)
            case _:
                yield self._entry(node, node.start_byte, role, place, depth, doc)

    def _role(self, node: "Node") -> NodeRole | None:
        if node.type == "ERROR":
            return NodeRole.GROUP
        if node.type == "expression_statement" and self._shape.declaring is not None:
            beginning = self._tree.between(node.start_byte, node.start_byte + MAX_VALUE)
            return NodeRole.VALUE if self._shape.declaring.match(beginning) else None
        return self._shape.roles.get(node.type)

    def _wrapped(self, node: "Node", place: NodePlace, depth: int, doc: str) -> Iterator[CodeEntry]:
        exported = place.is_exported or node.type == "export_statement"
        place = replace(place, is_exported=exported)
        for child in node.named_children:
            role = self._shape.roles.get(child.type)
            if role is NodeRole.WRAPPER and depth < MAX_DEPTH:
                yield from self._wrapped(child, place, depth + 1, doc)
                return
            if role is not None:
                yield self._entry(child, node.start_byte, role, place, depth, doc)
                return
        if node.type == "export_statement":
            yield self._export(node, doc)

    def _export(self, node: "Node", doc: str) -> CodeEntry:
        value = node.child_by_field_name("value")
        kind = EntryKind.IMPORT if value is None else EntryKind.VALUE
        return CodeEntry(kind=kind, text=self._value_text(node, node.start_byte), doc=doc)

    def _entry(
        self, node: "Node", start: int, role: NodeRole, place: NodePlace, depth: int, doc: str
    ) -> CodeEntry:
        members: tuple[CodeEntry, ...] = ()
        body = _body(node)
        if role is NodeRole.CONTAINER and body is not None and "cfg(test)" not in place.marks:
            members = tuple(
                self.inside(body, replace(place, container=node.type, is_exported=False), depth + 1)
            )
        return CodeEntry(
            kind=_KINDS.get(role, EntryKind.DEFINITION),
            text=self._shape.prefixes.get(node.type, "") + self._text(node, start, role),
            doc=doc or self._docstring(body),
            is_public=self._shape.is_public(self._tree, node, place),
            members=members,
        )

    def _text(self, node: "Node", start: int, role: NodeRole) -> str:
        if role is NodeRole.VALUE:
            return self._value_text(node, start)
        if node.type == "macro_definition":
            return one_line(self._tree.between(start, node.end_byte)[:MAX_VALUE].partition("{")[0])
        body = _body(node)
        if body is None or role in {NodeRole.LINE, NodeRole.IMPORT}:
            return one_line(self._tree.between(start, node.end_byte)).rstrip(";,")
        # An interface of Go is its own body.
        end = node.end_byte if body.type == "interface_type" else body.start_byte
        text = self._tree.between(start, end)
        if body.type == "interface_type":
            text = text.partition("{")[0]
        return one_line(text).rstrip("{ ")

    def _value_text(self, node: "Node", start: int) -> str:
        value = _value(node)
        function = value is not None and value.type in _FUNCTIONS and _body(value)
        if function:
            return one_line(self._tree.between(start, function.start_byte)).rstrip("{ ")
        text = self._tree.between(start, node.end_byte)
        if value is None or len(text) <= MAX_VALUE:
            return one_line(text).rstrip(";")
        return one_line(self._tree.between(start, value.start_byte) + "...")

    def _doc(self, before: list["Node"], node: "Node") -> str:
        start = node.start_byte
        comments = []
        for comment in reversed(before):
            # Two line breaks between them: the comment speaks of something else.
            if self._tree.between(comment.end_byte, start).count("\n") > 1:
                break
            start = comment.start_byte
            comments.append(comment)
        texts = [self._tree.text(each) for each in reversed(comments) if each.type in _COMMENTS]
        return _said([text for text in texts if text.startswith(self._shape.doc_marks)])

    def _docstring(self, body: "Node | None") -> str:
        first = _first(body) if body is not None and body.type == "block" else None
        if first is None or not self._tree.text(first).startswith(('"', "'")):
            return ""
        return first_sentence(self._tree.text(first).strip("\"'"))


_KINDS: Final = {NodeRole.IMPORT: EntryKind.IMPORT, NodeRole.VALUE: EntryKind.VALUE}


def _body(node: "Node") -> "Node | None":
    body = node.child_by_field_name("body")
    kind = node.child_by_field_name("type")
    if body is not None or kind is None:
        return body
    # A type of Go keeps its members one level deeper.
    if kind.type == "struct_type":
        return _first(kind)
    return kind if kind.type == "interface_type" else None


def _value(node: "Node") -> "Node | None":
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is not None:
        return value
    # The keywords before a declarator are nodes too, so it is not always the first.
    for child in node.named_children[:4]:
        if child.type in _HOLDERS:
            return child.child_by_field_name("value") or child.child_by_field_name("right")
    return None


def _first(node: "Node") -> "Node | None":
    return next(iter(node.named_children), None)


def _said(comments: list[str]) -> str:
    lines = "\n".join(comments)[:4000].splitlines()
    return first_sentence("\n".join(line.strip().strip("/*!").strip() for line in lines))
