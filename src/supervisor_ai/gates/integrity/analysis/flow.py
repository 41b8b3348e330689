"""Control flow of a test in any language: which parts run, and whose failure is seen."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec import field as default

from supervisor_ai.gates.integrity.analysis.code import (
    expression_of,
    length_of,
    operator,
    sides,
    statements,
    truth,
)
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable
from supervisor_ai.gates.integrity.analysis.local_names import Scopes
from supervisor_ai.gates.integrity.analysis.names import NO_NAMES, Layers, Names
from supervisor_ai.gates.integrity.analysis.place import CodePlace, Placed, children_at
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    any_below,
    field,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.analysis.table_rows import is_of_table

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.model import Strength


# Whoever writes more ways after one condition does so by machine.
_MAX_CLAUSES: Final = 10


class Flow(Struct, frozen=True, kw_only=True):
    """Follows the code of one test."""

    table: LanguageTable
    scopes: Scopes
    outer: Names = NO_NAMES
    """The values that are set outside of the test."""
    lists: Names = NO_NAMES
    """Those of them that only say how often a loop runs."""
    uses: Mapping[str, int]
    """How often every name stands in the test."""
    testers: frozenset[str] = frozenset()
    """The names of what a test is failed or asked with: `t`."""
    suite: str = ""
    """The name of the suite whose method the test is."""
    libraries: frozenset[str] = frozenset()
    """The names that assertions are asked of: packages, and what was made for the test."""
    waits: bool = True
    """Whether the test waits for what it starts, or is told when that is done."""
    plans: bool = False
    """Whether the test says how many assertions it makes."""
    is_stubbed: bool = False
    """Whether the file has its own assertions, which may check nothing."""
    overwritten: frozenset[tuple[str, str]] = frozenset()
    """What is set again, and to what: a wanted value may become what was found."""
    own: frozenset[str] = frozenset()
    """Functions of the file: what they assert is found where they stand."""
    checkers: "Mapping[str, tuple[int, Strength]]" = default(default_factory=dict)
    """Functions of the file that check one of their parameters: which one, and how much of it."""

    loud: dict[int, bool] = default(default_factory=dict)
    """The nodes of which it is known whether a failure is passed on in them."""

    def names(self, node: "Node") -> Names:
        """Return what the names at a node stand for."""
        return Layers(self.scopes.at(node), self.outer)

    def asking(self, node: "Node") -> Conditions:
        """Return what weighs the conditions at a node."""
        return Conditions(table=self.table, names=self.names(node))

    def length_of(self, node: "Node | None") -> int | None:
        """Return how many items a list has; None if nobody can say."""
        names = NO_NAMES if node is None else self.names(node)
        return length_of(node, self.table, Layers(names, self.lists))

    def truth(self, node: "Node | None") -> bool | None:
        """Tell whether a condition always or never holds; None if it depends."""
        return None if node is None else truth(node, self.table, self.names(node))

    def is_loud(self, node: "Node | None") -> bool:
        """Tell whether code passes on that something failed."""
        is_loud = partial(self.table.is_loud, self)
        return node is not None and any_below(node, is_loud, self.loud)

    def fails(self, block: "Node | None") -> bool:
        """Tell whether a block itself makes the test fail, not a condition within it."""
        inside = map(expression_of, statements(block, self.table))
        return any(self.table.is_failure(self, each) for each in inside)

    def steps(self, node: "Node", place: CodePlace) -> Iterator[Placed]:
        """Yield what a node holds, each with its place."""
        table = self.table
        special = table.steps.get(node.type)
        if special is not None:
            yield from special(self, node, place)
        elif node.type in table.blocks:
            yield from self._sequence(node, place)
        elif node.type in table.branches:
            yield from self._branches(node, place)
        elif node.type in table.loops:
            yield from self._loop(node, place)
        elif node.type in table.attempts:
            yield from self._attempt(node, place)
        elif node.type in table.shortcuts:
            yield from self._shortcut(node, place)
        else:
            yield from children_at(node, place.dead(when=self._is_unused(node)))

    def is_elsewhere(self, condition: "Node | None") -> bool:
        """Tell whether a condition asks for something that differs from machine to machine."""
        asks = self.table.environment
        if asks is None or condition is None:
            return False
        return asks.search(self.asking(condition).worded(condition)) is not None

    def _sequence(self, node: "Node", place: CodePlace) -> Iterator[Placed]:
        has_checked = False
        for child in node.named_children:
            yield child, place
            if self._ends(child) or self._gives_up(child):
                place = place.dead()
            elif self.waits and self.table.done and source_of(child).rstrip(";") in self.table.done:
                place = place.caught()
            elif self._may_end(child, place, has_checked=has_checked):
                is_elsewhere = self.is_elsewhere(field(expression_of(child), "condition"))
                place = place.conditional().dead(when=is_elsewhere)
            has_checked = has_checked or self.is_loud(child)

    def _may_end(self, node: "Node", place: CodePlace, *, has_checked: bool) -> bool:
        """Tell whether the test goes on only if something holds, and is silent otherwise.

        A row that was checked already may say that this was all.
        """
        inner = expression_of(node)
        condition, other = field(inner, "condition"), field(inner, "alternative")
        if inner.type in self.table.guards:
            then = other
        elif inner.type in self.table.branches and other is None:
            then = field(inner, "consequence")
        else:
            return False
        if then is None or self.truth(condition) is not None or self.is_loud(then):
            return False
        if has_checked and self._is_of_table(condition, place):
            return False
        return any(self._is_ending(each) for each in statements(then, self.table)[-1:])

    def _is_of_table(self, condition: "Node | None", place: CodePlace) -> bool:
        names = NO_NAMES if condition is None else self.names(condition)
        return is_of_table(condition, place.bound, self.table, names)

    def _gives_up(self, node: "Node") -> bool:
        """Tell whether a test is over, without a word, where anything goes wrong."""
        inner, table = expression_of(node), self.table
        if inner.type not in table.attempts:
            return False
        silent = [each for each in items(inner) if each.type in table.handlers]
        silent = [each for each in silent if table.catches(each) and not self.is_loud(each)]
        return any(self._returns(each) for each in silent)

    def _is_ending(self, node: "Node") -> bool:
        inner = expression_of(node)
        return inner.type in self.table.endings or self.table.is_exit(self, inner)

    def _ends(self, node: "Node") -> bool:
        """Tell whether nothing after a statement runs."""
        inner = expression_of(node)
        if self._is_ending(inner) or self.table.is_skip(self, inner):
            return True
        if inner.type not in self.table.branches:
            return False
        if self.truth(field(inner, "condition")) is not True:
            return False
        last = statements(field(inner, "consequence"), self.table)[-1:]
        return any(self._ends(each) for each in last)

    def _branches(self, node: "Node", place: CodePlace) -> Iterator[Placed]:
        condition, then = field(node, "condition"), field(node, "consequence")
        others = node.children_by_field_name("alternative") or _later_clauses(node)
        holds = self.truth(condition)
        is_open = holds is None and not self._is_of_table(condition, place)
        is_elsewhere = is_open and self.is_elsewhere(condition)
        is_matched = is_open and any(map(self.is_loud, others))
        is_asked = is_open and self.is_loud(then)
        ways = {each.id for each in others}
        for child in node.named_children:
            is_then = child == then
            if not is_then and child.id not in ways:
                yield child, place
                continue
            is_alone = is_open and not (is_matched if is_then else is_asked)
            is_dead = holds is (not is_then) or (is_alone and is_elsewhere)
            yield child, place.dead(when=is_dead).conditional(when=is_alone)

    def _shortcut(self, node: "Node", place: CodePlace) -> Iterator[Placed]:
        left, right = sides(node)
        stops = {"&&": False, "||": True, "and": False, "or": True}.get(operator(node))
        if left is not None:
            yield left, place
        if right is None:
            return
        holds = self.truth(left)
        if stops is None or (holds is not None and holds is not stops):
            yield right, place
        else:
            is_open = holds is None and not self._is_of_table(left, place)
            yield right, place.dead(when=holds is stops).conditional(when=is_open)

    def _attempt(self, node: "Node", place: CodePlace) -> Iterator[Placed]:
        body, table = field(node, "body"), self.table
        catching = [each for each in items(node) if each.type in table.handlers]
        is_deaf = any(table.catches(each) and not self.is_loud(each) for each in catching)
        is_final = any(self._returns(each) for each in items(node) if each.type in table.finals)
        is_sure = self.plans or any(map(self.is_loud, (body, *_otherwise(node))))
        for child in node.named_children:
            if child == body:
                yield child, place.caught(when=is_deaf or is_final)
            elif child.type == "else_clause":
                yield child, place.conditional(when=is_deaf)
            else:
                is_open = child.type in table.handlers and not is_sure
                yield child, place.conditional(when=is_open)

    def _returns(self, clause: "Node") -> bool:
        return any(each.type == "return_statement" for each in statements(clause, self.table))

    def _loop(self, node: "Node", place: CodePlace) -> Iterator[Placed]:
        body, within = field(node, "body"), place
        header = next((each for each in items(node) if each.type in self.table.each), node)
        if header.type in self.table.each:
            left, right = (field(header, name) for name in self.table.each[header.type])
            is_once = self._leaves_early(body)
            within = place.repeated(self.length_of(right), _leaves(left), is_once=is_once)
        else:
            first = next((each for each in items(node) if each != body), None)
            is_never = truth(field(node, "condition") or first, self.table) is False
            within = place.dead(when=is_never)
        for child in node.named_children:
            yield child, within if child == body else place

    def _leaves_early(self, body: "Node | None") -> bool:
        """Tell whether a loop ends in its first round unless something fails: it tries again."""
        for each in map(expression_of, statements(body, self.table)):
            if each.type in self.table.leavings:
                return True
            tried = (field(each, "body"), *_otherwise(each))
            inside = [it for block in tried for it in statements(block, self.table)]
            if each.type in self.table.attempts and any(
                it.type in self.table.leavings for it in inside
            ):
                return True
        return False

    def _is_unused(self, node: "Node") -> bool:
        """Tell whether a function is kept under a name that stands nowhere else."""
        name = self.table.function_name(node)
        return name is not None and (name == "_" or self.uses.get(name, 0) <= 1)


def _later_clauses(node: "Node") -> list["Node"]:
    """Return the other ways of a condition that is itself one of several."""
    found: list[Node] = []
    other = node.next_named_sibling if node.type == "elif_clause" else None
    while other is not None and other.type.endswith("_clause") and len(found) < _MAX_CLAUSES:
        found.append(other)
        other = other.next_named_sibling
    return found


def _otherwise(attempt: "Node") -> list["Node"]:
    return [each for each in items(attempt) if each.type == "else_clause"]


def _leaves(node: "Node | None") -> list[str]:
    return (
        [] if node is None else [source_of(each) for each in walked(node) if not each.child_count]
    )
