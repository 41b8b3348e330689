"""Finds what a call in a JavaScript test checks, and how much of it."""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.javascript_code import (
    FUNCTIONS,
    STYLE,
    Link,
    chain,
    is_constant,
    is_scalar,
    truth,
)
from supervisor_ai.gates.integrity.languages.javascript_matchers import (
    ABSENT,
    ALL_NAMES,
    ANYTHING,
    COUNTING,
    EQUALITY,
    FILLERS,
    GENERIC_ERRORS,
    MATCHERS,
    NO_CHECKS,
    SOMETHING,
    STRICT_TRUTH,
    THROWING,
    TRUTH,
)
from supervisor_ai.gates.integrity.languages.placing import Check, negated
from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of
from supervisor_ai.gates.integrity.languages.tolerance import of_digits, of_distance, within
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

_ASSERTING: Final = frozenset({"assert", "chai", "sinon", "should"})
_COMPARISONS: Final = {
    **dict.fromkeys(("===", "=="), (Strength.EXACT, Strength.WEAK)),
    **dict.fromkeys(("!==", "!="), (Strength.WEAK, Strength.EXACT)),
    **dict.fromkeys(("<", ">", "<=", ">=", "in"), (Strength.PARTIAL, Strength.PARTIAL)),
    "instanceof": (Strength.WEAK, Strength.WEAK),
}
_RELATIONS: Final = frozenset({*_COMPARISONS, "||", "&&", "??"})
_PREDICATES: Final = ("is", "has", "can", "includes", "every", "some", "test", "starts", "ends")
_SEARCHING: Final = frozenset({"includes", "startsWith", "endsWith", "some", "test", "match"})
_MOCKS: Final = ("jest.fn", "vi.fn", "sinon.spy", "sinon.stub", "sinon.fake", "mock.fn", "td.func")
# The ways to ask a mock how often, and with what, it was called.
_COUNTED: Final = re.compile(r"\.(?:calledOnce|calledTwice|called|mock\.calls\.length)$")
_ARGUMENTS: Final = re.compile(
    r"\.(?:mock\.calls(?:\[\d\])?|mock\.lastCall|firstCall\.args|lastCall\.args|args\[\d\])$"
)
_NEAR: Final = frozenset({"toBeCloseTo", "closeTo", "approximately", "almostEqual"})
_TYPES: Final = frozenset({"expectTypeOf", "assertType"})
"""They check types, when the code is compiled."""
_EXPECTING: Final = _TYPES | {"expect"}


def checks(
    names: Names,
    *,
    context: str = "",
    is_stubbed: bool = False,
    overwritten: frozenset[tuple[str, str]] = frozenset(),
) -> "Checks":
    """Return what finds checks where these names are set once."""
    # A mock is known by its name: how it was made says nothing about what is checked.
    names = {name: it for name, it in names.items() if not source_of(it).startswith(_MOCKS)}
    scalars = {name: value for name, value in names.items() if is_scalar(value)}
    return Checks(
        names=names,
        scalars=scalars,
        aliases={**aliases(names, STYLE), **scalars},
        context=context,
        is_stubbed=is_stubbed,
        overwritten=overwritten,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """Finds checks in a test whose names are known."""

    names: Names
    scalars: Names
    aliases: Names
    context: str = ""
    """The first parameter of the test, which some runners ask to assert."""
    is_stubbed: bool = False
    """Whether the file has its own `expect`, which may check nothing."""
    overwritten: frozenset[tuple[str, str]] = frozenset()
    """What is set again, and to what: a wanted value may become what was found."""

    def of(self, node: "Node") -> Check | None:
        """Return what a chain of calls checks, or None if it checks nothing."""
        links = chain(node)
        found = self._expected(links, node) or self._asserted(links, node)
        if found is not None and self.is_stubbed:
            return replace(found, strength=Strength.NONE)
        return found

    def _expected(self, links: tuple[Link, ...], node: "Node") -> Check | None:
        names = [link.name for link in links]
        start = next((place for place, name in enumerate(names) if name in _EXPECTING), None)
        if start is None:
            return self._should(links, node)
        call = links[start]
        if call.arguments is None and names[start + 1 : start + 2] in (["soft"], ["poll"]):
            call = links[start + 1]
        if call.arguments is None or set(names) & NO_CHECKS:
            return None
        if start and names[start - 1] not in ("chai", self.context, "t"):
            return self._requested(links, node)
        subjects = items(call.arguments)
        rest = [link for link in links[start + 1 :] if link.name not in FILLERS]
        is_not = names.count("not") % 2 == 1
        if call.name in _TYPES:
            words = " ".join(source_of(node).split())
            return Check(text=words, subject=words.split(".to")[0], strength=Strength.PARTIAL)
        if not subjects or not rest:
            return self._check(node, subjects[0] if subjects else None, Strength.NONE)
        return self._matched(node, subjects[0], rest, is_not=is_not)

    def _should(self, links: tuple[Link, ...], node: "Node") -> Check | None:
        names = [link.name for link in links]
        if "should" not in names[1:] or links[names.index("should", 1)].arguments is not None:
            return None
        start = names.index("should", 1)
        rest = [link for link in links[start + 1 :] if link.name not in FILLERS]
        subject = field(links[start].node, "object")
        if not rest or subject is None:
            return None
        return self._matched(node, subject, rest, is_not="not" in names)

    def _requested(self, links: tuple[Link, ...], node: "Node") -> Check:
        """Read `request(app).get("/").expect(200)`."""
        calls = [link for link in links if link.name == "expect"]
        subject = field(calls[0].node, "object")
        return self._check(node, subject, Strength.EXACT)

    def _matched(
        self, node: "Node", subject: "Node", rest: list[Link], *, is_not: bool
    ) -> Check | None:
        name, wanted = rest[-1].name, items(rest[-1].arguments)
        if name in EQUALITY and self._is_swapped(subject, wanted):
            subject, wanted = wanted[0], [subject]
        strength = self._strength(name, subject, wanted, is_not=is_not)
        if len(rest) > 1 and rest[-2].name == "property" and rest[-2].arguments is not None:
            strength = max(strength, Strength.PARTIAL)
        found = self._check(node, subject, strength)
        if name in ("toHaveLength", "lengthOf", "length"):
            # What is pinned down is the length, not the items.
            about = f"{found.subject}.length"
            words = ", ".join(wording(each, STYLE, self.names) for each in wanted)
            return replace(found, subject=about, text=f"{about} == {words}")
        if name in COUNTING:
            return replace(found, subject=f"{found.subject}.callCount")
        is_plain = name in EQUALITY and not is_not and bool(wanted) and len(rest) == 1
        if is_plain and ".rejects." not in source_of(node):
            return replace(found, text=self._equation(subject, wanted[0]))
        return found

    def _equation(self, subject: "Node", wanted: "Node") -> str:
        """Write a comparison in one way, whatever the library that makes it."""
        sides = (wording(each, STYLE, self.names) for each in (subject, wanted))
        return " == ".join(sides)

    def _asserted(self, links: tuple[Link, ...], node: "Node") -> Check | None:
        names = [link.name for link in links]
        arguments = links[-1].arguments
        is_asking = names[0] in _ASSERTING or (names[0] == self.context != "")
        name = names[-1]
        if arguments is None or name in NO_CHECKS or not (is_asking or name.startswith("assert")):
            return None
        if names[0] == self.context and name not in ALL_NAMES:
            return None
        if names[0] == "sinon" and "assert" not in names:
            return None
        given = items(arguments)
        if field(node, "type_arguments") is not None and len(given) == 1 and is_constant(given[0]):
            words = " ".join(source_of(node).split())
            return Check(text=words, subject=words, strength=Strength.PARTIAL)
        if not given or (given[0].type in FUNCTIONS and name not in THROWING | MATCHERS.keys()):
            return None
        subject, wanted = given[0], given[1:3] if name in _NEAR else given[1:2]
        if name in EQUALITY and self._is_swapped(subject, wanted):
            subject, wanted = wanted[0], [subject]
        strength = self._strength(name, subject, wanted, is_not=False)
        found = self._check(node, subject, strength)
        if name in EQUALITY and wanted:
            return replace(found, text=self._equation(subject, wanted[0]))
        # The last argument may be a message, which checks nothing.
        shown = [subject] if name in TRUTH else [subject, *wanted]
        words = ", ".join(wording(each, STYLE, self.names) for each in shown)
        return replace(found, text=f"{'.'.join(names)}({words})")

    def _check(self, node: "Node", subject: "Node | None", strength: Strength) -> Check:
        about = wording(_examined(_called(subject)), STYLE, self.names)
        return Check(
            text=wording(node, STYLE, self.names),
            subject=_ARGUMENTS.sub("", _COUNTED.sub(".callCount", about)),
            strength=strength,
        )

    def _is_swapped(self, subject: "Node", wanted: list["Node"]) -> bool:
        if not wanted or not self._is_constant(subject):
            return False
        return not self._is_constant(wanted[0])

    def _is_constant(self, node: "Node") -> bool:
        return is_constant(node, self.scalars)

    def _strength(
        self, name: str, subject: "Node", wanted: list["Node"], *, is_not: bool
    ) -> Strength:
        if self._is_constant(subject):
            return Strength.NONE
        if wanted and name in EQUALITY:
            return self._equal(subject, wanted[0], is_not=is_not)
        if name in TRUTH:
            return self._condition(subject, TRUTH[name] is not is_not, name in STRICT_TRUTH)
        if is_not:
            return ABSENT.get(name, negated(_plain(name, wanted)))
        return _plain(name, wanted)

    def _equal(self, subject: "Node", wanted: "Node", *, is_not: bool) -> Strength:
        if bare(wanted, STYLE).type in ("true", "false"):
            is_true = bare(wanted, STYLE).type == "true"
            return self._condition(subject, is_true is not is_not, is_exact=not is_not)
        is_overwritten = (source_of(wanted), source_of(subject)) in self.overwritten
        if self._is_same(subject, wanted) or is_overwritten:
            return Strength.NONE
        is_kind = bare(subject, STYLE).type == "unary_expression" and _operator(
            bare(subject, STYLE)
        ) in ("typeof", "!")
        if is_not or is_kind or is_told(self._worded(subject), self._worded(wanted)):
            return Strength.WEAK
        return _looseness(wanted)

    def _is_same(self, subject: "Node", wanted: "Node") -> bool:
        subject = bare(subject, STYLE)
        expected = wording(wanted, STYLE, self.aliases)
        if subject.type == "binary_expression" and _operator(subject) in ("||", "??"):
            return wording(field(subject, "right"), STYLE, self.aliases) == expected
        return wording(subject, STYLE, self.aliases) == expected

    def _condition(self, node: "Node", holds: bool, is_exact: bool) -> Strength:  # noqa: FBT001 - a pair of facts
        """Return how much it says that a condition holds, or that it does not."""
        node = bare(node, STYLE)
        while node.type == "unary_expression" and _operator(node) == "!":
            inner = field(node, "argument")
            if inner is None:
                break
            node, holds = bare(inner, STYLE), not holds
        if truth(node, self.scalars) is not None:
            return Strength.NONE
        if node.type == "binary_expression":
            return self._compared(node, holds=holds)
        if node.type == "call_expression" and chain(node)[-1].name in _SEARCHING:
            return Strength.PARTIAL if holds else Strength.WEAK
        if is_exact:
            return Strength.EXACT
        is_predicate = node.type == "call_expression" and chain(node)[-1].name.startswith(
            _PREDICATES
        )
        return Strength.PARTIAL if is_predicate else Strength.WEAK

    def _compared(self, node: "Node", *, holds: bool) -> Strength:
        left, right, operator = field(node, "left"), field(node, "right"), _operator(node)
        if left is None or right is None:
            return Strength.WEAK
        if operator in ("&&", "||"):
            sides = [_shallow(bare(side, STYLE), holds=holds) for side in (left, right)]
            # Where one of several is enough, not even the best of them is pinned down.
            is_both = (operator == "&&") is holds
            return max(sides) if is_both else min([*sides, Strength.PARTIAL])
        if self._is_same(left, right):
            return Strength.NONE
        strength = _shallow(node, holds=holds)
        if strength is not Strength.PARTIAL:
            return strength
        return of_distance(self._worded(left), self._worded(right)) or strength

    def _worded(self, node: "Node") -> str:
        return wording(node, STYLE, self.names)


def _shallow(node: "Node", *, holds: bool) -> Strength:
    if node.type != "binary_expression":
        return Strength.WEAK
    sides = _COMPARISONS.get(_operator(node), (Strength.WEAK, Strength.WEAK))
    if source_of(field(node, "left")).startswith("typeof"):
        return Strength.WEAK
    if source_of(field(node, "right")) in ("null", "undefined") and _operator(node) == "!=":
        return Strength.WEAK
    return sides[0] if holds else sides[1]


def _plain(name: str, wanted: list["Node"]) -> Strength:
    expected = wanted[0] if wanted else None
    if name in THROWING:
        has_error = source_of(expected) not in GENERIC_ERRORS
        return Strength.EXACT if has_error else Strength.PARTIAL
    if name in ("toHaveProperty", "property", "toHaveAttribute"):
        return Strength.EXACT if len(wanted) > 1 else Strength.PARTIAL
    if name == "toMatchInlineSnapshot":
        return Strength.EXACT if wanted else Strength.PARTIAL
    if name in _NEAR:
        return _near(name, wanted)
    strength = MATCHERS.get(name, Strength.PARTIAL)
    if strength is Strength.EXACT and wanted:
        return min(_looseness(each) for each in wanted)
    return strength


def _near(name: str, wanted: list["Node"]) -> Strength:
    """Weigh a comparison with a tolerance; without one, two digits must agree."""
    texts = [source_of(each) for each in wanted]
    if len(texts) < len(("value", "tolerance")):
        return Strength.EXACT
    if name == "toBeCloseTo":
        return of_digits(texts[1])
    return within(texts[1], texts[0]) or Strength.PARTIAL


def _looseness(wanted: "Node") -> Strength:
    """Return how much a wanted value pins down: it may leave parts of itself open."""
    text = source_of(wanted)
    if text.startswith(ANYTHING):
        return Strength.WEAK
    return Strength.PARTIAL if any(part in text for part in SOMETHING) else Strength.EXACT


def _called(node: "Node | None") -> "Node | None":
    """Return what a function without parameters does: `() => f(2)` is checked as `f(2)`."""
    if node is None or bare(node, STYLE).type not in ("arrow_function", "function_expression"):
        return node
    body = field(bare(node, STYLE), "body")
    inside = items(body)
    if body is not None and body.type == "statement_block" and len(inside) == 1:
        return next(iter(items(inside[0])), body)
    return body


def _examined(node: "Node | None") -> "Node | None":
    """Return what a condition is about: `f(2) > 3` and `f(2).includes(3)` are about `f(2)`."""
    found = node
    while found is not None:
        node, found = found, _narrower(bare(found, STYLE))
    return node


def _narrower(node: "Node") -> "Node | None":
    if node.type == "binary_expression" and _operator(node) in _RELATIONS:
        left, right = field(node, "left"), field(node, "right")
        return right if is_constant(left) and not is_constant(right) else left
    if node.type == "unary_expression" and _operator(node) in ("!", "typeof"):
        return field(node, "argument")
    callee = field(node, "function") if node.type == "call_expression" else None
    if source_of(field(callee, "property")) in ("includes", "startsWith", "endsWith"):
        return field(callee, "object")
    return None


def _operator(node: "Node") -> str:
    return source_of(field(node, "operator"))
