"""What the body of a Python test checks when it runs, and what in it can never fail."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.model import Assertion, Strength
from supervisor_ai.gates.integrity.python_ast import words as tables
from supervisor_ai.gates.integrity.python_ast.assertions import ExpressionReader
from supervisor_ai.gates.integrity.python_ast.calls import CallReader, is_failure, tried
from supervisor_ai.gates.integrity.python_ast.cases import count_of
from supervisor_ai.gates.integrity.python_ast.scope import (
    Function,
    PythonScope,
    last_name,
    truth_of,
    walk,
)
from supervisor_ai.gates.integrity.python_ast.skip_conditions import is_about_environment
from supervisor_ai.gates.integrity.python_ast.skips import is_skip

_SUPPRESSING: Final = re.compile(r"suppress|ignore|ignoring|swallow", re.IGNORECASE)
_CATCH_ALL: Final = frozenset({"AssertionError", "Exception", "BaseException", "Failed"})
_MESSAGE: Final = re.compile(r"str\((\w+)(?:\.value|\.exception)?\)")
_NAMES: Final = 1000
"""A function with more names than this is not followed from one value to the next."""
_ENDS: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class _Place(Struct, frozen=True):
    """Where a statement stands."""

    times: int = 1
    is_dead: bool = False
    """Whether a failure there cannot be noticed."""
    is_guarded: bool = False
    """Whether it is only reached under a condition."""

    def dead(self) -> "_Place":
        return replace(self, is_dead=True)

    def guarded(self) -> "_Place":
        return replace(self, is_guarded=True)

    def repeated(self, count: int) -> "_Place":
        if count == 0:
            return self.dead()
        return replace(self, times=0 if count < 0 else self.times * count)


@dataclass(slots=True)
class BodyReader:
    """Reads one body; ask it once."""

    scope: PythonScope
    known: frozenset[str]
    assertions: list[Assertion] = field(default_factory=list)
    swallows: bool = False
    _overwritten: frozenset[str] = frozenset()
    _caught: dict[str, str] = field(default_factory=dict)
    """The names of errors, with the code that raised them."""

    def read(self, function: Function) -> None:
        """Go through the body as it would run."""
        self.scope = self.scope.within(function)
        self._overwritten = _overwritten(function)
        self._block(function.body, _Place(), _names_used(function))

    def _block(self, body: Iterable[ast.stmt], place: _Place, used: frozenset[str]) -> None:
        for statement in body:
            self._statement(statement, place, used)
            place = self._after(statement, place)

    def _after(self, statement: ast.stmt, place: _Place) -> _Place:
        """Return where the next statement stands."""
        if isinstance(statement, _ENDS) or _is_skip(statement):
            return place.dead()
        if isinstance(statement, ast.Try) and _gives_up(statement):
            return place.dead()
        if isinstance(statement, ast.If) and not statement.orelse:
            ends = isinstance(statement.body[-1], _ENDS) or _is_skip(statement.body[-1])
            if ends and not _asserts(statement.body):
                return self._after_way_out(statement.test, place)
        return place

    def _after_way_out(self, condition: ast.expr, place: _Place) -> _Place:
        truth = truth_of(condition, self.scope)
        if truth is False:
            return place
        if truth or is_about_environment(self.scope.expand(condition)):
            return place.dead()
        return place.guarded()

    def _statement(self, node: ast.stmt, place: _Place, used: frozenset[str]) -> None:
        match node:
            case ast.Assert(test=test):
                if not is_failure(node):
                    self._add(ExpressionReader(self.scope).read(test), place)
            case ast.Expr(value=value):
                call = value.value if isinstance(value, ast.Await) else value
                if isinstance(call, ast.Call):
                    self._add(CallReader(self.scope, self.known).read(call), place)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if name in self._overwritten and len(self.scope.values) < _NAMES:
                    self.scope = self.scope.given(name, value)
            case _:
                self._compound(node, place, used)

    def _compound(self, node: ast.stmt, place: _Place, used: frozenset[str]) -> None:
        match node:
            case ast.If():
                self._if(node, place, used)
            case ast.For(iter=values, body=body) | ast.AsyncFor(iter=values, body=body):
                count = 1 if _ends_early(body) else count_of(values, self.scope)
                self._block(body, place.repeated(count), used)
                self._block(node.orelse, place, used)
                self._waited_for(node, place)
            case ast.While(test=test, body=body):
                never = truth_of(test, self.scope) is False
                self._block(body, place.dead() if never else place, used)
                self._waited_for(node, place)
            case ast.With() | ast.AsyncWith():
                self._with(node, place, used)
            case ast.Try() | ast.TryStar():
                self._try(node, place, used)
            case ast.Match(cases=cases):
                for case in cases:
                    self._block(case.body, place, used)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                called = name in used or bool(node.decorator_list)
                self._block(node.body, place if called else place.dead(), used)
            case _:
                pass

    def _if(self, node: ast.If, place: _Place, used: frozenset[str]) -> None:
        if len(node.body) == 1 and is_failure(node.body[0]) and not node.orelse:
            found = ExpressionReader(self.scope).read(node.test, is_negated=True)
            self._add(found, place)
            return
        truth = truth_of(node.test, self.scope)
        both = _asserts(node.body) and _asserts(node.orelse)
        for block, reached in ((node.body, True), (node.orelse, False)):
            self._block(block, self._branch(node, place, truth is reached, both), used)

    def _branch(self, node: ast.If, place: _Place, taken: bool, both: bool) -> _Place:  # noqa: FBT001 - two facts of one branch
        truth = truth_of(node.test, self.scope)
        if truth is not None:
            return place if taken else place.dead()
        if both:
            return place
        about = is_about_environment(self.scope.expand(node.test))
        return place.dead() if about else place.guarded()

    def _waited_for(self, node: ast.For | ast.AsyncFor | ast.While, place: _Place) -> None:
        """Read a loop that fails unless something comes true as what it means."""
        reader = ExpressionReader(self.scope)
        if isinstance(node, ast.While) and _asserts(node.body):
            if truth_of(node.test, self.scope) is None:
                self._add(reader.read(node.test, is_negated=True), place)
        elif any(is_failure(part) for part in node.orelse):
            for part in node.body:
                if isinstance(part, ast.If) and isinstance(part.body[-1], ast.Break | ast.Return):
                    self._add(reader.read(part.test), place)

    def _with(self, node: ast.With | ast.AsyncWith, place: _Place, used: frozenset[str]) -> None:
        inner = place
        for item in node.items:
            call = item.context_expr
            name = last_name(call)
            if not isinstance(call, ast.Call):
                continue
            if name in tables.RAISES | tables.WARNS:
                reader = CallReader(self.scope, self.known)
                self._add(reader.raised(call, tried(node.body)), place)
                self._remember(item, tried(node.body))
                inner = inner.dead() if _catches(call.args[:1]) else inner
                self._raising(node.body, inner, used)
                return
            if _SUPPRESSING.search(name) and (_catches(call.args) or not call.args):
                inner = inner.dead()
        self._block(node.body, inner, used)

    def _raising(self, body: Sequence[ast.stmt], place: _Place, used: frozenset[str]) -> None:
        """Go through a block that must raise: nothing behind its first call is surely reached."""
        for at, statement in enumerate(body):
            self._block([statement], place.dead() if _has_calls(body[:at]) else place, used)

    def _remember(self, item: ast.withitem, subject: str) -> None:
        if isinstance(item.optional_vars, ast.Name):
            self._caught[item.optional_vars.id] = subject

    def _about(self, subject: str) -> str:
        """Write a subject with what its names stand for; an error is known by what raised it."""
        message = _MESSAGE.fullmatch(subject)
        if message and message[1] in self._caught:
            return f"message of {self._caught[message[1]]}"
        return self.scope.resolved(subject)

    def _try(self, node: ast.Try | ast.TryStar, place: _Place, used: frozenset[str]) -> None:
        expects = any(is_failure(part) for part in (*node.body, *node.orelse))
        if expects:
            self._add(_expected_errors(node), place)
        quiet = [handler for handler in node.handlers if not _fails(handler.body)]
        swallowing = any(_is_broad(handler) for handler in quiet)
        returning = any(isinstance(part, ast.Return) for part in node.finalbody)
        inner = place.dead() if swallowing or returning else place
        self._block(node.body, inner, used)
        self._block(node.orelse, place.guarded() if swallowing else inner, used)
        either = expects or _asserts(node.orelse)
        for handler in node.handlers:
            self._block(handler.body, place if either else place.guarded(), used)
        self._block(node.finalbody, place, used)

    def _add(self, found: Iterable[Assertion], place: _Place) -> None:
        for assertion in found:
            if place.is_dead:
                self.swallows = True
                continue
            times = assertion.times * place.times
            seen = _guarded(assertion) if place.is_guarded else assertion
            resolved = self._about(seen.subject)
            self.assertions.append(replace(seen, times=times, resolved=resolved))


def _guarded(assertion: Assertion) -> Assertion:
    """Say less of an assertion that may never be reached."""
    strength = min(assertion.strength, Strength.WEAK)
    return replace(assertion, text=f"perhaps {assertion.text}", strength=strength)


def _gives_up(node: ast.Try) -> bool:
    """Tell whether a test is over, without a word, where anything goes wrong."""
    return any(
        _is_broad(handler)
        and isinstance(handler.body[-1], ast.Return)
        and not _asserts(handler.body)
        for handler in node.handlers
    )


def _has_calls(body: Iterable[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Call) for part in body for node in walk(part))


def _ends_early(body: Sequence[ast.stmt]) -> bool:
    """Tell whether a loop ends in its first round unless something fails: it only tries again."""
    for statement in body:
        if isinstance(statement, ast.Break | ast.Return):
            return True
        if isinstance(statement, ast.Try | ast.TryStar):
            tried_first = [*statement.body, *statement.orelse]
            if any(isinstance(part, ast.Break | ast.Return) for part in tried_first):
                return True
    return False


def _is_skip(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and is_skip(node.value)


def _asserts(body: Sequence[ast.stmt]) -> bool:
    """Tell whether a block asserts anything, or calls what may do so."""
    for statement in body:
        for node in walk(statement):
            if isinstance(node, ast.Assert) or is_failure(node):
                return True
            if isinstance(node, ast.Call):
                name = last_name(node)
                if name in tables.RAISES or name.startswith(("assert", "check", "verify")):
                    return True
    return False


def _fails(body: Sequence[ast.stmt]) -> bool:
    """Tell whether a block that caught something still fails the test."""
    for statement in body:
        for node in walk(statement):
            if is_failure(node) or (isinstance(node, ast.Assert) and not _is_constant(node.test)):
                return True
            if isinstance(node, ast.Raise) and (
                node.exc is None or last_name(node.exc) != "SkipTest"
            ):
                return True
            if isinstance(node, ast.Call) and last_name(node).startswith("assert"):
                return True
    return False


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _is_broad(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or _catches([handler.type])


def _catches(errors: Iterable[ast.expr]) -> bool:
    """Tell whether a failing assertion is among the errors."""
    for error in errors:
        parts = error.elts if isinstance(error, ast.Tuple) else [error]
        if any(last_name(part) in _CATCH_ALL for part in parts):
            return True
    return False


def _expected_errors(node: ast.Try | ast.TryStar) -> Iterator[Assertion]:
    """Read `try: f(); fail() except ValueError: pass` as what it means: f() raises."""
    subject = tried(node.body)
    for handler in node.handlers:
        if handler.type is not None:
            by_assert = any(isinstance(part, ast.Assert) for part in node.body)
            if by_assert and _catches([handler.type]):
                continue
            call = ast.Call(func=ast.Name(id="raises"), args=[handler.type], keywords=[])
            call.lineno = node.lineno
            yield from CallReader(PythonScope(), frozenset()).raised(call, subject)


def _names_used(function: Function) -> frozenset[str]:
    return frozenset(
        node.id
        for node in walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def _overwritten(function: Function) -> frozenset[str]:
    """Return the names that are given one value after the other, and in no other way."""
    given = Counter(
        statement.targets[0].id
        for statement in function.body
        if isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
    )
    bound = Counter(
        node.id
        for node in walk(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    return frozenset(name for name, count in given.items() if 1 < count == bound[name])
