"""Which parts of a Go test run, and whose failure makes the test fail."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.go_code import callee, length_of, truth
from supervisor_ai.gates.integrity.languages.go_matchers import FAILING, METHODS, SKIPPING
from supervisor_ai.gates.integrity.languages.picking import is_of_table
from supervisor_ai.gates.integrity.languages.placing import Place, Placed, children_at
from supervisor_ai.gates.integrity.languages.scoping import Scopes
from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.wording import Names

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDING: Final = frozenset(
    {"return_statement", "break_statement", "continue_statement", "goto_statement"}
)
_LEAVING: Final = frozenset({"return_statement", "break_statement"})
_FAKES: Final = ("&testing.T{", "new(testing.T)", "testing.T{")
_WAITING: Final = frozenset({"Wait", "WaitTimeout", "Eventually", "Receive"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Follows the code of one test."""

    scopes: Scopes
    outer: Names
    testers: frozenset[str]
    """The names of what a test is failed with: `t`."""
    suite: str = ""
    """The name of the suite whose method the test is."""
    uses: Mapping[str, int]
    """How often every name stands in the test, without `_ = name`."""
    waits: bool = True
    """Whether the test waits for what it starts."""

    def steps(self, node: "Node", place: Place) -> Iterator[Placed]:
        """Yield what a node holds, each with its place."""
        match node.type:
            case "statement_list":
                yield from self._sequence(node, place)
            case "if_statement":
                yield from self._branches(node, place)
            case "for_statement":
                yield from self._loop(node, place)
            case "go_statement":
                yield from children_at(node, place.caught(when=not self.waits))
            case "short_var_declaration" | "assignment_statement":
                yield from children_at(node, place.dead(when=self._is_unused(node)))
            case _:
                yield from children_at(node, place)

    def names(self, node: "Node") -> Names:
        """Return what the names at a node stand for."""
        return {**self.outer, **self.scopes.at(node)}

    def is_skip(self, node: "Node") -> bool:
        """Tell whether a statement skips the test that it stands in."""
        call = _call_of(node)
        if call is None:
            return False
        owner, name = callee(call)
        return name in SKIPPING and self._is_tester(owner)

    def _is_tester(self, owner: str) -> bool:
        return owner in self.testers or owner.endswith(".T()")

    def is_fake(self, node: "Node", name: str) -> bool:
        """Tell whether what a test is failed with was made by the test itself: nobody hears it."""
        made = source_of(self.names(node).get(name))
        return (made or name).startswith(_FAKES)

    def is_failure(self, node: "Node") -> bool:
        """Tell whether a statement makes the test fail."""
        call = _call_of(node)
        if call is None:
            return False
        owner, name = callee(call)
        if (owner, name) == ("", "panic") or (owner == "log" and name.startswith("Fatal")):
            return True
        if name in FAILING:
            is_library = owner in {"assert", "require", self.suite} and name.startswith("Fail")
            return is_library or self._is_tester(owner)
        return False

    def fails(self, block: "Node | None") -> bool:
        """Tell whether a block itself makes the test fail, not a condition within it."""
        return any(self.is_failure(each) for each in statements(block))

    def _sequence(self, node: "Node", place: Place) -> Iterator[Placed]:
        has_checked = False
        for child in node.named_children:
            yield child, place
            if self._ends(child):
                place = place.dead()
            elif self._may_end(child, place, has_checked=has_checked):
                place = place.conditional()
            has_checked = has_checked or _is_loud(child)

    def _may_end(self, node: "Node", place: Place, *, has_checked: bool) -> bool:
        """Tell whether the test goes on only if something holds, and is silent otherwise.

        A row that was checked already may say that this was all.
        """
        then, condition = field(node, "consequence"), field(node, "condition")
        if node.type != "if_statement" or then is None or field(node, "alternative") is not None:
            return False
        if truth(condition) is not None or _is_loud(then):
            return False
        if has_checked and is_of_table(condition, place.bound):
            return False
        return any(each.type in _ENDING for each in statements(then)[-1:])

    def _ends(self, node: "Node") -> bool:
        if node.type in _ENDING or self.is_skip(node):
            return True
        if node.type == "expression_statement":
            call = _call_of(node)
            return call is not None and callee(call) in (("os", "Exit"), ("runtime", "Goexit"))
        if node.type != "if_statement" or truth(field(node, "condition")) is not True:
            return False
        last = statements(field(node, "consequence"))[-1:]
        return any(each.type in _ENDING or self.is_skip(each) for each in last)

    def _branches(self, node: "Node", place: Place) -> Iterator[Placed]:
        condition, other = field(node, "condition"), field(node, "alternative")
        then = field(node, "consequence")
        holds = truth(condition, self.names(node))
        is_open = holds is None and not is_of_table(condition, place.bound) and other is None
        for child in node.named_children:
            if child == then:
                yield child, place.dead(when=holds is False).conditional(when=is_open)
            elif child == other:
                yield child, place.dead(when=holds is True)
            else:
                yield child, place

    def _loop(self, node: "Node", place: Place) -> Iterator[Placed]:
        body, within = field(node, "body"), place
        header = next((each for each in items(node) if each != body), None)
        if header is not None and header.type == "range_clause":
            count = length_of(field(header, "right"), self.names(node))
            bound = [source_of(each) for each in items(field(header, "left"))]
            is_once = any(each.type in _LEAVING for each in statements(body)[-1:])
            within = place.repeated(count, bound, is_once=is_once)
        elif header is not None and truth(header) is False:
            within = place.dead()
        for child in node.named_children:
            yield child, within if child == body else place

    def _is_unused(self, node: "Node") -> bool:
        names, values = items(field(node, "left")), items(field(node, "right"))
        if len(names) != 1 or not values or values[0].type != "func_literal":
            return False
        name = source_of(names[0])
        if names[0].type != "identifier":
            return False
        return name == "_" or self.uses.get(name, 0) <= 1


def does_wait(function: "Node") -> bool:
    """Tell whether a function waits for what it starts: for a group, or for a channel."""
    for node in walked(function):
        if node.type == "call_expression" and callee(node)[1] in _WAITING:
            return True
        if node.type in ("receive_statement", "select_statement"):
            return True
        if node.type == "unary_expression" and source_of(node).startswith("<-"):
            return True
    return False


def statements(block: "Node | None") -> list["Node"]:
    """Return the statements of a block."""
    inside = items(block)
    return items(inside[0]) if inside and inside[0].type == "statement_list" else inside


def is_deaf(node: "Node") -> bool:
    """Tell whether a deferred function catches a panic and keeps quiet about it."""
    words = {source_of(each) for each in walked(node) if not each.named_child_count}
    return "recover" in words and not words & (FAILING | {"panic", "Equal", "NotNil", "Nil"})


def _is_loud(node: "Node") -> bool:
    """Tell whether code fails or skips the test, or asserts something."""
    calls = (callee(each)[1] for each in walked(node) if each.type == "call_expression")
    return any(name in FAILING | SKIPPING | METHODS.keys() or name == "panic" for name in calls)


def _call_of(node: "Node") -> "Node | None":
    inside = items(node)
    is_call = node.type == "expression_statement" and inside[:1] != []
    return inside[0] if is_call and inside[0].type == "call_expression" else None
