"""Which parts of a JavaScript test run, and whose failure makes the test fail."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.javascript_code import (
    FUNCTIONS,
    chain,
    function_of,
    length_of,
    parameters,
    truth,
)
from supervisor_ai.gates.integrity.languages.picking import is_of_table
from supervisor_ai.gates.integrity.languages.placing import Place, Placed, children_at
from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.wording import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

_LOUD_NAMES: Final = frozenset(
    {"expect", "assert", "fail", "done", "reject", "throws", "t", "should", "unreachable", "next"}
)
_ENDING: Final = frozenset(
    {"return_statement", "throw_statement", "break_statement", "continue_statement"}
)
_LEAVING: Final = frozenset({"return_statement", "break_statement"})
# Who says so is no longer listened to.
_DONE: Final = frozenset({"done()", "cb()", "callback()"})
_LATER: Final = frozenset({"setTimeout", "setImmediate", "queueMicrotask", "nextTick", "then"})
_LOOPING: Final = frozenset({"forEach", "map"})
_SKIPS: Final = frozenset({"skip", "todo", "fixme", "pending"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Follows the code of one test."""

    names: Names
    uses: "Mapping[str, int]"
    """How often every name stands in the test."""
    waits: bool = False
    """Whether the test is told when it is done, so that what happens later counts."""
    plans: bool = False
    """Whether the test says how many assertions it makes."""
    context: str = ""
    lists: Names
    """These names and those of the file: tables among them."""

    def steps(self, node: "Node", place: Place) -> Iterator[Placed]:
        """Yield what a node holds, each with its place."""
        match node.type:
            case "statement_block" | "switch_case" | "switch_default" | "program":
                yield from self._sequence(node, place)
            case "if_statement" | "ternary_expression":
                yield from self._branches(node, place)
            case "binary_expression":
                yield from self._shortcut(node, place)
            case "try_statement":
                yield from self._attempt(node, place)
            case "for_in_statement" | "while_statement":
                yield from self._loop(node, place)
            case "expression_statement":
                yield from self._statement(node, place)
            case "call_expression":
                yield from self._call(node, place)
            case "variable_declarator" | "function_declaration":
                is_unused = self._is_unused(node)
                yield from children_at(node, place.dead(when=is_unused))
            case _:
                yield from children_at(node, place)

    def _sequence(self, node: "Node", place: Place) -> Iterator[Placed]:
        has_checked = False
        for child in node.children:
            yield child, place
            if self._ends(child):
                place = place.dead()
            elif self.waits and source_of(child).rstrip(";") in _DONE:
                place = place.caught()
            elif self._may_end(child, place, has_checked=has_checked):
                place = place.conditional()
            has_checked = has_checked or is_loud(child)

    def _may_end(self, node: "Node", place: Place, *, has_checked: bool) -> bool:
        """Tell whether the test goes on only if something holds, and is silent otherwise.

        A row that was checked already may say that this was all.
        """
        then, condition = field(node, "consequence"), field(node, "condition")
        if node.type != "if_statement" or then is None or field(node, "alternative") is not None:
            return False
        if truth(condition, self.names) is not None or is_loud(then):
            return False
        if has_checked and is_of_table(condition, place.bound):
            return False
        last = items(then)[-1:] if then.type == "statement_block" else [then]
        return any(each.type in _ENDING for each in last)

    def _ends(self, node: "Node") -> bool:
        """Tell whether nothing after a statement runs."""
        if node.type in _ENDING or (node.type == "expression_statement" and self.is_skip(node)):
            return True
        branch = field(node, "consequence")
        if node.type != "if_statement" or branch is None:
            return False
        if truth(field(node, "condition"), self.names) is not True:
            return False
        last = items(branch)[-1:] if branch.type == "statement_block" else [branch]
        return any(each.type in _ENDING for each in last)

    def is_skip(self, node: "Node") -> bool:
        """Tell whether a statement skips the test that it stands in."""
        call = node.named_children[0] if node.named_child_count else node
        links = chain(call)
        if len(links) == 1:
            return links[0].name == "pending" and links[0].arguments is not None
        last = links[-1]
        is_ours = links[0].name in {"this", "test", "it", "ctx", "context", self.context}
        if not is_ours or links[1:] != (last,) or last.name not in _SKIPS:
            return False
        given = items(last.arguments)
        is_call = last.arguments is not None and function_of(last.arguments) is None
        return is_call and (not given or truth(given[0]) is not False)

    def _branches(self, node: "Node", place: Place) -> Iterator[Placed]:
        condition = field(node, "condition")
        holds = truth(condition, self.names)
        other = field(node, "alternative")
        is_open = holds is None and not is_of_table(condition, place.bound)
        is_open = is_open and not is_loud(other)
        for child in node.named_children:
            if child == condition:
                yield child, place
            elif child == other:
                yield child, place.dead(when=holds is True).conditional(when=is_open)
            else:
                yield child, place.dead(when=holds is False).conditional(when=is_open)

    def _shortcut(self, node: "Node", place: Place) -> Iterator[Placed]:
        left, right = field(node, "left"), field(node, "right")
        stops = {"&&": False, "||": True}.get(source_of(field(node, "operator")))
        if left is not None:
            yield left, place
        if right is None:
            return
        holds = truth(left, self.names)
        if stops is None or (holds is not None and holds is not stops):
            yield right, place
        else:
            is_open = holds is None and not is_of_table(left, place.bound)
            yield right, place.dead(when=holds is stops).conditional(when=is_open)

    def _attempt(self, node: "Node", place: Place) -> Iterator[Placed]:
        body, catch = field(node, "body"), field(node, "handler")
        is_deaf = catch is not None and not is_loud(catch)
        is_final = _returns(field(node, "finalizer"))
        for child in node.named_children:
            if child == body:
                yield child, place.caught(when=is_deaf or is_final)
            elif child == catch:
                yield child, place.conditional(when=not (self.plans or is_loud(body)))
            else:
                yield child, place

    def _loop(self, node: "Node", place: Place) -> Iterator[Placed]:
        body = field(node, "body")
        within = place
        if node.type == "for_in_statement":
            bound = _identifiers(field(node, "left"))
            count = length_of(field(node, "right"), self.lists)
            is_once = any(each.type in _LEAVING for each in items(body)[-1:])
            within = place.repeated(count, bound, is_once=is_once)
        elif truth(field(node, "condition"), self.names) is False:
            within = place.dead()
        for child in node.named_children:
            yield child, within if child == body else place

    def _statement(self, node: "Node", place: Place) -> Iterator[Placed]:
        for child in node.named_children:
            if child.type != "call_expression":
                yield child, place
                continue
            names = {link.name for link in chain(child)}
            is_late = bool(names & _LATER) and not self.waits
            is_promise = bool(names & {"resolves", "rejects"})
            floating = replace(place, is_floating=True) if is_promise else place
            yield child, floating.caught(when=is_late)

    def _call(self, node: "Node", place: Place) -> Iterator[Placed]:
        callee, arguments = field(node, "function"), field(node, "arguments")
        name = source_of(field(callee, "property"))
        # Who waits for a call does not wait for what its functions start.
        within = replace(place, is_floating=False)
        if callee is not None:
            is_deaf = name == "catch" and not is_loud(arguments)
            yield callee, place.caught(when=is_deaf)
        if name in _LOOPING:
            count = length_of(field(callee, "object"), self.lists)
            function = function_of(arguments)
            within = within.repeated(count, parameters(function))
            # Unlike `Promise.all(list.map(...))`, nobody waits for what forEach starts.
            is_lost = name == "forEach" and source_of(function).startswith("async")
            within = replace(within, is_floating=within.is_floating or is_lost)
        for child in [] if arguments is None else arguments.named_children:
            yield child, within

    def _is_unused(self, node: "Node") -> bool:
        """Tell whether a function is declared and its name stands nowhere else."""
        value = node if node.type == "function_declaration" else field(node, "value")
        name = field(node, "name")
        if value is None or value.type not in FUNCTIONS or name is None:
            return False
        return self.uses.get(source_of(name), 0) <= 1


def is_loud(node: "Node | None") -> bool:
    """Tell whether code passes on that something failed: it throws, asserts, or calls done."""
    if node is None:
        return False
    for found in walked(node):
        if found.type == "throw_statement":
            return True
        if found.type in ("identifier", "property_identifier") and source_of(found) in _LOUD_NAMES:
            return True
    return False


def _returns(node: "Node | None") -> bool:
    return any(each.type == "return_statement" for each in items(field(node, "body")))


def _identifiers(node: "Node | None") -> list[str]:
    return (
        [] if node is None else [source_of(each) for each in walked(node) if not each.child_count]
    )
