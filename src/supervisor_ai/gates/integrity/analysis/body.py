"""Body of a test in any language: its assertions, calls and cases, as its table finds them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as default
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code import called
from supervisor_ai.gates.integrity.analysis.code_text import body_wording
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.place import (
    CodePlace,
    FoundAssertion,
    most_cases,
    placed,
)
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    LineIndex,
    field,
    own_field,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.model import TestCase

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.model import Assertion

_USES: Final = frozenset({"identifier", "shorthand_property_identifier"})


@dataclass(slots=True, kw_only=True)
class _Found:
    """What was seen so far in a function."""

    assertions: "list[Assertion]" = default(default_factory=list)
    calls: list[str] = default(default_factory=list)
    places: list[CodePlace] = default(default_factory=list)
    subtests: list[tuple[int, int, CodePlace]] = default(default_factory=list)
    one_check: set[int] = default(default_factory=set)
    """The nodes that belong to a check which was seen already."""
    is_skipped: bool = False
    swallows: bool = False


def uses_in(function: "Node") -> Counter[str]:
    """Count how often every name stands in a function."""
    return Counter(source_of(each) for each in walked(function) if each.type in _USES)


def read_function(
    function: "Node", flow: Flow, lines: LineIndex, *, bound: frozenset[str] = frozenset()
) -> TestCase:
    """Find what a function checks; a condition on a bound name belongs to a table of cases."""
    body = own_field(function, "body") or function
    found = _Found()
    for node, place in placed(body, CodePlace(bound=bound), flow.steps):
        _look(node, place, flow, lines, found)
    return TestCase(
        name=source_of(field(function, "name")),
        line=lines.of(function),
        body=body_wording(body, flow.table),
        assertions=tuple(found.assertions),
        is_skipped=found.is_skipped,
        swallows=found.swallows,
        cases=_cases(found),
        calls=tuple(dict.fromkeys(filter(None, found.calls))),
    )


def _look(node: "Node", place: CodePlace, flow: Flow, lines: LineIndex, found: _Found) -> None:
    table = flow.table
    found.is_skipped = found.is_skipped or table.is_skip(flow, node)
    found.swallows = found.swallows or table.is_deaf(flow, node)
    if node.id in found.one_check:
        return
    if node.type in table.calls:
        found.calls.append(called(node, table))
        found.places.append(place)
        if table.is_subtest(flow, node):
            found.subtests.append((node.start_byte, node.end_byte, place))
    if table.checking and node.type not in table.checking:
        return
    for check in _checks(node, flow):
        seen = place.caught(when=table.is_unheard(flow, node))
        found.assertions.append(check.at(lines.of(node), seen))
        found.swallows = found.swallows or seen.is_lost
        found.one_check.update(each.id for each in table.of_one_check(node))


def _checks(node: "Node", flow: Flow) -> Iterator[FoundAssertion]:
    if node.type in flow.table.branches:
        yield from _of_branch(node, flow)
    else:
        yield from flow.table.checks(flow, node)


def _of_branch(node: "Node", flow: Flow) -> Iterator[FoundAssertion]:
    """Read `if got != 3 { fail() }`: a condition that must not hold."""
    condition, then = field(node, "condition"), field(node, "consequence")
    if condition is None or then is None or condition.type in flow.table.patterns:
        return
    if flow.fails(then):
        yield from flow.asking(then).checks(condition, holds=False)
    elif flow.fails(field(node, "alternative")):
        yield from flow.asking(then).checks(condition, holds=True)


def _cases(found: _Found) -> int:
    """Count the subtests that hold no other; without any, how often the calls run."""
    if found.assertions:
        # Every assertion says itself how often it is checked.
        return 1
    inner = sorted(found.subtests, key=lambda each: (each[0], -each[1]))
    starts = [start for start, _end, _place in inner]
    leaves = [
        place
        for number, (_start, end, place) in enumerate(inner, start=1)
        if number == len(inner) or starts[number] > end
    ]
    if not leaves:
        return most_cases(found.places)
    return 0 if any(leaf.is_countless for leaf in leaves) else sum(leaf.repeats for leaf in leaves)
