"""Which parts of a Rust test run, and whose failure makes the test fail."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.picking import is_of_table, mentions
from supervisor_ai.gates.integrity.languages.placing import Place, Placed, children_at
from supervisor_ai.gates.integrity.languages.rust_code import called, length_of, truth
from supervisor_ai.gates.integrity.languages.scoping import Scopes
from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.wording import Names

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDING: Final = frozenset({"return_expression", "break_expression", "continue_expression"})
_LOUD: Final = frozenset({"panic", "unreachable", "todo", "unimplemented", "bail", "Err", "expect"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Follows the code of one test."""

    scopes: Scopes
    uses: Mapping[str, int]
    """How often every name stands in the test."""
    joins: bool = True
    """Whether the test waits for the threads that it starts."""

    def steps(self, node: "Node", place: Place) -> Iterator[Placed]:
        """Yield what a node holds, each with its place."""
        match node.type:
            case "block":
                yield from self._sequence(node, place)
            case "if_expression":
                yield from self._branches(node, place)
            case "match_expression":
                yield from self._match(node, place)
            case "for_expression" | "while_expression":
                yield from self._loop(node, place)
            case "call_expression":
                name = called(node)
                is_deaf = name == "catch_unwind" or (name == "spawn" and not self.joins)
                yield from children_at(node, place.caught(when=is_deaf))
            case "let_declaration":
                yield from children_at(node, place.dead(when=self._is_unused(node)))
            case _:
                yield from children_at(node, place)

    def names(self, node: "Node") -> Names:
        """Return what the names at a node stand for."""
        return self.scopes.at(node)

    def _sequence(self, node: "Node", place: Place) -> Iterator[Placed]:
        has_checked = False
        for child in node.named_children:
            yield child, place
            if self._ends(child):
                place = place.dead()
            elif self._may_end(child, place, has_checked=has_checked):
                place = place.conditional()
            has_checked = has_checked or is_loud(child)

    def _may_end(self, node: "Node", place: Place, *, has_checked: bool) -> bool:
        """Tell whether the test goes on only if something holds, and is silent otherwise.

        A row that was checked already may say that this was all.
        """
        inner = _inner(node)
        condition = field(inner, "condition")
        if inner.type == "let_declaration":
            then = field(inner, "alternative")
        elif inner.type == "if_expression" and field(inner, "alternative") is None:
            then = field(inner, "consequence")
        else:
            return False
        if then is None or truth(condition) is not None:
            return False
        if has_checked and is_of_table(condition, place.bound):
            return False
        return any(self._ends(each) for each in items(then)[-1:]) and not is_loud(then)

    def _ends(self, node: "Node") -> bool:
        inner = _inner(node)
        if inner.type in _ENDING or (
            inner.type == "call_expression"
            and source_of(field(inner, "function")).endswith("::exit")
        ):
            return True
        if inner.type != "if_expression" or truth(field(inner, "condition")) is not True:
            return False
        last = items(field(inner, "consequence"))[-1:]
        return any(each.type in _ENDING or self._ends(each) for each in last)

    def _branches(self, node: "Node", place: Place) -> Iterator[Placed]:
        condition, other = field(node, "condition"), field(node, "alternative")
        then = field(node, "consequence")
        holds = truth(condition, self.names(node))
        is_open = holds is None and not is_of_table(condition, place.bound) and not is_loud(other)
        for child in node.named_children:
            if child == then:
                yield child, place.dead(when=holds is False).conditional(when=is_open)
            elif child == other:
                is_alone = holds is None and not is_loud(then)
                yield child, place.dead(when=holds is True).conditional(when=is_alone)
            else:
                yield child, place

    def _match(self, node: "Node", place: Place) -> Iterator[Placed]:
        body = field(node, "body")
        arms = [each for each in items(body) if each.type == "match_arm"]
        # As long as every arm says something, whichever runs is heard.
        quiet = [arm for arm in arms if not is_loud(field(arm, "value"))]
        is_open = bool(quiet) and not mentions(field(node, "value"), place.bound)
        for child in node.named_children:
            yield child, place.conditional(when=is_open) if child == body else place

    def _loop(self, node: "Node", place: Place) -> Iterator[Placed]:
        body, within = field(node, "body"), place
        if node.type == "for_expression":
            pattern = field(node, "pattern")
            bound = [] if pattern is None else [source_of(each) for each in walked(pattern)]
            count = length_of(field(node, "value"), self.names(node))
            is_once = any(_is_leaving(each) for each in items(body)[-1:])
            within = place.repeated(count, bound, is_once=is_once)
        elif truth(field(node, "condition")) is False:
            within = place.dead()
        for child in node.named_children:
            yield child, within if child == body else place

    def _is_unused(self, node: "Node") -> bool:
        value, pattern = field(node, "value"), field(node, "pattern")
        if value is None or value.type not in ("closure_expression", "async_block"):
            return False
        return pattern is None or self.uses.get(source_of(pattern), 0) <= 1


def _is_leaving(node: "Node") -> bool:
    inner = _inner(node)
    return inner.type in ("return_expression", "break_expression")


def is_loud(node: "Node | None") -> bool:
    """Tell whether code passes on that something failed: it panics, asserts, or gives an error."""
    if node is None:
        return False
    for found in walked(node):
        if found.type in ("call_expression", "macro_invocation"):
            name = called(found)
            if name in _LOUD or "assert" in name:
                return True
    return False


def _inner(node: "Node") -> "Node":
    """Return the expression that a statement is made of."""
    inside = items(node)
    return inside[0] if node.type == "expression_statement" and inside else node
