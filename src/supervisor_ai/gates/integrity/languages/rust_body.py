"""Reads the body of a Rust test."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from supervisor_ai.gates.integrity.languages.placing import Check, Place, most_cases, placed
from supervisor_ai.gates.integrity.languages.rust_checks import Checks
from supervisor_ai.gates.integrity.languages.rust_code import STYLE, called, scopes
from supervisor_ai.gates.integrity.languages.rust_flow import Flow, is_loud
from supervisor_ai.gates.integrity.languages.syntax import (
    Lines,
    field,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.languages.wording import body_wording, wording
from supervisor_ai.gates.integrity.model import Strength, TestCase

if TYPE_CHECKING:
    from tree_sitter import Node


def read_function(function: "Node", name: str, lines: Lines) -> TestCase:
    """Find what a function checks."""
    uses = Counter(source_of(each) for each in walked(function) if each.type == "identifier")
    joins = any(called(each) == "join" for each in walked(function) if _is_call(each))
    flow = Flow(scopes=scopes(function), uses=uses, joins=joins)
    assertions, calls, places = [], [], []
    swallows = False
    body = field(function, "body")
    for node, place in placed(body or function, Place(), flow.steps):
        if _is_call(node):
            calls.append(called(node))
            places.append(place)
        for check in _checks(node, flow):
            assertions.append(check.at(lines.of(node), place))
            swallows = swallows or place.is_lost
    return TestCase(
        name=name,
        line=lines.of(function),
        body=body_wording(body, STYLE),
        assertions=tuple(assertions),
        swallows=swallows,
        cases=1 if assertions else most_cases(places),
        calls=tuple(dict.fromkeys(filter(None, calls))),
    )


def last_expression(function: "Node") -> str:
    """Return what a function does last, which is what must panic where it must."""
    last = next(iter(reversed(items(field(function, "body")))), None)
    if last is None:
        return ""
    value = field(last, "value") if last.type == "let_declaration" else last
    if value is not None and value.type == "expression_statement":
        value = next(iter(items(value)), None)
    return wording(value, STYLE, scopes(function).at(last))


def _is_call(node: "Node") -> bool:
    return node.type in ("call_expression", "macro_invocation")


def _checks(node: "Node", flow: Flow) -> Iterator[Check]:
    if node.type == "if_expression":
        yield from _of_if(node, flow)
    elif node.type == "match_expression":
        yield from _of_match(node, flow)
    elif _is_call(node) and called(node) != "matches":
        check = Checks(names=flow.names(node)).of(node)
        if check is not None:
            yield check


def _of_if(node: "Node", flow: Flow) -> Iterator[Check]:
    """Read `if got != 3 { panic!() }`."""
    condition, then = field(node, "condition"), field(node, "consequence")
    other = field(node, "alternative")
    if condition is None or condition.type in ("let_condition", "let_chain"):
        return
    asking = Checks(names=flow.names(node))
    if _panics(then):
        yield asking.condition(condition, holds=False)
    elif _panics(next(iter(items(other)), None)):
        yield asking.condition(condition, holds=True)


def _of_match(node: "Node", flow: Flow) -> Iterator[Check]:
    """Read a match some of whose arms panic: the value must be one of the others."""
    arms = [each for each in items(field(node, "body")) if each.type == "match_arm"]
    bad = [arm for arm in arms if _panics(field(arm, "value"))]
    if not bad or len(bad) == len(arms):
        return
    names = flow.names(node)
    subject = wording(field(node, "value"), STYLE, names)
    good = (field(arm, "pattern") for arm in arms if arm not in bad)
    text = f"match {subject} {{ {' | '.join(wording(each, STYLE) for each in good)} }}"
    yield Check(text=text, subject=subject, strength=Strength.PARTIAL)


def _panics(node: "Node | None") -> bool:
    """Tell whether a block itself panics or gives an error, not a condition within it."""
    if node is None:
        return False
    inside = items(node) if node.type == "block" else [node]
    for each in inside:
        statement = items(each)[0] if each.type == "expression_statement" and items(each) else each
        is_plain = statement.type in ("call_expression", "macro_invocation")
        if is_plain and called(statement) in ("panic", "unreachable", "bail"):
            return True
        if statement.type == "return_expression" and is_loud(statement):
            return True
    return False
