"""What a comparison or a question of a Python test is about, and how much it pins down."""

from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.code import operator
from supervisor_ai.gates.integrity.analysis.code_text import wording
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.place import FoundAssertion
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.analysis.tolerance import (
    of_digits,
    of_distance,
    ratio,
    strength_within,
)
from supervisor_ai.gates.integrity.languages.python import words
from supervisor_ai.gates.integrity.languages.python.nodes import (
    given,
    has_call,
    keywords,
    last_name,
    name_of,
    number_of,
    text_in,
)
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_HOLDING: Final = frozenset({"list", "tuple", "dictionary", "set", "string"})
_LENGTHS: Final[dict[tuple[str, float | None], bool]] = {
    ("==", 0): True,
    ("<", 1): True,
    (">", 0): False,
    (">=", 1): False,
    ("!=", 0): False,
}
_SELF: Final = ("==", "is", "<=", ">=", "in")
_ORDER: Final = ("<", "<=", ">", ">=")
_FALLING_BACK: Final = ("get", "getattr", "pop", "setdefault", "next", "getenv")
_RELATIVE: Final = frozenset({"rel", "rtol", "rel_tol"})
_ABSOLUTE: Final = frozenset({"abs", "atol", "delta", "abs_tol"})
_PLACES: Final = frozenset({"places", "decimal", "significant"})
_ALL: Final = ("", ".*", ".*?", "^", "^.*", "^.*$")
_SEARCHING: Final = ("search", "match", "fullmatch", "findall")


def compared(asking: Conditions, left: "Node", word: str, right: "Node") -> FoundAssertion:
    """Read a comparison; what is written out is expected, the other side is the subject."""
    if left.type == "identifier" and source_of(left) == source_of(right) and word in _SELF:
        text = source_of(left)
        return FoundAssertion(text=f"{text} {word} itself", subject=text, strength=Strength.NONE)
    is_hollow = asking.is_constant(left) and asking.is_constant(right)
    # What is kept under a name may be what something was before it changed.
    is_kept = "identifier" in (left.type, right.type)
    left, right = asking.resolved(left), asking.resolved(right)
    if _is_wanted(left):
        if word in ("in", "not in"):
            left, right, word = right, left, "contains" if word == "in" else "lacks"
        elif not _is_wanted(right):
            left, right, word = right, left, words.MIRRORED.get(word, word)
    found = (
        _of_truth(asking, left, word, right)
        or _of_emptiness(asking, left, word, right)
        or _of_values(asking, left, word, right)
    )
    if is_hollow:
        return replace(found, strength=Strength.NONE)
    is_same = found.strength is Strength.NONE and asking.worded(left) == asking.worded(right)
    return replace(found, strength=Strength.WEAK) if is_same and is_kept else found


def _of_values(asking: Conditions, left: "Node", word: str, right: "Node") -> FoundAssertion:
    subject, resolved, best = _subject(asking, _apart(left))
    return FoundAssertion(
        text=f"{asking.worded(left)} {word} {asking.worded(right)}",
        subject=subject,
        resolved=resolved,
        strength=min(_strength(asking, left, word, right), best),
    )


def _is_wanted(node: "Node") -> bool:
    """Tell whether a side of a comparison is what is expected, not what is looked at."""
    if node.type == "unary_operator":
        node = field(node, "argument") or node
    if node.type in ("integer", "float", "true", "false", "none", "ellipsis"):
        return True
    if node.type in _HOLDING or node.type == "concatenated_string":
        return not has_call(node)
    return last_name(node).lower().startswith(("expected", "want", "approx"))


def _apart(node: "Node") -> "Node":
    """Return what is looked at in `abs(total() - 3)`: the first of the two."""
    inside = given(node) if last_name(node) == "abs" else []
    is_difference = len(inside) == 1 and operator(inside[0]) == "-"
    return (field(inside[0], "left") or node) if is_difference else node


def _of_truth(asking: Conditions, left: "Node", word: str, right: "Node") -> FoundAssertion | None:
    """Read a comparison with True or False as what it is: a question of yes or no."""
    if right.type not in ("true", "false") or word not in words.NEGATED or word in _ORDER:
        return None
    is_true = (right.type == "true") is (word in ("==", "is"))
    subject, resolved, best = _subject(asking, left)
    return FoundAssertion(
        text=f"{'truthy' if is_true else 'falsy'} {asking.worded(left)}",
        subject=subject,
        resolved=resolved,
        strength=min(best, Strength.PARTIAL),
    )


def _of_emptiness(
    asking: Conditions, left: "Node", word: str, right: "Node"
) -> FoundAssertion | None:
    """Read `x == []` and `len(x) == 0` as what `not x` says, and their opposites."""
    if _is_empty(right) and word in ("==", "!="):
        is_empty, subject = word == "==", left
    else:
        inside = given(left) if name_of(field(left, "function")) == "len" else []
        if len(inside) != 1 or (word, number_of(right)) not in _LENGTHS:
            return None
        is_empty, subject = _LENGTHS[word, number_of(right)], inside[0]
    about = asking.worded(subject)
    return FoundAssertion(
        text=f"{'falsy' if is_empty else 'truthy'} {about}",
        subject=about,
        resolved=asking.spelled(subject),
        strength=Strength.EXACT if is_empty else Strength.PARTIAL,
    )


def _is_empty(node: "Node") -> bool:
    if node.type in ("list", "tuple", "dictionary"):
        return not items(node)
    made = ("set", "dict", "list", "tuple")
    is_made = node.type == "call" and name_of(field(node, "function")) in made
    return text_in(node) == "" or (is_made and not items(field(node, "arguments")))


def _subject(asking: Conditions, node: "Node") -> tuple[str, str, Strength]:
    """Return what is looked at, what it stands for, and how much can be said of it at best."""
    whose = field(node, "object") if node.type == "attribute" else None
    if whose is not None and last_name(node) in words.MOCK_VALUES:
        return f"calls of {asking.worded(whose)}", "", words.MOCK_VALUES[last_name(node)]
    if whose is not None and last_name(node) in words.WEAK_VALUES:
        return asking.worded(whose), asking.spelled(whose), Strength.WEAK
    resolved = _message(asking, node) or asking.spelled(node)
    return asking.worded(node), resolved, Strength.EXACT


def _message(asking: Conditions, node: "Node") -> str:
    """Return whose error's message `str(caught.value)` is; nothing if it is none."""
    inside = given(node) if name_of(field(node, "function")) == "str" else []
    name, _, rest = name_of(inside[0] if len(inside) == 1 else None).partition(".")
    raised = asking.names.get(name) if rest in ("", "value", "exception") else None
    around = None if raised is None else raised.parent
    is_own = around is not None and source_of(field(around, "left")) == name
    return "" if raised is None or is_own else f"message of {asking.worded(raised)}"


def _strength(asking: Conditions, left: "Node", word: str, right: "Node") -> Strength:
    if asking.worded(left) == asking.worded(right) and word in _SELF:
        return Strength.WEAK if has_call(left) else Strength.NONE
    if word in ("==", "is"):
        return _of_equality(asking, left, right)
    if word in _ORDER:
        return _of_order(asking, left, word, right)
    if word in ("contains", "lacks", "in", "not in"):
        return _of_membership(asking, left, word, right)
    return Strength.WEAK


def _of_equality(asking: Conditions, left: "Node", right: "Node") -> Strength:
    if last_name(right) == "ANY":
        return Strength.NONE
    for side, other in ((right, left), (left, right)):
        if side.type == "call" and last_name(side) == "approx":
            return closeness(asking, next(iter(given(side)), None), side)
        if side.type == "call" and _is_same_call(asking, side, other):
            return Strength.WEAK
    if (left.type == "call" and last_name(left) == "type") or _falls_back(asking, left, right):
        return Strength.WEAK
    has_any = any(last_name(each) == "ANY" for each in walked(right))
    return Strength.PARTIAL if has_any else Strength.EXACT


def _is_same_call(asking: Conditions, call: "Node", other: "Node") -> bool:
    """Tell whether both sides ask the same function the same: what it says is then expected."""
    if other.type != "call" or last_name(call) != last_name(other):
        return False
    mine, others = ([wording(each, asking.table) for each in given(it)] for it in (call, other))
    words_of = [len(keywords(it)) for it in (call, other)]
    return mine == others and words_of[0] == words_of[1] and bool(mine or words_of[0])


def _falls_back(asking: Conditions, left: "Node", right: "Node") -> bool:
    """Tell whether a question has the expected answer as its own default."""
    inside = given(left) if left.type == "call" and last_name(left) in _FALLING_BACK else []
    return len(inside) > 1 and asking.worded(inside[-1]) == asking.worded(right)


def _of_order(asking: Conditions, left: "Node", word: str, right: "Node") -> Strength:
    bound = number_of(right)
    least = {">=": 0, ">": -1}.get(word)
    if last_name(left) == "len" and bound is not None and least is not None and bound <= least:
        return Strength.NONE
    if bound in (float("inf"), float("-inf")):
        return Strength.NONE
    near = of_distance(asking.worded(left), asking.worded(right)) if word[0] == "<" else None
    return near or Strength.PARTIAL


def _of_membership(asking: Conditions, left: "Node", word: str, right: "Node") -> Strength:
    if word == "contains" and text_in(right) == "":
        return Strength.NONE
    elements = items(right) if right.type in ("tuple", "list", "set") else []
    is_own = word == "in" and asking.worded(left) in map(asking.worded, elements)
    return Strength.NONE if is_own else Strength.PARTIAL


def closeness(asking: Conditions, expected: "Node | None", call: "Node") -> Strength:
    """Tell how much a comparison with a tolerance still says."""
    number = None if expected is None else number_of(asking.resolved(expected))
    found = [Strength.EXACT]
    for word, value in keywords(call).items():
        near = number_of(value)
        if near is None:
            continue
        if word in _RELATIVE:
            found.append(strength_within(near))
        elif word in _ABSOLUTE:
            found.append(strength_within(ratio(near, number)))
        elif word in _PLACES:
            found.append(of_digits(source_of(value)))
    return min(found)


def matches_all(pattern: "Node | None") -> bool:
    """Tell whether a pattern matches everything."""
    return text_in(pattern) in _ALL


def asked_of(asking: Conditions, node: "Node") -> tuple[str, str]:
    """Return what a question of yes or no is about, and what that stands for."""
    asked = _asked(node) if node.type == "call" else None
    if asked is not None:
        return asking.worded(asked), asking.spelled(asked)
    return _subject(asking, node)[:2]


def of_question(asking: Conditions, node: "Node") -> Strength:
    """Say how much the answer to a question of yes or no says."""
    best = _subject(asking, node)[2]
    is_call = node.type == "call"
    return min(best, _of_answer(asking, node) if is_call else _of_name(last_name(node)))


def _asked(call: "Node") -> "Node | None":
    """Return what a question is about: `s` of `s.startswith("a")` and of `isinstance(s, str)`."""
    name, inside = last_name(call), given(call)
    if name in words.PARTIAL_METHODS:
        return field(call, "function", "object")
    if name in words.WEAK_CALLS | {"isclose", "allclose", "array_equal"}:
        return next(iter(inside), None)
    return inside[1] if name in _SEARCHING and len(inside) > 1 else None


def _of_answer(asking: Conditions, call: "Node") -> Strength:
    name, inside = last_name(call), given(call)
    if name in words.MISSPELT or name.startswith("assert_"):
        return Strength.NONE
    if name == "isinstance" and [name_of(each) for each in inside[1:]] == ["object"]:
        return Strength.NONE
    if name in ("search", "match", "fullmatch") and matches_all(next(iter(inside), None)):
        return Strength.NONE
    if name in ("isclose", "allclose"):
        return closeness(asking, next(iter(inside[1:]), None), call)
    if name in ("array_equal", "equals"):
        return Strength.EXACT
    if name in words.WEAK_CALLS:
        return Strength.WEAK
    is_partial = name in words.PARTIAL_METHODS or name in ("any", *_SEARCHING)
    return Strength.PARTIAL if is_partial else _of_name(name)


def _of_name(name: str) -> Strength:
    is_asking = name.lower().startswith(words.PREDICATES)
    return Strength.PARTIAL if is_asking else Strength.WEAK
