"""What a Python test does to its own subject, and what a conftest does to the tests of others."""

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from supervisor_ai.gates.integrity.model import Assertion, Oddity
from supervisor_ai.gates.integrity.python_ast.scope import (
    Function,
    PythonScope,
    last_name,
    name_of,
    text_of,
    walk,
)
from supervisor_ai.gates.integrity.python_ast.skips import skipping_fixtures

_PATCHING: Final = frozenset({"setattr", "patch", "object", "setitem"})
_LISTS: Final = frozenset({"collect_ignore", "collect_ignore_glob"})
_HOOKS: Final = frozenset(
    {"pytest_ignore_collect", "pytest_collection_modifyitems", "pytest_collect_file"}
    | {"pytest_runtest_makereport", "pytest_runtest_setup", "pytest_runtest_call"}
    | {"pytest_sessionfinish", "pytest_pyfunc_call", "pytest_runtest_protocol", "load_tests"}
    | {"pytest_report_teststatus", "pytest_itemcollected", "pytest_deselected"}
)
_MEDDLING: Final = frozenset(
    {"skip", "xfail", "skipif", "deselected", "pytest_deselected", "clear", "remove", "pop"}
    | {"force_result", "exit", "_exit", "TestSuite", "filter"}
)
_REPORTED: Final = frozenset({"outcome", "exitstatus", "excinfo", "wasxfail", "obj", "runtest"})
_RETRYING: Final = frozenset({"flaky", "retry", "rerun", "reruns", "retries"})
_PAIR: Final = 2


def patched_subjects(
    function: Function, assertions: Iterable[Assertion], scope: PythonScope
) -> Iterator[Oddity]:
    """Find where a test replaces the very function whose answer it then checks."""
    replaced = list(_replaced_names(function, scope))
    asked = {_head_of(found.subject) for found in assertions} - {""} if replaced else set()
    for line, name in replaced:
        if name in asked:
            message = f"The test replaces {name!r}, whose answer it checks."
            yield Oddity(rule="subject_patched", message=message, line=line)


def _replaced_names(function: Function, scope: PythonScope) -> Iterator[tuple[int, str]]:
    for node in walk(function):
        if isinstance(node, ast.Call) and last_name(node) in _PATCHING:
            name = _patched(node)
        elif isinstance(node, ast.Assign):
            name = _overwritten(node, scope)
        else:
            continue
        if name:
            yield node.lineno, name


def _head_of(subject: str) -> str:
    """Return the function whose answer a subject is: `f` of `cart.f(2)`."""
    try:
        node: ast.AST = ast.parse(subject, mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Await):
        if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Call):
            break
        node = node.value
    return last_name(node) if isinstance(node, ast.Call) else ""


def _patched(call: ast.Call) -> str:
    """Return the name that `patch("a.b")` and `setattr(a, "b", ...)` replace."""
    first = call.args[0] if call.args else None
    second = call.args[1] if len(call.args) >= _PAIR else None
    if last_name(call) == "patch" or (last_name(call) == "setattr" and _is_text(first)):
        target = first
    else:
        target = second
    if isinstance(target, ast.Constant) and isinstance(target.value, str):
        return target.value.rpartition(".")[2]
    return ""


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _overwritten(node: ast.Assign, scope: PythonScope) -> str:
    """Return the name that `module.f = lambda: 3` replaces in something imported."""
    target = node.targets[0]
    if isinstance(target, ast.Attribute) and name_of(target).split(".")[0] in scope.imported:
        return target.attr
    return ""


def replaced_modules(tree: ast.Module, scope: PythonScope) -> Iterator[Oddity]:
    """Find where a file puts something else in the place of a module that it imports."""
    roots = _imported_modules(tree)
    for node in walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Subscript) and name_of(target.value).endswith("sys.modules"):
                key = scope.expand(target.slice)
                name = key.value if isinstance(key, ast.Constant) else None
                if name in roots:
                    message = f"The tests put something else in the place of the module {name!r}."
                    yield Oddity(rule="module_replaced", message=message, line=target.lineno)


def equal_to_all(tree: ast.Module) -> Iterator[Oddity]:
    """Find classes whose objects are equal to everything."""
    for node in walk(tree):
        if isinstance(node, Function) and node.name == "__eq__":
            match node.body[-1]:
                case ast.Return(value=ast.Constant(value=True)):
                    message = "The tests have an object that is equal to everything."
                    yield Oddity(rule="assertion_tautological", message=message, line=node.lineno)
                case _:
                    pass


def optional_modules(tree: ast.Module) -> Iterator[Oddity]:
    """Find the modules without which none of the tests of a file runs."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and last_name(node) == "importorskip" and node.args:
            message = f"The tests do not run where {text_of(node.args[0])} cannot be imported."
            yield Oddity(rule="test_skipped", message=message, line=node.lineno)


def retried(decorators: Iterable[ast.expr]) -> Iterator[Oddity]:
    """Find marks that run a test again until it passes."""
    for mark in decorators:
        if last_name(mark) in _RETRYING:
            message = "The test is run again where it fails."
            yield Oddity(rule="failure_retried", message=message, line=mark.lineno)


def _imported_modules(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def collection_changes(
    tree: ast.Module, scope: PythonScope, *, is_conftest: bool
) -> Iterator[Oddity]:
    """Find what leaves out tests of other files, or reports them as passed."""
    for statement in tree.body:
        yield from _lists(statement)
        if isinstance(statement, Function) and statement.name in _HOOKS and _meddles(statement):
            yield _left_out(statement, f"the hook {statement.name!r}")
    if is_conftest and skipping_fixtures(tree.body, scope)[1]:
        message = "A fixture that every test uses skips it."
        yield Oddity(rule="collection_changed", message=message, line=1)


def _lists(statement: ast.stmt) -> Iterator[Oddity]:
    match statement:
        case ast.Assign(targets=[target], value=value):
            pass
        case ast.AugAssign(target=target, value=value):
            pass
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target), args=[value])):
            pass
        case ast.If(body=body, orelse=orelse):
            for inner in (*body, *orelse):
                yield from _lists(inner)
            return
        case _:
            return
    if name_of(target) in _LISTS and not (isinstance(value, ast.List) and not value.elts):
        yield _left_out(statement, f"the list {name_of(target)!r} of {text_of(value)}")


def _left_out(node: ast.stmt, by: str) -> Oddity:
    message = f"Tests can be left out or reported as passed by {by}."
    return Oddity(rule="collection_changed", message=message, line=node.lineno)


def _meddles(function: Function) -> bool:
    """Tell whether a hook does more than look: it skips, deselects, or changes the outcome."""
    if function.name in ("pytest_ignore_collect", "load_tests", "pytest_report_teststatus"):
        return True
    for node in walk(function):
        if isinstance(node, ast.Call | ast.Attribute) and last_name(node) in _MEDDLING:
            return True
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Attribute) and target.attr in _REPORTED:
                return True
            if isinstance(target, ast.Subscript) and last_name(target.value) == "items":
                return True
        if isinstance(node, ast.Return) and function.name == "pytest_pyfunc_call":
            return True
    return False
