"""What keeps a Python test from running, or lets it fail without notice."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

from supervisor_ai.gates.integrity.python_ast.scope import (
    Function,
    PythonScope,
    last_name,
    name_of,
    walk,
)
from supervisor_ai.gates.integrity.python_ast.skip_conditions import leaves_out

_LEFT_OUT: Final = re.compile(
    r"skip|disab|ignore|xfail|expectedfailure|todo|broken|quarantin|deselect|notest|nottest",
    re.IGNORECASE,
)
_CONDITIONAL: Final = {"skipif": True, "skipIf": True, "skipUnless": False}
_CALLS: Final = frozenset({"pytest.skip", "pytest.xfail", "skip", "xfail", "skipTest", "exit"})
_RAISED: Final = frozenset({"SkipTest", "Skipped", "Exit"})
_SETUPS: Final = frozenset(
    {"setUp", "setUpClass", "asyncSetUp", "setup", "setup_method", "setup_class"}
)
MODULE_SETUPS: Final = frozenset({"setUpModule", "setup_module", "setup_function"})


def is_marked(decorators: Iterable[ast.expr], scope: PythonScope) -> bool:
    """Tell whether one of the decorators or marks leaves a test out, or lets it fail."""
    return any(_is_mark(decorator, scope) for decorator in decorators)


def _is_mark(mark: ast.expr, scope: PythonScope) -> bool:
    mark = scope.expand(mark)
    if isinstance(mark, ast.List | ast.Tuple):
        return is_marked(mark.elts, scope)
    name = last_name(mark)
    if isinstance(mark, ast.Call):
        if name in _CONDITIONAL:
            return _holds(mark, scope, wanted=_CONDITIONAL[name])
        if name == "xfail" and mark.args:
            return leaves_out(mark.args[0], scope)
    return bool(_LEFT_OUT.search(name))


def _holds(mark: ast.Call, scope: PythonScope, *, wanted: bool) -> bool:
    given = [word.value for word in mark.keywords if word.arg == "condition"]
    conditions = [*mark.args[:1], *given]
    if not conditions:
        return True
    condition = conditions[0]
    if isinstance(condition, ast.Constant) and isinstance(condition.value, str):
        condition = _parsed(condition.value)
    return leaves_out(condition if wanted else ast.UnaryOp(op=ast.Not(), operand=condition), scope)


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Constant(value=True)


def used_fixtures(function: Function) -> frozenset[str]:
    """Return the fixtures that a test asks for, by its parameters or by a mark."""
    named = {argument.arg for argument in function.args.args}
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and last_name(mark) == "usefixtures":
            named |= {str(part.value) for part in mark.args if isinstance(part, ast.Constant)}
    return frozenset(named)


def is_never_run(function: Function, decorators: Iterable[ast.expr]) -> bool:
    """Tell whether a runner calls a test and then does nothing with what it gets.

    A generator is not gone through; what is `async` without a reason is not awaited.
    """
    if not isinstance(function, ast.AsyncFunctionDef) and not any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(function)
    ):
        return False
    inner = list(_own_nodes(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inner):
        return True
    if not isinstance(function, ast.AsyncFunctionDef) or any(
        isinstance(node, ast.Await | ast.AsyncWith | ast.AsyncFor) for node in inner
    ):
        return False
    return not list(decorators)


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef | ast.GeneratorExp):
            waiting.extend(ast.iter_child_nodes(node))


def marks_of(body: Iterable[ast.stmt]) -> Iterator[ast.expr]:
    """Find the marks that a module or class gives all its tests."""
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                yield value
            case ast.AnnAssign(target=ast.Name(id="pytestmark"), value=ast.expr() as value):
                yield value
            case ast.AugAssign(target=ast.Name(id="pytestmark"), value=value):
                yield value
            case _:
                pass


def says_no_tests(body: Iterable[ast.stmt]) -> bool:
    """Tell whether a module or class says `__test__ = False`."""
    for statement in body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id="__test__")], value=ast.Constant(value=False | 0 | None)
            ):
                return True
            case _:
                pass
    return False


def is_skipping(body: Iterable[ast.stmt], scope: PythonScope) -> bool:
    """Tell whether a body always ends in a skip, on an ordinary machine at least."""
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Call() as call) if is_skip(call):
                return True
            case ast.Raise(exc=ast.expr() as raised) if last_name(raised) in _RAISED:
                return True
            case ast.If(test=test, body=inner) if leaves_out(test, scope):
                if is_skipping(inner, scope):
                    return True
            case ast.With(body=inner) | ast.AsyncWith(body=inner):
                if is_skipping(inner, scope):
                    return True
            case _:
                pass
    return False


def is_skip(call: ast.Call) -> bool:
    """Tell whether a call ends a test without a verdict."""
    name = name_of(call.func)
    return (
        name in _CALLS - {"exit", "skip"}
        or name.endswith((".skipTest", ".exit"))
        or (name == "skip" and bool(call.args or call.keywords))
    )


def skipping_fixtures(body: Iterable[ast.stmt], scope: PythonScope) -> tuple[set[str], bool]:
    """Return the fixtures that always skip, and whether one of them serves every test."""
    names: set[str] = set()
    for_all = False
    for statement in body:
        if isinstance(statement, Function) and is_skipping(statement.body, scope):
            fixture = _fixture(statement)
            if fixture is not None:
                names.add(statement.name)
                for_all = for_all or _is_autouse(fixture)
            elif statement.name in _SETUPS | MODULE_SETUPS:
                for_all = True
    return names, for_all


def is_preparing(function: Function) -> bool:
    """Tell whether a function runs before tests: a fixture, or a setup."""
    return _fixture(function) is not None or function.name in _SETUPS | MODULE_SETUPS


def _fixture(function: Function) -> ast.expr | None:
    return next((mark for mark in function.decorator_list if last_name(mark) == "fixture"), None)


def _is_autouse(fixture: ast.expr) -> bool:
    words = fixture.keywords if isinstance(fixture, ast.Call) else []
    return any(
        word.arg == "autouse"
        and not (isinstance(word.value, ast.Constant) and not word.value.value)
        for word in words
    )
