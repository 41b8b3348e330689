"""The calls that assert something in Python: unittest, pytest, mocks, numpy and pandas."""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.integrity.model import Assertion, Strength
from supervisor_ai.gates.integrity.python_ast import words as tables
from supervisor_ai.gates.integrity.python_ast.assertions import ExpressionReader
from supervisor_ai.gates.integrity.python_ast.scope import PythonScope, last_name, name_of, text_of
from supervisor_ai.gates.integrity.python_ast.tolerance import closeness

_ANYTHING: Final = frozenset({"", ".*", ".+", "."})
_PAIR: Final = 2
_WAITING: Final = ("wait", "eventually", "poll", "until")


class CallReader(Struct, frozen=True):
    """Reads calls that assert."""

    scope: PythonScope
    known: frozenset[str]
    """Functions of the same file: what they assert is found where they stand."""

    def read(self, call: ast.Call) -> Iterator[Assertion]:
        """Find what a call asserts, if it does."""
        name, arguments = last_name(call), call.args
        expressions = ExpressionReader(self.scope)
        if name in tables.COMPARED and len(arguments) >= _PAIR:
            yield expressions.compare(call, arguments[0], tables.COMPARED[name], arguments[1])
        elif name in tables.ALONE and arguments:
            yield from self._alone(call, expressions)
        elif name in tables.ALMOST and len(arguments) >= _PAIR:
            yield self._almost(call, expressions)
        elif name in tables.RAISES | tables.WARNS and len(arguments) >= _PAIR:
            start = 3 if "Regex" in name else 2
            yield from self._raised_by_call(call, start)
        elif name.startswith(_WAITING) and arguments and isinstance(arguments[0], ast.Lambda):
            yield from expressions.read(arguments[0].body)
        elif name not in self.known:
            yield from self._of_library(call)

    def _alone(self, call: ast.Call, expressions: ExpressionReader) -> Iterator[Assertion]:
        pattern = tables.ALONE[last_name(call)]
        if pattern.count("{") > len(call.args):
            return
        texts = [f"({ast.unparse(argument)})" for argument in call.args]
        parsed = ast.parse(pattern.format(*texts), mode="eval").body
        for found in expressions.read(parsed):
            yield _moved(found, call.lineno)

    def _almost(self, call: ast.Call, expressions: ExpressionReader) -> Assertion:
        found = expressions.compare(call, call.args[0], "==", call.args[1])
        strength = closeness(self.scope.expand(call.args[1]), call)
        text = f"{found.text} within {', '.join(text_of(word) for word in call.keywords)}"
        return Assertion(text=text, subject=found.subject, strength=strength, line=call.lineno)

    def _raised_by_call(self, call: ast.Call, start: int) -> Iterator[Assertion]:
        if len(call.args) < start:
            return
        inner = ast.Call(func=call.args[start - 1], args=call.args[start:], keywords=call.keywords)
        yield from self.raised(call, text_of(inner))

    def raised(self, call: ast.Call, subject: str) -> Iterator[Assertion]:
        """Read what says that something raises or warns, with the code that must do so."""
        arguments = call.args
        error = self.scope.expand(arguments[0]) if arguments else None
        strength = Strength.WEAK if error is None else _of_error(error)
        if subject.startswith("raise "):
            strength = Strength.NONE
        kind = "raises" if last_name(call) in tables.RAISES else "warns"
        text = f"{kind} {text_of(error) if error else 'anything'}: {subject}"
        yield Assertion(text=text, subject=subject, strength=strength, line=call.lineno)
        yield from self._message(call, subject)

    def _message(self, call: ast.Call, subject: str) -> Iterator[Assertion]:
        patterns = [word.value for word in call.keywords if word.arg in ("match", "expected_regex")]
        if "Regex" in last_name(call):
            patterns += call.args[1:2]
        for pattern in patterns:
            about = f"message of {subject}"
            is_any = isinstance(pattern, ast.Constant) and pattern.value in _ANYTHING
            yield Assertion(
                text=f"{about} matches {text_of(pattern)}",
                subject=about,
                strength=Strength.NONE if is_any else Strength.PARTIAL,
                line=call.lineno,
            )

    def _of_library(self, call: ast.Call) -> Iterator[Assertion]:
        name = last_name(call)
        if name in tables.MOCKS and isinstance(call.func, ast.Attribute):
            subject = f"calls of {text_of(call.func.value)}"
            strength = tables.MOCKS[name]
            if "with" in name and call.args and all(map(_is_any, call.args)):
                strength = Strength.WEAK
        elif name.startswith("assert") and call.args:
            subject = text_of(self.scope.expand(call.args[0]))
            guess = Strength.EXACT if "equal" in name.lower() else Strength.PARTIAL
            strength = tables.LIBRARY.get(name, guess)
        else:
            return
        yield Assertion(text=text_of(call), subject=subject, strength=strength, line=call.lineno)


def _is_any(node: ast.expr) -> bool:
    return last_name(node) == "ANY"


def _moved(found: Assertion, line: int) -> Assertion:
    return Assertion(text=found.text, subject=found.subject, strength=found.strength, line=line)


def _of_error(error: ast.expr) -> Strength:
    if isinstance(error, ast.Tuple):
        wide = any(_of_error(part) is Strength.WEAK for part in error.elts)
        return Strength.WEAK if wide else Strength.PARTIAL
    name = last_name(error)
    if name in tables.ANY_ERROR:
        return Strength.WEAK
    return Strength.PARTIAL if name in tables.WIDE_ERRORS else Strength.EXACT


def is_failure(node: ast.AST) -> bool:
    """Tell whether a statement says that the test fails."""
    match node:
        case ast.Assert(test=ast.Constant(value=value)):
            return not value
        case ast.Expr(value=ast.Call() as call):
            return name_of(call.func) in ("pytest.fail", "self.fail", "fail")
        case ast.Raise(exc=ast.expr() as raised):
            return last_name(raised) in ("AssertionError", "failureException", "Failed")
        case _:
            return False


def tried(body: Sequence[ast.stmt]) -> str:
    """Return the code in a block that must raise: what its last statement works out."""
    statements = [part for part in body if not (is_failure(part) or isinstance(part, ast.Assert))]
    if not statements:
        return ""
    match statements[-1]:
        case ast.Expr(value=value) | ast.Assign(value=value):
            return text_of(value.value if isinstance(value, ast.Await) else value)
        case last:
            return text_of(last)
