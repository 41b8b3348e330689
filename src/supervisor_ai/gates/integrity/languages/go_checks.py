"""Finds what a Go test checks: conditions that fail it, and calls of assertion libraries."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.go_code import (
    STYLE,
    arguments,
    callee,
    is_constant,
    operator,
    truth,
)
from supervisor_ai.gates.integrity.languages.go_matchers import (
    ABOUT_FIRST,
    CALLS,
    GOMEGA,
    METHODS,
    WANTED,
)
from supervisor_ai.gates.integrity.languages.placing import COMPARISONS, Check, negated
from supervisor_ai.gates.integrity.languages.syntax import field, source_of
from supervisor_ai.gates.integrity.languages.tolerance import of_distance, within
from supervisor_ai.gates.integrity.languages.wording import (
    Names,
    aliases,
    bare,
    is_told,
    wording,
)
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_NEAR: Final = frozenset({"InDelta", "InEpsilon"})
_MAX_PARTS: Final = 50


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Finds checks where these names are known."""

    names: Names

    def condition(self, node: "Node", *, holds: bool) -> Check:
        """Return what is checked by failing unless a condition holds, or does not hold."""
        node, holds = _without_not(node, holds=holds)
        sign = "" if holds else "!"
        return Check(
            text=f"{sign}{wording(node, STYLE, self.names)}",
            subject=wording(self._subject(node), STYLE, self.names),
            strength=self._strength(node, holds=holds),
        )

    def _strength(self, node: "Node", *, holds: bool) -> Strength:
        """Weigh the parts of a condition; who must hold together count as the strongest."""
        parts, kinds = [(node, holds)], []
        weighed: list[Strength] = []
        while parts and len(weighed) < _MAX_PARTS:
            part, wanted = parts.pop()
            part, wanted = _without_not(part, holds=wanted)
            if truth(part, self._scalars) is not None:
                return Strength.NONE
            if part.type == "binary_expression" and operator(part) in ("&&", "||"):
                kinds.append((operator(part) == "&&") is wanted)
                sides = (field(part, "left"), field(part, "right"))
                parts.extend((side, wanted) for side in sides if side is not None)
            else:
                weighed.append(self._part(part, holds=wanted))
        if all(kinds):
            return max(weighed, default=Strength.NONE)
        # One of several is enough: not even the best of them is pinned down.
        return min([*weighed, Strength.PARTIAL])

    @cached_property
    def _known(self) -> Names:
        """The names that stand for something that does not change."""
        return {**aliases(self.names, STYLE), **self._scalars}

    @cached_property
    def _scalars(self) -> Names:
        return {name: value for name, value in self.names.items() if is_constant(value)}

    def _part(self, node: "Node", *, holds: bool) -> Strength:
        node = self._resolved(node)
        if node.type == "call_expression":
            return self._call(node, holds=holds)
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None or operator(node) not in COMPARISONS:
            return Strength.WEAK
        if self._is_same(left, right) or (self._is_constant(left) and self._is_constant(right)):
            return Strength.NONE
        is_equal = (operator(node) == "==") is holds
        if "nil" in (source_of(left), source_of(right)):
            is_panic = wording(left, STYLE, self.names) == "recover()"
            return _of_nil("err" if is_panic else source_of(left), is_nil=is_equal)
        strength = COMPARISONS[operator(node)][0 if holds else 1]
        if strength is Strength.PARTIAL:
            return of_distance(self._worded(left), self._worded(right)) or strength
        return self._differing(left, self._unless_alike(left, right, strength))

    def _differing(self, left: "Node", strength: Strength) -> Strength:
        """Look through `diff != ""` at how the difference was made."""
        made = self._resolved(left)
        if strength is not Strength.EXACT or made.type != "call_expression":
            return strength
        given = arguments(made)
        if callee(made)[1] == "Diff" and len(given) > 1:
            return self._unless_alike(given[0], given[1], strength)
        return strength

    def _call(self, node: "Node", *, holds: bool) -> Strength:
        owner, name = callee(node)
        given = arguments(node)
        strength = CALLS.get(name, Strength.EXACT)
        sides = [bare_owner(node), *given] if len(given) == 1 and owner else given
        if name in CALLS and len(sides) > 1 and None not in sides[:2]:
            first, second = sides[0], sides[1]
            if first is not None and second is not None:
                strength = self._unless_alike(first, second, strength)
        if holds or name not in CALLS:
            return strength
        return negated(strength)

    def _resolved(self, node: "Node") -> "Node":
        node = bare(node, STYLE)
        return bare(self.names.get(source_of(node), node), STYLE) if _is_name(node) else node

    def _is_constant(self, node: "Node") -> bool:
        return is_constant(node, self._scalars)

    def _unless_alike(self, left: "Node", right: "Node", strength: Strength) -> Strength:
        """Return how much a comparison says; nothing if both sides are one, little if both ask."""
        if self._is_same(left, right):
            return Strength.NONE
        is_asked_twice = is_told(self._worded(left), self._worded(right))
        return min(strength, Strength.WEAK) if is_asked_twice else strength

    def _worded(self, node: "Node") -> str:
        return wording(node, STYLE, self.names)

    def _is_same(self, left: "Node", right: "Node") -> bool:
        if self._worded(left) != self._worded(right):
            return False
        return wording(left, STYLE, self._known) == wording(right, STYLE, self._known)

    def _subject(self, node: "Node") -> "Node":
        """Return what a condition is about: the side that is not wanted."""
        for _ in range(_MAX_PARTS):
            node, _holds = _without_not(node, holds=True)
            left, right = field(node, "left"), field(node, "right")
            if node.type == "binary_expression" and left is not None and right is not None:
                is_joined = operator(node) in ("&&", "||")
                swap = truth(left) is not None if is_joined else self._is_wanted(left, right)
                node = right if swap else left
            else:
                break
        inner = self._resolved(node)
        if inner.type == "call_expression" and callee(inner)[1] in CALLS:
            return self._about(arguments(inner)) or node
        return node

    def _about(self, given: list["Node"]) -> "Node | None":
        if len(given) < len(("got", "want")):
            return None
        return given[1] if self._is_wanted(given[0], given[1]) else given[0]

    def _is_wanted(self, first: "Node", second: "Node") -> bool:
        """Tell whether the first of two is what is wanted, and the second what was found."""
        if self._is_plain(first) != self._is_plain(second):
            return self._is_plain(first)
        names = [source_of(each).lower() for each in (first, second)]
        return names[0].startswith(WANTED) and not names[1].startswith(WANTED)

    def _is_plain(self, node: "Node") -> bool:
        return is_constant(node, self.names) or self._resolved(node).type == "composite_literal"

    def call(self, node: "Node", *, has_test: bool) -> Check | None:
        """Return what a call of an assertion library checks; the test may be its first argument."""
        name = callee(node)[1]
        name = name[:-1] if name.endswith("f") and name[:-1] in METHODS else name
        if name not in METHODS:
            return self._expected(node)
        given = arguments(node)[1:] if has_test else arguments(node)
        if not given:
            return None
        subject, wanted = given[0], given[1:3] if name in _NEAR else given[1:2]
        if name not in ABOUT_FIRST and wanted:
            is_first = self._is_plain(wanted[0]) and not self._is_plain(subject)
            found = source_of(subject).lower().startswith(("got", "actual", "result"))
            if not (is_first or found):
                subject, wanted = wanted[0], [subject, *wanted[1:]]
        return self._weighed(name, subject, wanted)

    def _weighed(self, name: str, subject: "Node", wanted: list["Node"]) -> Check:
        if name in ("True", "False", "Assert", "Truef", "Falsef", "Check"):
            found = self.condition(subject, holds=name != "False")
            return replace(found, text=f"{name}({found.text})")
        shown = [subject, *(wanted if name not in ("NoError", "Error", "Nil", "NotNil") else [])]
        shown = wanted if name == "Len" else shown
        words = ", ".join(wording(each, STYLE, self.names) for each in shown)
        about = wording(subject, STYLE, self.names)
        return Check(
            text=f"Equal(len({about}), {words})" if name == "Len" else f"{name}({words})",
            subject=f"len({about})" if name == "Len" else about,
            strength=self._library(name, subject, wanted),
        )

    def _library(self, name: str, subject: "Node", wanted: list["Node"]) -> Strength:
        strength = METHODS[name]
        if self._is_constant(subject):
            return Strength.NONE
        if wanted and name not in ABOUT_FIRST:
            strength = self._unless_alike(subject, wanted[0], strength)
        if name in _NEAR and len(wanted) > 1:
            return within(self._worded(wanted[1]), self._worded(wanted[0])) or strength
        if name == "Nil":
            return _of_nil(source_of(subject), is_nil=True)
        return strength

    def _expected(self, node: "Node") -> Check | None:
        """Read gomega: `Expect(got).To(Equal(3))`."""
        function = field(node, "function")
        verb, inner = callee(node)[1], field(function, "operand")
        if verb not in GOMEGA or inner is None or inner.type != "call_expression":
            return None
        given, matcher = arguments(inner), arguments(node)
        if callee(inner)[1] not in ("Expect", "Ω", "Eventually", "Consistently") or not given:
            return None
        name = callee(matcher[0])[1] if matcher else ""
        strength = METHODS.get(name, CALLS.get(name, Strength.PARTIAL))
        strength = Strength.NONE if self._is_constant(given[0]) else strength
        return Check(
            text=wording(node, STYLE, self.names),
            subject=wording(given[0], STYLE, self.names),
            strength=strength if GOMEGA[verb] else negated(strength),
        )


def bare_owner(node: "Node") -> "Node | None":
    """Return what a method is called on."""
    return field(node, "function", "operand")


def _is_name(node: "Node") -> bool:
    return node.type == "identifier"


def _of_nil(subject: str, *, is_nil: bool) -> Strength:
    if subject.lower().endswith("err") or subject.lower().startswith("err"):
        # No error is what most code gives; some error is one of many.
        return Strength.WEAK if is_nil else Strength.PARTIAL
    return Strength.EXACT if is_nil else Strength.WEAK


def _without_not(node: "Node", *, holds: bool) -> tuple["Node", bool]:
    node = bare(node, STYLE)
    while node.type == "unary_expression" and operator(node) == "!":
        inner = field(node, "operand")
        if inner is None:
            break
        node, holds = bare(inner, STYLE), not holds
    return node, holds
