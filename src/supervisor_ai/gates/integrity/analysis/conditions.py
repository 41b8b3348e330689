"""Conditions that a test makes: what they are about, and how much they pin down."""

import re
from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.gates.integrity.analysis.code import (
    is_constant,
    is_frozen,
    operator,
    resolved,
    sides,
    truth,
    without_not,
)
from supervisor_ai.gates.integrity.analysis.code_text import is_alias, is_told, wording
from supervisor_ai.gates.integrity.analysis.names import Layers, Names, NamesOfKind
from supervisor_ai.gates.integrity.analysis.place import FoundAssertion
from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of
from supervisor_ai.gates.integrity.analysis.tolerance import of_distance
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable

_NAME: Final = re.compile(r"[^\W\d]\w*")
_MAX_PARTS: Final = 50
_JOINING: Final = {"&&": True, "||": False, "??": False, "and": True, "or": False}


class Conditions(Struct, frozen=True, kw_only=True, dict=True):
    """Weighs conditions where these names are known."""

    table: "LanguageTable"
    names: Names
    plain: Strength | None = None
    """How much a plain answer says where a language cannot tell that by itself."""

    def checks(self, node: "Node", *, holds: bool) -> Iterator[FoundAssertion]:
        """Yield what is checked by a condition: each of its parts where all of them must hold."""
        parts = [(node, holds)]
        for _ in range(_MAX_PARTS):
            if not parts:
                return
            part, wanted = parts.pop()
            part, wanted = without_not(part, self.table, holds=wanted)
            is_split = _JOINING.get(operator(part)) is wanted and self.table.splits
            both = [side for side in sides(part) if side is not None] if is_split else []
            is_open = truth(part, self.table, self.scalars) is None
            several = self.table.several(self, part, wanted) if is_open else None
            if both and is_open:
                parts.extend((side, wanted) for side in reversed(both))
            elif several is not None:
                yield from several
            else:
                yield self.check(part, holds=wanted)

    @cached_property
    def _written(self) -> dict[int, str]:
        return {}

    def check(self, node: "Node", *, holds: bool) -> FoundAssertion:
        """Return what is checked by failing unless a condition holds, or does not hold."""
        node, holds = without_not(node, self.table, holds=holds)
        found = self.table.reads(self, node, holds)
        if found is not None:
            return found
        sign = "" if holds else "!"
        return FoundAssertion(
            text=self.table.asserted.format(f"{sign}{self.worded(node)}"),
            subject=self._asked(self.subject(node)),
            strength=self.strength(node, holds=holds),
        )

    def _asked(self, node: "Node") -> str:
        return self.table.asked(self, node) if self.table.asked else self.worded(node)

    def strength(self, node: "Node", *, holds: bool) -> Strength:
        """Weigh the parts of a condition; who must hold together count as the strongest."""
        parts, kinds = [(node, holds)], []
        weighed: list[Strength] = []
        while parts and len(weighed) < _MAX_PARTS:
            part, wanted = parts.pop()
            part, wanted = without_not(part, self.table, holds=wanted)
            if truth(part, self.table, self.scalars) is not None:
                return Strength.NONE
            if operator(part) in _JOINING:
                kinds.append(_JOINING[operator(part)] is wanted)
                parts.extend((side, wanted) for side in sides(part) if side is not None)
            else:
                weighed.append(self._part(self.resolved(part), holds=wanted))
        if all(kinds):
            return max(weighed, default=Strength.NONE)
        # One of several is enough: not even the best of them is pinned down.
        return min([*weighed, Strength.PARTIAL])

    def _part(self, node: "Node", *, holds: bool) -> Strength:
        special = self.table.weigh(self, node, holds)
        if special is not None:
            return special
        left, right = sides(node)
        if left is None or right is None or operator(node) not in self.table.comparisons:
            return Strength.WEAK
        if self.is_same(left, right) or (self.is_constant(left) and self.is_constant(right)):
            return Strength.NONE
        strength = self.table.comparisons[operator(node)][0 if holds else 1]
        if strength is Strength.PARTIAL:
            return of_distance(self.worded(left), self.worded(right)) or strength
        return self.unless_alike(left, right, strength)

    @cached_property
    def known(self) -> Names:
        """The names that stand for something that does not change."""
        is_alias_here = partial(is_alias, names=self.names, style=self.table)
        return Layers(self.scalars, NamesOfKind(self.names, is_alias_here))

    @cached_property
    def scalars(self) -> Names:
        """The names that stand for a constant."""
        return NamesOfKind(self.names, partial(is_frozen, table=self.table))

    def resolved(self, node: "Node") -> "Node":
        """Return what a name stands for; what is no name stands for itself."""
        return resolved(node, self.table, self.names)

    def is_constant(self, node: "Node") -> bool:
        """Tell whether an expression has one value, whatever the code under test does."""
        return is_constant(node, self.table, self.scalars)

    def worded(self, node: "Node | None") -> str:
        """Return code as it counts, with what its names stand for."""
        if node is None or not self.table.keeps_names:
            return wording(node, self.table, self.names)
        if node.id not in self._written:
            self._written[node.id] = wording(self.resolved(node), self.table)
        return self._written[node.id]

    def spelled(self, node: "Node") -> str:
        """Return code with what all its names stand for; nothing if that is how it is written."""
        written = self.worded(node)
        if all(self.names.get(name) is None for name in _NAME.findall(written)):
            return ""
        told = wording(node, self.table, self.names)
        return "" if told == written else told

    def is_same(self, left: "Node", right: "Node") -> bool:
        """Tell whether two sides are one thing, whatever that is."""
        same = self.table.same
        if same(self.worded(left)) != same(self.worded(right)):
            return False
        sides = [same(wording(side, self.table, self.known)) for side in (left, right)]
        return sides[0] == sides[1]

    def unless_alike(self, left: "Node", right: "Node", strength: Strength) -> Strength:
        """Return how much a comparison says; nothing if both sides are one, little if both ask."""
        if self.is_same(left, right):
            return Strength.NONE
        is_asked_twice = is_told(self.worded(left), self.worded(right))
        return min(strength, Strength.WEAK) if is_asked_twice else strength

    def subject(self, node: "Node") -> "Node":
        """Return what a condition is about: the side that is not wanted."""
        for _ in range(_MAX_PARTS):
            node, _holds = without_not(node, self.table, holds=True)
            inner = self.resolved(node)
            left, right = sides(inner)
            if left is None or right is None or not self._is_relation(inner):
                narrower = self.table.about(self, inner)
                if narrower is None:
                    break
                node = narrower
                continue
            is_joined = operator(inner) in _JOINING
            is_other = truth(left, self.table) is not None
            node = right if (is_other if is_joined else self.is_wanted(left, right)) else left
        return node

    def _is_relation(self, node: "Node") -> bool:
        return operator(node) in self.table.comparisons or operator(node) in _JOINING

    def is_wanted(self, first: "Node", second: "Node") -> bool:
        """Tell whether the first of two is what is wanted, and the second what was found."""
        if self.is_plain(first) != self.is_plain(second):
            return self.is_plain(first)
        names = [source_of(each).lower() for each in (first, second)]
        wanted = self.table.wanted
        return names[0].startswith(wanted) and not names[1].startswith(wanted)

    def is_plain(self, node: "Node") -> bool:
        """Tell whether code is a value that is written out."""
        is_value = self.resolved(node).type in self.table.values
        return is_value or is_constant(node, self.table, self.names)
