"""Assertions of Go tests: failures by `t.Error`, testify, gomega, and comparing functions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.code import (
    arguments,
    called,
    callee,
    is_constant,
    operator,
    owner,
    statements,
)
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable
from supervisor_ai.gates.integrity.analysis.place import FoundAssertion, negated
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.analysis.tolerance import within
from supervisor_ai.gates.integrity.languages.go.words import (
    ABOUT_FIRST,
    CALLS,
    FAILING,
    GOMEGA,
    METHODS,
    NEAR,
    SKIPPING,
)
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_FAKES: Final = ("&testing.T{", "new(testing.T)", "testing.T{")
_EXITS: Final = (("os", "Exit"), ("runtime", "Goexit"))
_CASES: Final = frozenset({"expression_case", "default_case"})
_CATCHING: Final = FAILING | {"panic", "Equal", "NotNil", "Nil"}


def libraries(function: "Node", table: LanguageTable) -> frozenset[str]:
    """Return the names that assertions are asked of: packages, and what was made for the test."""
    made = {"assert", "require", "is", "qt", "td"}
    for node in walked(function):
        right = items(field(node, "right")) if node.type == "short_var_declaration" else []
        if right and right[0].type == "call_expression":
            whose, name = callee(right[0], table)
            if name.startswith(("New", "WithT", "Require", "Assert")) and (
                whose in made or whose in ("gomega", "check", "suite")
            ):
                made.update(source_of(each) for each in items(field(node, "left")))
    return frozenset(made)


def _is_tester(flow: Flow, whose: str) -> bool:
    return whose in flow.testers or whose.endswith(".T()")


def is_exit(flow: Flow, node: "Node") -> bool:
    """Tell whether a call ends the whole run."""
    return node.type == "call_expression" and callee(node, flow.table) in _EXITS


def is_skip(flow: Flow, node: "Node") -> bool:
    """Tell whether a call skips the test that it stands in."""
    if node.type != "call_expression" or called(node, flow.table) not in SKIPPING:
        return False
    return _is_tester(flow, callee(node, flow.table)[0])


def is_failure(flow: Flow, node: "Node") -> bool:
    """Tell whether a call makes the test fail."""
    if node.type != "call_expression":
        return False
    whose, name = callee(node, flow.table)
    if (whose, name) == ("", "panic") or (whose == "log" and name.startswith("Fatal")):
        return True
    if name not in FAILING:
        return False
    is_library = whose in {"assert", "require", flow.suite} and name.startswith("Fail")
    return is_library or _is_tester(flow, whose)


def is_deaf(_flow: Flow, node: "Node") -> bool:
    """Tell whether a deferred function catches a panic and keeps quiet about it."""
    if node.type != "defer_statement":
        return False
    words = {source_of(each) for each in walked(node) if not each.named_child_count}
    return "recover" in words and not words & _CATCHING


def is_subtest(flow: Flow, node: "Node") -> bool:
    """Tell whether a call runs a test within the test."""
    whose, name = callee(node, flow.table)
    return name == "Run" and (whose in flow.testers or whose == flow.suite)


def is_unheard(flow: Flow, node: "Node") -> bool:
    """Tell whether a check fails something that the test made itself."""
    if node.type == "call_expression":
        return any(_is_fake(flow, node, source_of(each)) for each in arguments(node)[:1])
    inside = statements(field(node, "consequence"), flow.table)
    failing = [items(each)[0] for each in inside if items(each)]
    calls = [each for each in failing if is_failure(flow, each)]
    return any(_is_fake(flow, each, callee(each, flow.table)[0]) for each in calls)


def _is_fake(flow: Flow, node: "Node", name: str) -> bool:
    """Tell whether what a test is failed with was made by the test itself: nobody hears it."""
    made = source_of(flow.names(node).get(name))
    return (made or name).startswith(_FAKES)


def checks(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    """Find what a call of a library, or a case of a switch, checks."""
    if node.type in _CASES:
        yield from _of_case(flow, node)
    elif node.type == "call_expression":
        whose, name = callee(node, flow.table)
        found = None if whose else _of_checker(flow, node, name)
        found = found or _of_library(flow, node, whose)
        yield from [found] if found else []


def _of_case(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    """Read a switch: a case that fails is a condition, a default that fails wants the others."""
    inside = [each for each in items(node) if each != field(node, "value")]
    listed = items(inside[-1]) if inside and inside[-1].type == "statement_list" else inside
    if not any(is_failure(flow, each) for each in _expressions(listed)):
        return
    value, wanted = field(node.parent, "value"), items(field(node, "value"))
    asking = flow.asking(node)
    if value is None and wanted:
        yield asking.check(wanted[0], holds=False)
    elif value is not None:
        yield replace(asking.check(value, holds=True), strength=Strength.PARTIAL)


def _expressions(listed: list["Node"]) -> Iterator["Node"]:
    for each in listed:
        yield from items(each)[:1] if each.type == "expression_statement" else ()


def _of_checker(flow: Flow, node: "Node", name: str) -> FoundAssertion | None:
    """Read `check(t, F(1), 3)`: what a function of the file checks of what it is given."""
    given = arguments(node)
    place, strength = flow.checkers.get(name, (len(given), Strength.NONE))
    if place >= len(given):
        return None
    asking = flow.asking(node)
    words = [asking.worded(each) for each in given if source_of(each) not in flow.testers]
    subject = asking.worded(given[place])
    if is_constant(given[place], flow.table, asking.names):
        strength = Strength.NONE
    elif words.count(subject) > 1:
        strength = Strength.WEAK
    return FoundAssertion(text=f"{name}({', '.join(words)})", subject=subject, strength=strength)


def _of_library(flow: Flow, node: "Node", whose: str) -> FoundAssertion | None:
    first = source_of(next(iter(arguments(node)), None))
    has_test = first in flow.testers or first.endswith(".T()") or _is_fake(flow, node, first)
    known = flow.libraries | ({flow.suite} if flow.suite else set())
    is_ours = whose.split("(", maxsplit=1)[0].split(".", maxsplit=1)[0] in known
    if not (has_test or is_ours or "Expect(" in whose or "Eventually(" in whose):
        return None
    return _of_call(flow.asking(node), node, has_test=has_test)


def _of_call(asking: Conditions, node: "Node", *, has_test: bool) -> FoundAssertion | None:
    """Return what a call of an assertion library checks; the test may be its first argument."""
    name = called(node, asking.table)
    name = name[:-1] if name.endswith("f") and name[:-1] in METHODS else name
    if name not in METHODS:
        return _expected(asking, node)
    given = arguments(node)[1:] if has_test else arguments(node)
    if not given:
        return None
    subject, wanted = given[0], given[1:3] if name in NEAR else given[1:2]
    if name not in ABOUT_FIRST and wanted:
        is_first = asking.is_plain(wanted[0]) and not asking.is_plain(subject)
        found = source_of(subject).lower().startswith(("got", "actual", "result"))
        if not (is_first or found):
            subject, wanted = wanted[0], [subject, *wanted[1:]]
    return _weighed(asking, name, subject, wanted)


def _weighed(
    asking: Conditions, name: str, subject: "Node", wanted: list["Node"]
) -> FoundAssertion:
    if name in ("True", "False", "Assert", "Truef", "Falsef", "Check"):
        found = asking.check(subject, holds=name != "False")
        return replace(found, text=f"{name}({found.text})")
    shown = [subject, *(wanted if name not in ("NoError", "Error", "Nil", "NotNil") else [])]
    words = ", ".join(map(asking.worded, wanted if name == "Len" else shown))
    about = asking.worded(subject)
    return FoundAssertion(
        text=f"Equal(len({about}), {words})" if name == "Len" else f"{name}({words})",
        subject=f"len({about})" if name == "Len" else about,
        strength=_of_method(asking, name, subject, wanted),
    )


def _of_method(asking: Conditions, name: str, subject: "Node", wanted: list["Node"]) -> Strength:
    strength = METHODS[name]
    if asking.is_constant(subject):
        return Strength.NONE
    if wanted and name not in ABOUT_FIRST:
        strength = asking.unless_alike(subject, wanted[0], strength)
    if name in NEAR and len(wanted) > 1:
        return within(asking.worded(wanted[1]), asking.worded(wanted[0])) or strength
    return _of_nil(source_of(subject), is_nil=True) if name == "Nil" else strength


def _expected(asking: Conditions, node: "Node") -> FoundAssertion | None:
    """Read gomega: `Expect(got).To(Equal(3))`."""
    verb, inner = called(node, asking.table), owner(node, asking.table)
    if verb not in GOMEGA or inner is None or inner.type != "call_expression":
        return None
    given, matcher = arguments(inner), arguments(node)
    expecting = ("Expect", "Ω", "Eventually", "Consistently")
    if called(inner, asking.table) not in expecting or not given:
        return None
    name = called(matcher[0], asking.table) if matcher else ""
    strength = METHODS.get(name, CALLS.get(name, Strength.PARTIAL))
    strength = Strength.NONE if asking.is_constant(given[0]) else strength
    return FoundAssertion(
        text=asking.worded(node),
        subject=asking.worded(given[0]),
        strength=strength if GOMEGA[verb] else negated(strength),
    )


def weigh(asking: Conditions, node: "Node", holds: bool) -> Strength | None:  # noqa: FBT001 - as the table has it
    """Weigh a comparing function, nil, and a difference that must be empty."""
    if node.type == "call_expression":
        return _of_answer(asking, node, holds=holds)
    left, right = field(node, "left"), field(node, "right")
    if left is None or right is None or operator(node) not in ("==", "!="):
        return None
    if asking.is_same(left, right):
        return Strength.NONE
    is_equal = (operator(node) == "==") is holds
    if "nil" in (source_of(left), source_of(right)):
        is_panic = asking.worded(left) == "recover()"
        return _of_nil("err" if is_panic else source_of(left), is_nil=is_equal)
    made = asking.resolved(left)
    given = arguments(made) if made.type == "call_expression" else []
    if is_equal and called(made, asking.table) == "Diff" and len(given) > 1:
        return asking.unless_alike(given[0], given[1], Strength.EXACT)
    return None


def _of_answer(asking: Conditions, node: "Node", *, holds: bool) -> Strength:
    whose, name = owner(node, asking.table), called(node, asking.table)
    strength = CALLS.get(name, Strength.EXACT)
    given = arguments(node)
    sides = [whose, *given] if len(given) == 1 and whose is not None else given
    if name in CALLS and len(sides) > 1:
        strength = asking.unless_alike(sides[0], sides[1], strength)
    return strength if holds or name not in CALLS else negated(strength)


def about(asking: Conditions, node: "Node") -> "Node | None":
    """Return what is compared by a call: the side that is not wanted."""
    given = arguments(node) if called(node, asking.table) in CALLS else []
    if node.type != "call_expression" or len(given) < len(("got", "want")):
        return None
    return given[1] if asking.is_wanted(given[0], given[1]) else given[0]


def _of_nil(subject: str, *, is_nil: bool) -> Strength:
    if subject.lower().endswith("err") or subject.lower().startswith("err"):
        # No error is what most code gives; some error is one of many.
        return Strength.WEAK if is_nil else Strength.PARTIAL
    return Strength.EXACT if is_nil else Strength.WEAK
