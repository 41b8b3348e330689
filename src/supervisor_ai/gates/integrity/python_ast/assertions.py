"""What a Python assertion checks, and how much it pins down."""

import ast
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.integrity.model import Assertion, Strength
from supervisor_ai.gates.integrity.python_ast import words as tables
from supervisor_ai.gates.integrity.python_ast.scope import (
    CHANGEABLE,
    PythonScope,
    is_short,
    last_name,
    name_of,
    text_of,
    truth_of,
    walk,
)
from supervisor_ai.gates.integrity.python_ast.tolerance import (
    closeness,
    number_of,
    ratio,
    strength_within,
)

_LITERALS: Final = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr)
_LENGTHS: Final[dict[tuple[str, float | None], bool]] = {
    ("==", 0): True,
    ("<", 1): True,
    (">", 0): False,
    (">=", 1): False,
    ("!=", 0): False,
}
_SELF: Final = ("==", "is", "<=", ">=", "in")
_ORDER: Final = ("<", "<=", ">", ">=")


class ExpressionReader(Struct, frozen=True):
    """Reads the expression that is asserted, with what the names in it stand for."""

    scope: PythonScope

    def read(self, node: ast.expr, *, is_negated: bool = False) -> Iterator[Assertion]:
        """Find what is asserted; a conjunction is several assertions."""
        if self._is_hollow(node, is_negated=is_negated):
            yield _assertion(node, "tautology " + text_of(node), node, Strength.NONE)
            return
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield from self.read(operand, is_negated=not is_negated)
            case ast.BoolOp(op=ast.And(), values=values) if not is_negated:
                for value in values:
                    yield from self.read(value)
            case ast.Compare(left=left, ops=operators, comparators=comparators):
                for operator, right in zip(operators, comparators, strict=True):
                    word, _ = tables.OPERATORS[type(operator).__name__]
                    word = tables.NEGATED[word] if is_negated else word
                    yield self.compare(node, left, word, right)
                    left = right
            case ast.Call() if last_name(node) == "all" and len(node.args) == 1:
                yield from self._each(node, is_negated=is_negated)
            case ast.BoolOp() | ast.IfExp():
                yield self._alternative(node, is_negated=is_negated)
            case _:
                yield self._truth(node, is_negated=is_negated)

    def _is_hollow(self, node: ast.expr, *, is_negated: bool) -> bool:
        if isinstance(node, ast.Lambda | ast.GeneratorExp):
            return True
        if isinstance(node, ast.Constant) and not node.value and not is_negated:
            return False
        if truth_of(node, self.scope) is (not is_negated):
            return True
        return self.scope.is_fixed(node)

    def compare(self, node: ast.AST, left: ast.expr, word: str, right: ast.expr) -> Assertion:
        """Read a comparison; what is written out is expected, the other side is the subject."""
        if isinstance(left, ast.Name) and ast.dump(left) == ast.dump(right) and word in _SELF:
            return _assertion(node, f"{text_of(left)} {word} itself", left, Strength.NONE)
        left, right = self._through(left), self._through(right)
        if _is_expectation(left) and not _is_expectation(right) and "in" not in word.split():
            left, right, word = right, left, tables.MIRRORED.get(word, word)
        if "in" in word.split() and _is_expectation(left):
            left, right, word = right, left, "contains" if word == "in" else "lacks"
        plain = self._of_truth(node, left, word, right) or _of_emptiness(node, left, word, right)
        if plain is not None:
            return plain
        text = f"{text_of(left)} {word} {text_of(right)}"
        subject, best = _subject(self._apart(left))
        strength = min(self._strength(left, word, right), best)
        return _assertion(node, text, subject, strength)

    def _through(self, node: ast.expr) -> ast.expr:
        """Follow a name to what it stands for, but not to a thing that may change meanwhile."""
        found = self.scope.expand(node)
        if found is not node and (isinstance(found, CHANGEABLE) or not is_short(found)):
            return node
        return found

    def _apart(self, node: ast.expr) -> ast.expr:
        """Return what is looked at in `abs(total() - 3)`: the first of the two."""
        match node:
            case ast.Call(args=[ast.BinOp(left=left, op=ast.Sub())]) if last_name(node) == "abs":
                return self._through(left)
            case _:
                return node

    def _of_truth(
        self, node: ast.AST, left: ast.expr, word: str, right: ast.expr
    ) -> Assertion | None:
        """Read a comparison with True or False as what it is: a question of yes or no."""
        if not (isinstance(right, ast.Constant) and isinstance(right.value, bool)):
            return None
        if word not in tables.NEGATED or word in _ORDER:
            return None
        is_true = right.value == (word in ("==", "is"))
        subject, best = _subject(left)
        text = f"{'truthy' if is_true else 'falsy'} {text_of(left)}"
        return _assertion(node, text, subject, min(best, Strength.PARTIAL))

    def _strength(self, left: ast.expr, word: str, right: ast.expr) -> Strength:
        if text_of(left) == text_of(right) and word in _SELF:
            return Strength.WEAK if _has_call(left) else Strength.NONE
        if last_name(right) == "ANY" and word == "==":
            return Strength.NONE
        if word in ("==", "is"):
            return self._of_equality(left, right)
        if word in _ORDER:
            return _of_order(left, word, right)
        if word in ("contains", "lacks", "in", "not in"):
            return _of_membership(left, word, right)
        return Strength.WEAK

    def _of_equality(self, left: ast.expr, right: ast.expr) -> Strength:
        for side, other in ((right, left), (left, right)):
            if isinstance(side, ast.Call) and last_name(side) == "approx":
                expected = self.scope.expand(side.args[0]) if side.args else None
                return closeness(expected, side)
            if isinstance(side, ast.Call) and _is_same_call(side, other):
                return Strength.WEAK
        if last_name(left) == "type" or _falls_back(left, right):
            return Strength.WEAK
        return Strength.PARTIAL if _has_any(right) else Strength.EXACT

    def _truth(self, node: ast.expr, *, is_negated: bool) -> Assertion:
        found = self._through(node)
        text = f"{'falsy' if is_negated else 'truthy'} {text_of(found)}"
        subject, best = _subject(found)
        strength = min(_of_truthiness(found), best)
        asked = _asked(found) if isinstance(found, ast.Call) else None
        if asked is not None:
            subject = text_of(self._through(asked))
        return _assertion(node, text, subject, strength)

    def _alternative(self, node: ast.expr, *, is_negated: bool) -> Assertion:
        """Read what holds in several ways: it says as little as its weakest part, and less."""
        parts = node.values if isinstance(node, ast.BoolOp) else []
        if isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        read = [found for part in parts for found in self.read(part, is_negated=is_negated)]
        strength = min([Strength.PARTIAL, *(found.strength for found in read)])
        first = read[0].subject if read else text_of(node)
        text = f"{'falsy' if is_negated else 'truthy'} {text_of(node)}"
        return Assertion(text=text, subject=first, strength=strength, line=_line(node))

    def _each(self, node: ast.Call, *, is_negated: bool) -> Iterator[Assertion]:
        inner = node.args[0]
        if isinstance(inner, ast.GeneratorExp | ast.ListComp) and not is_negated:
            for found in self.read(inner.elt):
                is_asked = "(" in found.subject
                best = Strength.EXACT if is_asked else Strength.PARTIAL
                yield Assertion(
                    text=found.text,
                    subject=found.subject,
                    strength=min(found.strength, best),
                    line=_line(node),
                    times=0,
                )
        else:
            yield self._truth(node, is_negated=is_negated)


def _of_emptiness(node: ast.AST, left: ast.expr, word: str, right: ast.expr) -> Assertion | None:
    """Read `x == []` and `len(x) == 0` as what `not x` says, and their opposites."""
    if _is_empty(right) and word in ("==", "!="):
        is_empty, subject = word == "==", left
    else:
        number = number_of(right)
        match left:
            case ast.Call(func=ast.Name(id="len"), args=[subject]) if (word, number) in _LENGTHS:
                is_empty = _LENGTHS[word, number]
            case _:
                return None
    text = f"{'falsy' if is_empty else 'truthy'} {text_of(subject)}"
    strength = Strength.EXACT if is_empty else Strength.PARTIAL
    return _assertion(node, text, subject, strength)


def _is_empty(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Constant(value="" | b""):
            return True
        case ast.Call(func=ast.Name(id="set" | "dict" | "list" | "tuple"), args=[], keywords=[]):
            return True
        case _:
            return False


def _assertion(node: ast.AST, text: str, subject: ast.expr | str, strength: Strength) -> Assertion:
    about = subject if isinstance(subject, str) else text_of(subject)
    return Assertion(text=text, subject=about, strength=strength, line=_line(node))


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)


def _is_expectation(node: ast.expr) -> bool:
    """Tell whether a side of a comparison is what is expected, not what is looked at."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, _LITERALS):
        return not _has_call(node)
    return last_name(node).lower().startswith(("expected", "want", "approx"))


def _has_call(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call | ast.Await) for part in walk(node))


def _subject(node: ast.expr) -> tuple[str, Strength]:
    """Return what is looked at, and how much can be said of it at best."""
    if isinstance(node, ast.Attribute):
        if node.attr in tables.MOCK_VALUES:
            return f"calls of {text_of(node.value)}", tables.MOCK_VALUES[node.attr]
        if node.attr in tables.WEAK_VALUES:
            return text_of(node.value), Strength.WEAK
    return text_of(node), Strength.EXACT


def _of_order(left: ast.expr, word: str, right: ast.expr) -> Strength:
    bound = number_of(right)
    if last_name(left) == "len" and bound is not None:
        least = 0 if word == ">=" else -1
        if word in (">=", ">") and bound <= least:
            return Strength.NONE
    match left:
        case ast.Call(args=[ast.BinOp(op=ast.Sub(), right=expected)]) if last_name(left) == "abs":
            if bound is not None and word in ("<", "<="):
                return strength_within(ratio(bound, number_of(expected)))
        case _:
            pass
    if bound in (float("inf"), float("-inf")):
        return Strength.NONE
    return Strength.PARTIAL


def _of_membership(left: ast.expr, word: str, right: ast.expr) -> Strength:
    if word == "contains" and isinstance(right, ast.Constant) and right.value in ("", b""):
        return Strength.NONE
    elements = right.elts if isinstance(right, ast.Tuple | ast.List | ast.Set) else []
    if word == "in" and text_of(left) in map(text_of, elements):
        return Strength.NONE
    return Strength.PARTIAL


def _falls_back(left: ast.expr, right: ast.expr) -> bool:
    """Tell whether a question has the expected answer as its own default."""
    return (
        isinstance(left, ast.Call)
        and last_name(left) in ("get", "getattr", "pop", "setdefault", "next", "getenv")
        and len(left.args) > 1
        and text_of(left.args[-1]) == text_of(right)
    )


def _has_any(node: ast.expr) -> bool:
    """Tell whether a part of what is expected may be anything."""
    return any(last_name(part) == "ANY" for part in walk(node))


def _matches_all(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Constant) and first.value in ("", ".*", ".*?", "^", "^.*", "^.*$")


def _is_same_call(call: ast.Call, other: ast.expr) -> bool:
    """Tell whether both sides ask the same function the same: what it says is then expected."""
    return (
        isinstance(other, ast.Call)
        and last_name(call) == last_name(other)
        and bool(call.args or call.keywords)
        and [ast.dump(part) for part in call.args] == [ast.dump(part) for part in other.args]
        and len(call.keywords) == len(other.keywords)
    )


def _of_truthiness(node: ast.expr) -> Strength:
    name = last_name(node)
    if isinstance(node, ast.Call):
        if name in tables.MISSPELT or name.startswith("assert_"):
            return Strength.NONE
        if name == "isinstance" and len(node.args) > 1 and name_of(node.args[1]) == "object":
            return Strength.NONE
        if name in ("search", "match", "fullmatch") and _matches_all(node):
            return Strength.NONE
        if name in ("isclose", "allclose"):
            return closeness(node.args[1] if len(node.args) > 1 else None, node)
        if name in ("array_equal", "equals"):
            return Strength.EXACT
        if name in tables.WEAK_CALLS:
            return Strength.WEAK
        if name in tables.PARTIAL_METHODS or name.lower().startswith(tables.PREDICATES):
            return Strength.PARTIAL
        return Strength.PARTIAL if name in ("any", "search", "fullmatch", "findall") else _WEAK
    return Strength.PARTIAL if name.lower().startswith(tables.PREDICATES) else _WEAK


_WEAK: Final = Strength.WEAK


def _asked(call: ast.Call) -> ast.expr | None:
    """Return what a question is about: `s` of `s.startswith("a")` and of `isinstance(s, str)`."""
    name = last_name(call)
    if name in tables.PARTIAL_METHODS and isinstance(call.func, ast.Attribute):
        return call.func.value
    if name in tables.WEAK_CALLS | {"isclose", "allclose", "array_equal"} and call.args:
        return call.args[0]
    if name in ("search", "match", "fullmatch", "findall") and len(call.args) > 1:
        return call.args[1]
    return None
