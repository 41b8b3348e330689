"""Assertions of JavaScript tests: expect, should, assert and their kin, and how much they say."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.code import is_constant, operator, truth
from supervisor_ai.gates.integrity.analysis.code_text import bare, is_told
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.names import NamesOfKind
from supervisor_ai.gates.integrity.analysis.place import FoundAssertion, negated
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of
from supervisor_ai.gates.integrity.analysis.tolerance import of_digits, within
from supervisor_ai.gates.integrity.languages.javascript.chains import (
    FUNCTIONS,
    STYLE,
    Link,
    chain,
    function_of,
)
from supervisor_ai.gates.integrity.languages.javascript.runners import leaves_out
from supervisor_ai.gates.integrity.languages.javascript.words import (
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
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_ASSERTING: Final = frozenset({"assert", "chai", "sinon", "should"})
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


_SKIPS: Final = frozenset({"skip", "todo", "fixme", "pending"})
_SKIPPED: Final = frozenset({"this", "test", "it", "ctx", "context"})


def checks(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    """Find what a chain of calls checks."""
    if node.type not in ("call_expression", "member_expression"):
        return
    names = {link.name for link in chain(node)}
    is_asking = names & (_ASSERTING | _EXPECTING | flow.testers)
    if is_asking or any(name.startswith("assert") for name in names):
        found = _Chains(flow=flow, asking=_asking(flow, node)).of(node)
        yield from [found] if found else []


def _asking(flow: Flow, node: "Node") -> Conditions:
    asking = flow.asking(node)
    # A mock or a function is known by its name: how it was made says nothing about what is checked.
    return replace(asking, names=NamesOfKind(asking.names, _is_value))


def _is_value(value: "Node") -> bool:
    return value.type not in FUNCTIONS and not source_of(value).startswith(_MOCKS)


def is_skip(flow: Flow, node: "Node") -> bool:
    """Tell whether a call skips the test that it stands in."""
    if node.type != "call_expression":
        return False
    if leaves_out(node, flow.testers):
        return True
    links = chain(node)
    if len(links) == 1:
        return links[0].name == "pending" and links[0].arguments is not None
    last = links[-1]
    is_ours = links[0].name in _SKIPPED | flow.testers
    if not is_ours or links[1:] != (last,) or last.name not in _SKIPS:
        return False
    given = items(last.arguments)
    is_call = last.arguments is not None and function_of(last.arguments) is None
    return is_call and (not given or truth(given[0], flow.table) is not False)


class _Chains(Struct, frozen=True, kw_only=True):
    """Finds checks in a test whose names are known."""

    flow: Flow
    asking: Conditions

    def of(self, node: "Node") -> FoundAssertion | None:
        """Return what a chain of calls checks, or None if it checks nothing."""
        links = chain(node)
        found = self._expected(links, node) or self._asserted(links, node)
        if found is not None and self.flow.is_stubbed:
            return replace(found, strength=Strength.NONE)
        return found

    def _expected(self, links: tuple[Link, ...], node: "Node") -> FoundAssertion | None:
        names = [link.name for link in links]
        start = next((place for place, name in enumerate(names) if name in _EXPECTING), None)
        if start is None:
            return self._should(links, node)
        call = links[start]
        if call.arguments is None and names[start + 1 : start + 2] in (["soft"], ["poll"]):
            call = links[start + 1]
        if call.arguments is None or set(names) & NO_CHECKS:
            return None
        if start and names[start - 1] not in {"chai", "t"} | self.flow.testers:
            return self._requested(links, node)
        subjects = items(call.arguments)
        rest = [link for link in links[start + 1 :] if link.name not in FILLERS]
        is_not = names.count("not") % 2 == 1
        if call.name in _TYPES:
            words = " ".join(source_of(node).split())
            return FoundAssertion(
                text=words, subject=words.split(".to")[0], strength=Strength.PARTIAL
            )
        if not subjects or not rest:
            return self._check(node, subjects[0] if subjects else None, Strength.NONE)
        return self._matched(node, subjects[0], rest, is_not=is_not)

    def _should(self, links: tuple[Link, ...], node: "Node") -> FoundAssertion | None:
        names = [link.name for link in links]
        if "should" not in names[1:] or links[names.index("should", 1)].arguments is not None:
            return None
        start = names.index("should", 1)
        rest = [link for link in links[start + 1 :] if link.name not in FILLERS]
        subject = field(links[start].node, "object")
        if not rest or subject is None:
            return None
        return self._matched(node, subject, rest, is_not="not" in names)

    def _requested(self, links: tuple[Link, ...], node: "Node") -> FoundAssertion:
        """Read `request(app).get("/").expect(200)`."""
        calls = [link for link in links if link.name == "expect"]
        subject = field(calls[0].node, "object")
        return self._check(node, subject, Strength.EXACT)

    def _matched(
        self, node: "Node", subject: "Node", rest: list[Link], *, is_not: bool
    ) -> FoundAssertion | None:
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
            words = ", ".join(self.asking.worded(each) for each in wanted)
            return replace(found, subject=about, text=f"{about} == {words}")
        if name in COUNTING:
            return replace(found, subject=f"{found.subject}.callCount")
        is_plain = name in EQUALITY and not is_not and bool(wanted) and len(rest) == 1
        if is_plain and ".rejects." not in source_of(node):
            return replace(found, text=self._equation(subject, wanted[0]))
        return found

    def _equation(self, subject: "Node", wanted: "Node") -> str:
        """Write a comparison in one way, whatever the library that makes it."""
        sides = (self.asking.worded(each) for each in (subject, wanted))
        return " == ".join(sides)

    def _asserted(self, links: tuple[Link, ...], node: "Node") -> FoundAssertion | None:
        names = [link.name for link in links]
        arguments = links[-1].arguments
        is_asking = names[0] in _ASSERTING | self.flow.testers
        name = names[-1]
        if arguments is None or name in NO_CHECKS or not (is_asking or name.startswith("assert")):
            return None
        if names[0] in self.flow.testers and name not in ALL_NAMES:
            return None
        if names[0] == "sinon" and "assert" not in names:
            return None
        given = items(arguments)
        if (
            field(node, "type_arguments") is not None
            and len(given) == 1
            and is_constant(given[0], self.flow.table)
        ):
            words = " ".join(source_of(node).split())
            return FoundAssertion(text=words, subject=words, strength=Strength.PARTIAL)
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
        words = ", ".join(self.asking.worded(each) for each in shown)
        return replace(found, text=f"{'.'.join(names)}({words})")

    def _check(self, node: "Node", subject: "Node | None", strength: Strength) -> FoundAssertion:
        about = self._about(_called(subject))
        return FoundAssertion(
            text=self.asking.worded(node),
            subject=_ARGUMENTS.sub("", _COUNTED.sub(".callCount", about)),
            strength=strength,
        )

    def _is_swapped(self, subject: "Node", wanted: list["Node"]) -> bool:
        if not wanted or not self.asking.is_constant(subject):
            return False
        return not self.asking.is_constant(wanted[0])

    def _about(self, subject: "Node | None") -> str:
        return "" if subject is None else self.asking.worded(self.asking.subject(subject))

    def _strength(
        self, name: str, subject: "Node", wanted: list["Node"], *, is_not: bool
    ) -> Strength:
        if self.asking.is_constant(subject):
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
        is_overwritten = (source_of(wanted), source_of(subject)) in self.flow.overwritten
        if self._is_same(subject, wanted) or is_overwritten:
            return Strength.NONE
        is_kind = operator(bare(subject, STYLE)) in ("typeof", "!")
        asked, value = self.asking.worded(subject), self.asking.worded(wanted)
        if is_not or is_kind or is_told(asked, value):
            return Strength.WEAK
        return _looseness(wanted)

    def _is_same(self, subject: "Node", wanted: "Node") -> bool:
        subject = bare(subject, STYLE)
        right = field(subject, "right")
        if operator(subject) in ("||", "??") and right is not None:
            return self.asking.is_same(right, wanted)
        return self.asking.is_same(subject, wanted)

    def _condition(self, node: "Node", holds: bool, is_exact: bool) -> Strength:  # noqa: FBT001 - a pair of facts
        """Return how much it says that a condition holds, or that it does not."""
        asking = replace(self.asking, plain=Strength.EXACT) if is_exact else self.asking
        return asking.strength(node, holds=holds)


def weigh(asking: Conditions, node: "Node", holds: bool) -> Strength | None:  # noqa: FBT001 - as the table has it
    """Weigh a plain answer, a kind, and whether something is there at all."""
    left, right = field(node, "left"), field(node, "right")
    if left is not None and right is not None:
        is_there = source_of(right) in ("null", "undefined") and operator(node) == "!="
        return Strength.WEAK if is_there or source_of(left).startswith("typeof") else None
    name = chain(node)[-1].name if node.type == "call_expression" else ""
    if name in _SEARCHING:
        return Strength.PARTIAL if holds else Strength.WEAK
    if asking.plain is not None:
        return asking.plain
    return Strength.PARTIAL if name.startswith(_PREDICATES) else Strength.WEAK


def about(_asking: Conditions, node: "Node") -> "Node | None":
    """Return what a kind or a search is about: `f(2).includes(3)` is about `f(2)`."""
    if node.type == "unary_expression" and operator(node) == "typeof":
        return field(node, "argument")
    callee = field(node, "function") if node.type == "call_expression" else None
    is_search = source_of(field(callee, "property")) in ("includes", "startsWith", "endsWith")
    return field(callee, "object") if is_search else None


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
