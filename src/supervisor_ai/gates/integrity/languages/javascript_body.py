"""Reads the body of a JavaScript test."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.javascript_checks import checks
from supervisor_ai.gates.integrity.languages.javascript_code import (
    STYLE,
    chain,
    inner_nodes,
    parameters,
    set_once,
)
from supervisor_ai.gates.integrity.languages.javascript_flow import Flow
from supervisor_ai.gates.integrity.languages.placing import Place, most_cases, placed
from supervisor_ai.gates.integrity.languages.syntax import Lines, field, source_of, walked
from supervisor_ai.gates.integrity.languages.wording import NO_NAMES, Names, body_wording

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.model import Assertion

_PLANNING: Final = ("expect.assertions", "expect.hasAssertions", "t.plan", "assert.expect")
_USES: Final = frozenset({"identifier", "shorthand_property_identifier"})
_DONE: Final = frozenset({"done", "cb", "callback", "next", "resolve", "finish"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What a function checks."""

    code: str
    names: Names
    """What its local names are set to."""
    assertions: "tuple[Assertion, ...]"
    calls: tuple[str, ...]
    is_skipped: bool
    swallows: bool
    repeats: int


def read_body(
    function: "Node",
    outer: Names,
    lines: Lines,
    *,
    bound: frozenset[str] = frozenset(),
    lists: Names = NO_NAMES,
    is_stubbed: bool = False,
) -> Body:
    """Find what a function checks, given the names that are set outside of it."""
    given = parameters(function)
    context = given[0] if given and given[0] not in _DONE else ""
    names = {**outer, **set_once(function)}
    text = source_of(function)
    flow = Flow(
        names=names,
        uses=Counter(source_of(each) for each in walked(function) if each.type in _USES),
        waits=bool(set(given) & _DONE) or "new Promise" in text,
        plans=any(plan in text for plan in _PLANNING),
        context=context,
        lists={**lists, **names},
    )
    asking = checks(
        names, context=context, is_stubbed=is_stubbed, overwritten=_overwritten(function)
    )
    assertions, calls, seen = [], [], set[int]()
    is_skipped, swallows, places = False, False, []
    body = field(function, "body") or function
    for node, place in placed(body, Place(bound=bound), flow.steps):
        is_skipped = is_skipped or (node.type == "expression_statement" and flow.is_skip(node))
        if node.id in seen or node.type not in ("call_expression", "member_expression"):
            continue
        check = asking.of(node)
        if node.type == "call_expression":
            calls.append(chain(node)[-1].name)
            places.append(place)
        if check is not None:
            seen.update(each.id for each in inner_nodes(node))
            assertions.append(check.at(lines.of(node), place))
            swallows = swallows or place.is_lost
    return Body(
        code=body_wording(body, STYLE),
        names=names,
        assertions=tuple(assertions),
        calls=tuple(dict.fromkeys(filter(None, calls))),
        is_skipped=is_skipped,
        swallows=swallows,
        repeats=1 if assertions else most_cases(places),
    )


def _overwritten(function: "Node") -> frozenset[tuple[str, str]]:
    """Return what a function sets again, each with what it is set to."""
    return frozenset(
        (source_of(field(node, "left")), source_of(field(node, "right")))
        for node in walked(function)
        if node.type == "assignment_expression"
    )
