"""Which Python files hold tests, and which of their functions a runner collects."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.integrity.python_ast.scope import Function, last_name, walk

_FOLDERS: Final = frozenset({"test", "tests"})
_COLLECTED: Final = re.compile(r"test_.*|.*_tests?|tests?")
_UNITTEST: Final = re.compile(r"test.*")
_HAS_TESTS: Final = re.compile(rb"(?m)^\s*(async\s+)?def\s+test|^class\s+\w*Test|TestCase\b")


class FoundFunction(Struct, frozen=True):
    """A function of a module or class, and whether a runner takes it for a test."""

    name: str
    function: Function
    classes: tuple[ast.ClassDef, ...]
    is_test: bool


def is_test_file(path: str, source: bytes) -> bool:
    """Tell whether a file holds tests, or what they share."""
    parts = PurePosixPath(path)
    if parts.suffix != ".py":
        return False
    if _COLLECTED.fullmatch(parts.stem) or parts.name == "conftest.py":
        return True
    if _FOLDERS & {folder.lower() for folder in parts.parts[:-1]}:
        return True
    return bool(_UNITTEST.fullmatch(parts.stem) and _HAS_TESTS.search(source))


def is_collected(path: str, tree: ast.Module) -> bool:
    """Tell whether a runner looks for tests in the file by itself."""
    stem = PurePosixPath(path).stem
    if _COLLECTED.fullmatch(stem):
        return True
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return bool(_UNITTEST.fullmatch(stem)) and any(map(_is_unittest, classes))


def functions_of(path: str, tree: ast.Module) -> Iterator[FoundFunction]:
    """Find the functions of a file; of several with one name only the last is there."""
    collected = is_collected(path, tree)
    found: dict[str, FoundFunction] = {}
    parents = _parents(tree)
    for name, function, classes in _functions(tree.body, "", ()):
        found.pop(name, None)
        is_test = collected and function.name.startswith("test") and _are_tests(classes, parents)
        is_test = is_test and not any(last_name(m) == "fixture" for m in function.decorator_list)
        found[name] = FoundFunction(name, function, classes, is_test)
    gone = _overwritten(tree)
    for entry in found.values():
        outer = entry.classes[0] if entry.classes else entry.function
        if gone.get(outer.name, 0) < outer.lineno:
            yield entry


def _functions(
    body: list[ast.stmt], prefix: str, classes: tuple[ast.ClassDef, ...]
) -> Iterator[tuple[str, Function, tuple[ast.ClassDef, ...]]]:
    for statement in body:
        if isinstance(statement, Function):
            yield prefix + statement.name, statement, classes
        elif isinstance(statement, ast.ClassDef):
            inner = (*classes, statement)
            yield from _functions(statement.body, f"{prefix}{statement.name}.", inner)
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _functions(_inner(statement), prefix, classes)


def _inner(statement: ast.If | ast.Try | ast.With) -> list[ast.stmt]:
    """Return the statements that run: a test below `if False` is not there."""
    if isinstance(statement, ast.If):
        if isinstance(statement.test, ast.Constant):
            return statement.body if statement.test.value else statement.orelse
        if last_name(statement.test) == "TYPE_CHECKING" or _is_main(statement.test):
            return statement.orelse
        return [*statement.body, *statement.orelse]
    return statement.body


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and last_name(test.left) == "__name__"


def _parents(tree: ast.Module) -> frozenset[str]:
    """Return the classes whose tests run in the classes below them."""
    classes = [node for node in walk(tree) if isinstance(node, ast.ClassDef)]
    return frozenset(last_name(base) for node in classes for base in node.bases)


def _are_tests(classes: tuple[ast.ClassDef, ...], parents: frozenset[str]) -> bool:
    return all(
        node.name.startswith("Test") or _is_unittest(node) or node.name in parents
        for node in classes
    )


def _is_unittest(node: ast.ClassDef) -> bool:
    return any("Test" in last_name(base) for base in node.bases)


def _overwritten(tree: ast.Module) -> dict[str, int]:
    """Return the names that a module gives another meaning, and where it does so last."""
    lines: dict[str, int] = {}
    for statement in tree.body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign | ast.Delete):
            targets = statement.targets
        for target in targets:
            if isinstance(target, ast.Name):
                lines[target.id] = statement.lineno
    return lines
