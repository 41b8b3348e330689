"""Reads the body of a Go test."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as default
from types import MappingProxyType
from typing import TYPE_CHECKING

from supervisor_ai.gates.integrity.languages.go_checks import Checks
from supervisor_ai.gates.integrity.languages.go_code import (
    STYLE,
    arguments,
    callee,
    is_constant,
    scopes,
)
from supervisor_ai.gates.integrity.languages.go_flow import Flow, does_wait, is_deaf, statements
from supervisor_ai.gates.integrity.languages.placing import (
    Check,
    Place,
    most_cases,
    placed,
)
from supervisor_ai.gates.integrity.languages.syntax import (
    Lines,
    field,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.languages.wording import Names, body_wording, wording
from supervisor_ai.gates.integrity.model import Assertion, Strength, TestCase

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(slots=True, kw_only=True)
class _Found:
    """What was seen so far in a function."""

    lines: Lines
    assertions: list[Assertion] = default(default_factory=list)
    calls: list[str] = default(default_factory=list)
    places: list[Place] = default(default_factory=list)
    runs: list[tuple[int, int, Place]] = default(default_factory=list)
    asked: "Asked" = default(default_factory=dict)
    is_skipped: bool = False
    swallows: bool = False


Asked = Mapping[str, tuple[int, Strength]]
"""Functions that check one of their parameters: which one, and how much of it."""


def asked_parameter(function: "Node", found: TestCase) -> tuple[int, Strength] | None:
    """Return which of its parameters a function checks, and how much of it."""
    declared = (
        each.children_by_field_name("name") for each in items(field(function, "parameters"))
    )
    names = [source_of(name) for group in declared for name in group]
    for assertion in sorted(found.assertions, key=lambda each: -each.strength):
        if assertion.subject in names and assertion.strength > Strength.WEAK:
            return names.index(assertion.subject), assertion.strength
    return None


def read_function(
    function: "Node", outer: Names, lines: Lines, asked: Asked = MappingProxyType({})
) -> TestCase:
    """Find what a function checks, given the values that are set outside of it."""
    testers, suite = _testers(function), _receiver(function)
    flow = Flow(
        scopes=scopes(function),
        outer=outer,
        testers=testers,
        suite=suite,
        uses=_uses(function),
        waits=does_wait(function),
    )
    libraries = _libraries(function) | ({suite} if suite else set())
    found = _Found(lines=lines, asked=asked)
    body = field(function, "body")
    for node, place in placed(body or function, Place(), flow.steps):
        _look(node, place, flow, libraries, found)
    return TestCase(
        name=source_of(field(function, "name")),
        line=lines.of(function),
        body=body_wording(body, STYLE),
        assertions=tuple(found.assertions),
        is_skipped=found.is_skipped,
        swallows=found.swallows,
        cases=_cases(found),
        calls=tuple(dict.fromkeys(filter(None, found.calls))),
    )


def _look(node: "Node", place: Place, flow: Flow, libraries: frozenset[str], found: _Found) -> None:
    found.is_skipped = found.is_skipped or flow.is_skip(node)
    if node.type == "defer_statement":
        found.swallows = found.swallows or is_deaf(node)
    if node.type == "call_expression":
        owner, name = callee(node)
        found.calls.append(name if name.isidentifier() else "")
        found.places.append(place)
        check = None if owner else _of_checker(node, name, flow, found.asked)
        found.assertions.extend([check.at(found.lines.of(node), place)] if check else [])
        if name == "Run" and (owner in flow.testers or owner == flow.suite):
            found.runs.append((node.start_byte, node.end_byte, place))
    for check in _checks(node, flow, libraries):
        place = place.caught(when=_is_unheard(node, flow))
        found.assertions.append(check.at(found.lines.of(node), place))
        found.swallows = found.swallows or place.is_lost


def _checks(node: "Node", flow: Flow, libraries: frozenset[str]) -> Iterator[Check]:
    match node.type:
        case "if_statement":
            yield from _of_if(node, flow)
        case "expression_case" | "default_case":
            yield from _of_case(node, flow)
        case "call_expression":
            owner, _name = callee(node)
            given = arguments(node)
            first = source_of(given[0]) if given else ""
            has_test = first in flow.testers or first.endswith(".T()")
            has_test = has_test or flow.is_fake(node, first)
            is_ours = owner.split("(")[0].split(".")[0] in libraries
            if has_test or is_ours or "Expect(" in owner or "Eventually(" in owner:
                check = Checks(names=flow.names(node)).call(node, has_test=has_test)
                if check is not None:
                    yield check
        case _:
            pass


def _is_unheard(node: "Node", flow: Flow) -> bool:
    """Tell whether a check fails something that the test made itself."""
    if node.type == "call_expression":
        return any(flow.is_fake(node, source_of(each)) for each in arguments(node)[:1])
    calls = (each for each in statements(field(node, "consequence")) if flow.is_failure(each))
    return any(flow.is_fake(each, callee(items(each)[0])[0]) for each in calls)


def _of_checker(node: "Node", name: str, flow: Flow, asked: Asked) -> Check | None:
    """Read `check(t, F(1), 3)`: what a function of the file checks of what it is given."""
    given = arguments(node)
    place, strength = asked.get(name, (len(given), Strength.NONE))
    if place >= len(given):
        return None
    names = flow.names(node)
    words = [wording(each, STYLE, names) for each in given if source_of(each) not in flow.testers]
    subject = wording(given[place], STYLE, names)
    if is_constant(given[place], names):
        strength = Strength.NONE
    elif words.count(subject) > 1:
        strength = Strength.WEAK
    return Check(text=f"{name}({', '.join(words)})", subject=subject, strength=strength)


def _of_if(node: "Node", flow: Flow) -> Iterator[Check]:
    condition, then = field(node, "condition"), field(node, "consequence")
    other = field(node, "alternative")
    if condition is None or then is None:
        return
    asking = Checks(names=flow.names(then))
    if flow.fails(then):
        yield asking.condition(condition, holds=False)
    elif other is not None and other.type == "block" and flow.fails(other):
        yield asking.condition(condition, holds=True)


def _of_case(node: "Node", flow: Flow) -> Iterator[Check]:
    """Read a switch: a case that fails is a condition, a default that fails wants the others."""
    inside = [each for each in items(node) if each != field(node, "value")]
    listed = items(inside[-1]) if inside and inside[-1].type == "statement_list" else inside
    if not any(flow.is_failure(each) for each in listed):
        return
    switch = node.parent
    value = field(switch, "value")
    asking = Checks(names=flow.names(node))
    wanted = items(field(node, "value"))
    if value is None and wanted:
        yield asking.condition(wanted[0], holds=False)
    elif value is not None:
        found = asking.condition(value, holds=True)
        yield replace(found, strength=Strength.PARTIAL)


def _cases(found: _Found) -> int:
    """Count the subtests that hold no other; without any, how often the calls run."""
    runs = sorted(found.runs, key=lambda each: (each[0], -each[1]))
    starts = [start for start, _end, _place in runs]
    leaves = [
        place
        for number, (_start, end, place) in enumerate(runs, start=1)
        if number == len(runs) or starts[number] > end
    ]
    if found.assertions:
        # Every assertion says itself how often it is checked.
        return 1
    if not leaves:
        return most_cases(found.places)
    return 0 if any(leaf.is_countless for leaf in leaves) else sum(leaf.repeats for leaf in leaves)


def _testers(function: "Node") -> frozenset[str]:
    found = set()
    for node in walked(function):
        kind = source_of(field(node, "type")) if node.type == "parameter_declaration" else ""
        if "testing." in kind or kind.endswith(("Suite", "TestingT", "GinkgoTInterface")):
            found.add(source_of(field(node, "name")))
    return frozenset(found - {""})


def _receiver(function: "Node") -> str:
    receiver = next(iter(items(field(function, "receiver"))), None)
    return source_of(field(receiver, "name"))


def _libraries(function: "Node") -> frozenset[str]:
    """Return the names that assertions are asked of: packages, and what was made for the test."""
    made = {"assert", "require", "is", "qt", "td"}
    for node in walked(function):
        right = items(field(node, "right")) if node.type == "short_var_declaration" else []
        if right and right[0].type == "call_expression":
            owner, name = callee(right[0])
            if name.startswith(("New", "WithT", "Require", "Assert")) and (
                owner in made or owner in ("gomega", "check", "suite")
            ):
                made.update(source_of(each) for each in items(field(node, "left")))
    return frozenset(made)


def _uses(function: "Node") -> Counter[str]:
    found: Counter[str] = Counter()
    for node in walked(function):
        if node.type == "identifier":
            found[source_of(node)] += 1
        elif node.type == "assignment_statement" and source_of(field(node, "left")) == "_":
            found[source_of(field(node, "right"))] -= 1
    return found
