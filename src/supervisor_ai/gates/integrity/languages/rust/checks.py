"""Assertions of Rust tests: `assert!` and its kin, `matches!`, panics, arms of a match."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.code import arguments, called, owner
from supervisor_ai.gates.integrity.analysis.code_text import bare, is_told
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.place import FoundAssertion, negated
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of
from supervisor_ai.gates.integrity.analysis.tolerance import within
from supervisor_ai.gates.integrity.languages.rust.values import (
    borrowed,
    falls_back_to,
    parts,
    plain_value,
    unwrapped,
)
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_LOUD: Final = frozenset({"panic", "unreachable", "todo", "unimplemented", "bail", "Err", "expect"})
_PREDICATES: Final = {
    **dict.fromkeys(("is_ok", "is_some", "is_ok_and", "is_some_and"), Strength.WEAK),
    **dict.fromkeys(("is_err", "contains", "starts_with", "ends_with"), Strength.PARTIAL),
    **dict.fromkeys(("is_match", "contains_key", "any", "all"), Strength.PARTIAL),
}
"""Methods that answer yes for many values; other methods are plain answers."""
_ASSERTED: Final = {  # of `cargo run` and the like: `command.assert().success()`
    **dict.fromkeys(("success", "failure"), Strength.WEAK),
    **dict.fromkeys(("stdout", "stderr", "code"), Strength.PARTIAL),
}
_EQUALITIES: Final = frozenset({"assert_eq", "assert_ne"})
_CLOSE: Final = frozenset({"assert_relative_eq", "assert_abs_diff_eq", "assert_approx_eq"})
_PLACEHOLDERS: Final = frozenset({"_", ".."})


def is_loud(flow: Flow, node: "Node") -> bool:
    """Tell whether a call passes on that something failed: it panics, or gives an error."""
    name = called(node, flow.table) if node.type in flow.table.calls else ""
    return name in _LOUD or "assert" in name


def is_exit(_flow: Flow, node: "Node") -> bool:
    """Tell whether a call ends the whole run."""
    is_call = node.type == "call_expression"
    return is_call and source_of(field(node, "function")).endswith("::exit")


def is_failure(flow: Flow, node: "Node") -> bool:
    """Tell whether an expression panics or gives an error."""
    if node.type in flow.table.calls:
        return called(node, flow.table) in ("panic", "unreachable", "bail")
    return node.type == "return_expression" and flow.is_loud(node)


def checks(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    """Find what a call, a macro or a match checks."""
    found = None
    if node.type == "match_expression":
        found = _of_match(flow, node)
    elif node.type in flow.table.calls and called(node, flow.table) != "matches":
        found = _of(flow.asking(node), node)
    yield from [found] if found else []


def _of_match(flow: Flow, node: "Node") -> FoundAssertion | None:
    """Read a match some of whose arms panic: the value must be one of the others."""
    arms = [each for each in items(field(node, "body")) if each.type == "match_arm"]
    bad = [arm for arm in arms if flow.fails(field(arm, "value"))]
    if not bad or len(bad) == len(arms):
        return None
    asking = flow.asking(node)
    subject = asking.worded(field(node, "value"))
    plain = replace(asking, names={})
    good = (plain.worded(field(arm, "pattern")) for arm in arms if arm not in bad)
    text = f"match {subject} {{ {' | '.join(good)} }}"
    return FoundAssertion(text=text, subject=subject, strength=Strength.PARTIAL)


def _of(asking: Conditions, node: "Node") -> FoundAssertion | None:
    if node.type == "macro_invocation":
        return _macro(asking, node)
    found = _called(asking, node)
    is_optional = called(node, asking.table).startswith("debug_")
    if found is None or not is_optional or found.strength < Strength.EXACT:
        return found
    # A release build leaves it out.
    return replace(found, strength=Strength.PARTIAL)


def _called(asking: Conditions, node: "Node") -> FoundAssertion | None:
    name, whose = called(node, asking.table), owner(node, asking.table)
    plain = name.removeprefix("debug_").removeprefix("prop_")
    given = arguments(node)
    if plain == "assert" and whose is None and given:
        return asking.check(given[0], holds=True)
    if plain in _EQUALITIES | _CLOSE and len(given) > 1:
        return _compared(asking, plain, given)
    if name in _ASSERTED and "assert" in source_of(whose):
        return FoundAssertion(
            text=asking.worded(node), subject=asking.worded(whose), strength=_ASSERTED[name]
        )
    return None


def _compared(asking: Conditions, name: str, given: list["Node"]) -> FoundAssertion:
    left, right = given[:2]
    is_swapped = asking.is_plain(left) and not asking.is_plain(right)
    is_swapped = is_swapped or source_of(left).startswith(asking.table.wanted)
    subject, wanted = (right, left) if is_swapped else (left, right)
    asked, is_error = unwrapped(borrowed(asking.worded(subject)))
    value = plain_value(borrowed(asking.worded(wanted)))
    value = f"Err({value})" if is_error else value
    options = [asking.worded(each) for each in given[2:] if name in _CLOSE]
    return FoundAssertion(
        text=f"{name}({', '.join((asked, value, *options))})",
        subject=asked,
        strength=_near(wanted, given[2:])
        if name in _CLOSE
        else _equality(asking, name, subject, wanted),
    )


def _near(wanted: "Node", options: list["Node"]) -> Strength:
    """Weigh a comparison with a tolerance; what libraries take without one is small."""
    found = [within(source_of(each), source_of(wanted)) for each in options]
    return min((each for each in found if each is not None), default=Strength.EXACT)


def _equality(asking: Conditions, name: str, subject: "Node", wanted: "Node") -> Strength:
    if asking.is_same(subject, wanted) or asking.is_constant(subject):
        return Strength.NONE
    kind = source_of(bare(wanted, asking.table))
    if kind in ("true", "false"):
        return asking.strength(subject, holds=(kind == "true") is (name == "assert_eq"))
    if name == "assert_ne":
        return Strength.WEAK
    asked, value = asking.worded(subject), asking.worded(wanted)
    is_hidden = falls_back_to(asked, value)
    return Strength.WEAK if is_told(asked, value) or is_hidden else Strength.EXACT


def weigh(asking: Conditions, node: "Node", holds: bool) -> Strength | None:  # noqa: FBT001 - as the table has it
    """Weigh a macro, and the answer of a method."""
    if node.type == "macro_invocation":
        found = _macro(asking, node)
        strength = Strength.EXACT if found is None else found.strength
        return strength if holds else negated(strength)
    return _answered(asking, node, holds=holds) if node.type == "call_expression" else None


def _answered(asking: Conditions, node: "Node", *, holds: bool) -> Strength:
    name, value = called(node, asking.table), owner(node, asking.table)
    if value is not None and asking.is_constant(value):
        return Strength.NONE
    maker = source_of(field(asking.resolved(value), "function")) if value is not None else ""
    if maker in ("Ok", "Some", "Err") and name in _PREDICATES:
        return Strength.NONE
    if name in ("is_ok", "is_err"):
        # Not to be an error is to be fine, and the other way round.
        is_fine = (name == "is_ok") is holds
        return Strength.WEAK if is_fine else Strength.PARTIAL
    strength = _PREDICATES.get(name, Strength.EXACT)
    return strength if holds or name not in _PREDICATES else negated(strength)


def about(asking: Conditions, node: "Node") -> "Node | None":
    """Return what a method is asked of whose answer is yes or no."""
    name = called(node, asking.table) if node.type == "call_expression" else ""
    return owner(node, asking.table) if name in {*_PREDICATES, "is_none"} else None


def asked(asking: Conditions, node: "Node") -> str:
    """Write what is asked, without how its result is opened; of a macro what it looks at."""
    found = _macro(asking, node) if node.type == "macro_invocation" else None
    return found.subject if found else unwrapped(borrowed(asking.worded(node)))[0]


def _is_checking(name: str) -> bool:
    return "matches" in name or name.startswith(("assert", "prop_assert", "debug_assert"))


def _macro(asking: Conditions, node: "Node") -> FoundAssertion | None:
    """Read `matches!(value, pattern)` and assertions that are no calls."""
    name = called(node, asking.table)
    if not _is_checking(name):
        return None
    given = parts(node.named_children[-1])
    subject = "".join(asking.worded(each) for each in given[0]) if given else ""
    words = [source_of(each) for part in given[1:] for each in part]
    strength = _of_pattern(given[1:]) if "matches" in name else Strength.PARTIAL
    return FoundAssertion(
        text=f"{name}({subject}, {' '.join(words)})", subject=subject, strength=strength
    )


def _of_pattern(given: list[list["Node"]]) -> Strength:
    pattern = [source_of(each) for part in given for each in part]
    if not pattern or pattern == ["_"]:
        return Strength.NONE
    text = "".join(pattern)
    if text in ("Ok(_)", "Some(_)", "Ok(..)", "Some(..)"):
        return Strength.WEAK
    words = {word for each in pattern for word in each.replace("(", " ").replace(")", " ").split()}
    has_gaps = bool(words & _PLACEHOLDERS) or "_" in text.replace("(", ",").split(",")
    return Strength.PARTIAL if has_gaps or ".." in text or "_)" in text else Strength.EXACT
