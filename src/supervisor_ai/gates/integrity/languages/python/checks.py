"""Assertions of Python tests: `assert`, unittest, pytest, mocks, numpy and pandas."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.code import operator, sides
from supervisor_ai.gates.integrity.analysis.code_text import bare
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.place import FoundAssertion
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of
from supervisor_ai.gates.integrity.languages.python import words
from supervisor_ai.gates.integrity.languages.python.comparisons import (
    asked_of,
    closeness,
    compared,
    matches_all,
    of_question,
)
from supervisor_ai.gates.integrity.languages.python.nodes import (
    expression,
    given,
    is_failure,
    keywords,
    last_name,
    text_in,
    tried,
)
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_ANYTHING: Final = frozenset({"", ".*", ".+", "."})
_PAIR: Final = len(("found", "wanted"))
_WAITING: Final = ("wait", "eventually", "poll", "until")
_LOUD: Final = ("assert", "check", "verify")
_CATCH_ALL: Final = frozenset({"AssertionError", "Exception", "BaseException", "Failed"})


def is_loud(_flow: Flow, node: "Node") -> bool:
    """Tell whether a node passes on that something failed."""
    inside = items(node)
    if node.type == "assert_statement":
        is_hollow = inside[:1] and inside[0].type in ("true", "integer", "string")
        return is_failure(node) or not is_hollow
    if node.type == "raise_statement":
        return not inside or last_name(inside[0]) != "SkipTest"
    if node.type != "call":
        return False
    name = last_name(node)
    return is_failure(node) or name in words.RAISES or name.startswith(_LOUD)


def catches(handler: "Node") -> bool:
    """Tell whether a handler catches a failing assertion."""
    error = _caught(handler)
    return error is None or catches_failure([error])


def _caught(handler: "Node") -> "Node | None":
    error = field(handler, "value")
    return items(error)[0] if error is not None and error.type == "as_pattern" else error


def catches_failure(errors: "list[Node]") -> bool:
    """Tell whether a failing assertion is among the errors."""
    single = [it for error in errors for it in (items(error) if error.type == "tuple" else [error])]
    return any(last_name(error) in _CATCH_ALL for error in single)


def context_calls(node: "Node") -> "list[Node]":
    """Return the calls whose answers a `with` enters."""
    clause = next((each for each in items(node) if each.type == "with_clause"), None)
    values = [field(each, "value") for each in items(clause)]
    plain = [
        items(each)[0] if each.type == "as_pattern" else each for each in values if each is not None
    ]
    return [each for each in plain if each.type == "call"]


def raising_call(node: "Node") -> "Node | None":
    """Return the call that says that the block of a `with` raises or warns."""
    names = words.RAISES | words.WARNS
    return next((each for each in context_calls(node) if last_name(each) in names), None)


def checks(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    """Find what a statement checks."""
    match node.type:
        case "assert_statement" if items(node) and not is_failure(node):
            yield from flow.asking(node).checks(items(node)[0], holds=True)
        case "expression_statement":
            found = expression(node)
            is_check = found.type == "call" and not is_failure(found)
            yield from _of_call(flow, found) if is_check else ()
        case "with_statement":
            call = raising_call(node)
            code = tried(field(node, "body"))
            yield from _raised(flow.asking(node), call, code) if call else ()
        case "try_statement":
            yield from _expected_errors(flow, node)
        case "while_statement" | "for_statement":
            yield from _waited_for(flow, node)
        case _:
            pass


def _waited_for(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    """Read a loop that fails unless something comes true as what it means."""
    body, condition = field(node, "body"), field(node, "condition")
    if condition is not None and flow.is_loud(body):
        if flow.truth(condition) is None:
            yield from flow.asking(node).checks(condition, holds=False)
    elif flow.fails(field(node, "alternative")):
        for part in items(body):
            last = items(field(part, "consequence"))[-1:]
            test = field(part, "condition")
            if test and last and last[0].type in ("break_statement", "return_statement"):
                yield from flow.asking(part).checks(test, holds=True)


def _expected_errors(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    """Read `try: f(); fail() except ValueError: pass` as what it means: f() raises."""
    asking, body = flow.asking(node), field(node, "body")
    others = [each for each in items(node) if each.type == "else_clause"]
    if not any(map(flow.fails, (body, *others))):
        return
    by_assert = any(each.type == "assert_statement" for each in items(body))
    for handler in (each for each in items(node) if each.type in flow.table.handlers):
        error = _caught(handler)
        if error is not None and not (by_assert and catches_failure([error])):
            about = asking.worded(tried(body))
            text = f"raises {asking.worded(error)}: {about}"
            yield FoundAssertion(text=text, subject=about, strength=_of_error(asking, error))


def _of_call(flow: Flow, call: "Node") -> Iterator[FoundAssertion]:
    asking, name, inside = flow.asking(call), last_name(call), given(call)
    if name in words.COMPARED and len(inside) >= _PAIR:
        yield compared(asking, inside[0], words.COMPARED[name], inside[1])
    elif name in words.TRUTH and inside:
        yield from asking.checks(inside[0], holds=words.TRUTH[name])
    elif name in words.NOTHING and inside:
        yield _of_nothing(asking, inside[0], words.NOTHING[name])
    elif name in words.ASKED and len(inside) >= _PAIR:
        yield _of_question(asking, call, name)
    elif name in words.ALMOST and len(inside) >= _PAIR:
        found = compared(asking, inside[0], "==", inside[1])
        near = ", ".join(map(asking.worded, _named(call)))
        strength = closeness(asking, inside[1], call)
        yield replace(found, text=f"{found.text} within {near}", strength=strength)
    elif name in words.RAISES | words.WARNS and len(inside) >= _PAIR:
        yield from _raised_by_call(asking, call)
    elif name.startswith(_WAITING) and inside and inside[0].type == "lambda":
        body = field(inside[0], "body")
        yield from asking.checks(body, holds=True) if body else ()
    elif name not in flow.own:
        yield from _of_library(asking, call)


def _named(call: "Node") -> "list[Node]":
    return [each for each in items(field(call, "arguments")) if each.type == "keyword_argument"]


def _of_nothing(asking: Conditions, subject: "Node", word: str) -> FoundAssertion:
    about = asking.worded(subject)
    strength = Strength.EXACT if word == "is" else Strength.WEAK
    if asking.is_constant(subject):
        strength = Strength.NONE
    return FoundAssertion(text=f"{about} {word} None", subject=about, strength=strength)


def _of_question(asking: Conditions, call: "Node", name: str) -> FoundAssertion:
    """Read `assertIsInstance(f(), int)` and `assertRegex(f(), "a")`."""
    subject, wanted = given(call)[:2]
    says, question = words.ASKED[name]
    about, other = asking.worded(subject), asking.worded(wanted)
    is_kind = question == "isinstance"
    strength = Strength.WEAK if is_kind else Strength.PARTIAL
    if asking.is_constant(subject) or other == "object" or matches_all(wanted):
        strength = Strength.NONE
    both = f"{about},{other}" if is_kind else f"{other},{about}"
    return FoundAssertion(text=f"{says} {question}({both})", subject=about, strength=strength)


def _raised_by_call(asking: Conditions, call: "Node") -> Iterator[FoundAssertion]:
    """Read `assertRaises(ValueError, parse, "x")`."""
    start = 2 if "Regex" in last_name(call) else 1
    inside = given(call)[start:]
    if inside:
        given_to = ",".join(map(asking.worded, [*inside[1:], *_named(call)]))
        about = f"{asking.worded(inside[0])}({given_to})"
        yield from _errors(asking, call, about)


def _raised(asking: Conditions, call: "Node", code: "Node | None") -> Iterator[FoundAssertion]:
    for found in _errors(asking, call, asking.worded(code)):
        is_own = code is not None and code.type == "raise_statement"
        yield replace(found, strength=Strength.NONE) if is_own else found


def _errors(asking: Conditions, call: "Node", about: str) -> Iterator[FoundAssertion]:
    """Read what says that something raises or warns, with the code that must do so."""
    error = next(iter(given(call)), None)
    strength = Strength.WEAK if error is None else _of_error(asking, error)
    kind = "raises" if last_name(call) in words.RAISES else "warns"
    text = f"{kind} {asking.worded(error) or 'anything'}: {about}"
    yield FoundAssertion(text=text, subject=about, strength=strength)
    named = keywords(call)
    patterns = [named[word] for word in ("match", "expected_regex") if word in named]
    patterns += given(call)[1:2] if "Regex" in last_name(call) else []
    for pattern in patterns:
        message = f"message of {about}"
        is_any = text_in(pattern) in _ANYTHING
        yield FoundAssertion(
            text=f"{message} matches {asking.worded(pattern)}",
            subject=message,
            strength=Strength.NONE if is_any else Strength.PARTIAL,
        )


def _of_error(asking: Conditions, error: "Node") -> Strength:
    error = asking.resolved(error)
    if error.type == "tuple":
        wide = any(last_name(each) in words.ANY_ERROR for each in items(error))
        return Strength.WEAK if wide else Strength.PARTIAL
    if last_name(error) in words.ANY_ERROR:
        return Strength.WEAK
    return Strength.PARTIAL if last_name(error) in words.WIDE_ERRORS else Strength.EXACT


def _of_library(asking: Conditions, call: "Node") -> Iterator[FoundAssertion]:
    name, inside, whose = last_name(call), given(call), field(call, "function", "object")
    if name in words.MOCKS and whose is not None:
        about, strength = f"calls of {asking.worded(whose)}", words.MOCKS[name]
        if "with" in name and inside and all(last_name(each) == "ANY" for each in inside):
            strength = Strength.WEAK
    elif name.startswith("assert") and inside:
        about = asking.worded(inside[0])
        guess = Strength.EXACT if "equal" in name.lower() else Strength.PARTIAL
        strength = words.LIBRARY.get(name, guess)
    else:
        return
    yield FoundAssertion(text=asking.worded(call), subject=about, strength=strength)


# Conditions


def several(asking: Conditions, node: "Node", holds: bool) -> Iterator[FoundAssertion] | None:  # noqa: FBT001 - as the table has it
    """Read `a < b < c` as two comparisons, and `all(...)` as what it asks of each."""
    if node.type == "comparison_operator" and len(items(node)) > _PAIR and holds:
        return _chained(asking, node)
    inner = given(node) if node.type == "call" and last_name(node) == "all" else []
    each = field(inner[0], "body") if len(inner) == 1 else None
    is_each = each is not None and inner[0].type in ("generator_expression", "list_comprehension")
    return _each(asking, each) if each is not None and is_each and holds else None


def _chained(asking: Conditions, node: "Node") -> Iterator[FoundAssertion]:
    signs = [" ".join(source_of(each).split()) for each in node.children_by_field_name("operators")]
    inside = items(node)
    for left, sign, right in zip(inside, signs, inside[1:], strict=False):
        yield compared(asking, left, sign, right)


def _each(asking: Conditions, condition: "Node") -> Iterator[FoundAssertion]:
    for found in asking.checks(condition, holds=True):
        best = Strength.EXACT if "(" in found.subject else Strength.PARTIAL
        yield replace(found, strength=min(found.strength, best), is_countless=True)


def read(asking: Conditions, node: "Node", holds: bool) -> FoundAssertion:  # noqa: FBT001 - as the table has it
    """Read a condition in one way: as a comparison, or as a question of yes or no."""
    found = asking.resolved(node)
    pair = _pair(found, holds=holds)
    if pair is not None:
        return compared(asking, *pair)
    while found.type in ("boolean_operator", "conditional_expression", "not_operator"):
        found = bare(items(found)[0], asking.table)
    first = _pair(found, holds=holds)
    about = compared(asking, *first) if first else None
    subject, resolved = (about.subject, about.resolved) if about else asked_of(asking, found)
    return FoundAssertion(
        text=f"{'truthy' if holds else 'falsy'} {asking.worded(node)}",
        subject=subject,
        resolved=resolved,
        strength=asking.strength(node, holds=holds),
    )


def _pair(node: "Node", *, holds: bool) -> "tuple[Node, str, Node] | None":
    left, right = sides(node) if node.type == "comparison_operator" else (None, None)
    if left is None or right is None:
        return None
    sign = operator(node)
    return left, sign if holds else words.NEGATED.get(sign, sign), right


def weigh(asking: Conditions, node: "Node", holds: bool) -> Strength:  # noqa: FBT001 - as the table has it
    """Say how much a condition pins down."""
    if node.type in ("lambda", "generator_expression") or asking.is_constant(node):
        return Strength.NONE
    pair = _pair(node, holds=holds)
    if pair is not None:
        return compared(asking, *pair).strength
    if node.type == "comparison_operator":
        found = [each.strength for each in _chained(asking, node)]
        return max(found) if holds else Strength.WEAK
    if node.type == "conditional_expression":
        ways = [items(node)[0], items(node)[-1]]
        return min(Strength.PARTIAL, *(asking.strength(way, holds=holds) for way in ways))
    return of_question(asking, node)
