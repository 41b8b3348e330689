"""Reads the tests of Python files: those that pytest and unittest collect."""

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.integrity.model import Oddity, TestCase, TestFile, Unreadable
from supervisor_ai.gates.integrity.python_ast.bodies import BodyReader
from supervisor_ai.gates.integrity.python_ast.cases import UNKNOWN, cases_of
from supervisor_ai.gates.integrity.python_ast.files import FoundFunction, functions_of, is_test_file
from supervisor_ai.gates.integrity.python_ast.oddities import (
    collection_changes,
    equal_to_all,
    optional_modules,
    patched_subjects,
    replaced_modules,
    retried,
)
from supervisor_ai.gates.integrity.python_ast.origins import Origins
from supervisor_ai.gates.integrity.python_ast.scope import (
    Function,
    PythonScope,
    last_name,
    module_scope,
    walk,
)
from supervisor_ai.gates.integrity.python_ast.skips import (
    is_marked,
    is_never_run,
    is_preparing,
    is_skipping,
    marks_of,
    says_no_tests,
    skipping_fixtures,
    used_fixtures,
)

_ALL_CONSTANTS: Final = 64 * 1024
_NOT_PYTHON: Final = (SyntaxError, ValueError, RecursionError, MemoryError)


class PythonTests:
    """Reads Python without running it."""

    suffixes: Final = (".py",)
    method: Final = None

    def is_test(self, path: str, source: bytes) -> bool:
        """Tell whether a runner looks for tests in the file, or tests share what stands in it."""
        return is_test_file(path, source)

    def read(self, path: str, source: bytes) -> TestFile | Unreadable:
        """Find the tests of a file; the source is hostile."""
        try:
            return _FileReader(path, parsed(source)).read()
        except _NOT_PYTHON as error:
            return Unreadable(path=path, reason=f"it is no Python that we can read ({error})")


def parsed(source: str | bytes) -> ast.Module:
    """Parse a file without a word about its style."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


@dataclass(slots=True)
class _FileReader:
    path: str
    tree: ast.Module

    def read(self) -> TestFile:
        scope = module_scope(self.tree)
        found = list(functions_of(self.path, self.tree))
        known = frozenset(entry.function.name for entry in found)
        skipping, for_all = skipping_fixtures(self.tree.body, scope)
        origins = Origins(self.path, self.tree)
        reader = _TestReader(scope, known, frozenset(skipping), origins)
        read = [(entry, reader.read(entry)) for entry in found]
        tests = tuple(test for entry, test in read if entry.is_test)
        others = [test for entry, test in read if not entry.is_test]
        return TestFile(
            path=self.path,
            tests=tests,
            checkers=tuple(test for test in others if _is_checker(test)),
            fixtures=tuple(test for entry, test in read if is_preparing(entry.function)),
            is_skipped=for_all or self._is_left_out(scope),
            oddities=(*self._oddities(scope), *self._fixtures(found, tests, scope)),
        )

    def _fixtures(
        self, found: Iterable[FoundFunction], tests: Iterable[TestCase], scope: PythonScope
    ) -> Iterator[Oddity]:
        """Find what fixtures replace although the tests of the file check it."""
        asked = [assertion for test in tests for assertion in test.assertions]
        for entry in found:
            if is_preparing(entry.function):
                yield from patched_subjects(entry.function, asked, scope)

    def _is_left_out(self, scope: PythonScope) -> bool:
        body = self.tree.body
        marked = is_marked(marks_of(body), scope)
        return marked or says_no_tests(body) or is_skipping(body, scope)

    def _oddities(self, scope: PythonScope) -> tuple[Oddity, ...]:
        is_conftest = PurePosixPath(self.path).name == "conftest.py"
        changes = collection_changes(self.tree, scope, is_conftest=is_conftest)
        return (
            *changes,
            *replaced_modules(self.tree, scope),
            *equal_to_all(self.tree),
            *optional_modules(self.tree),
        )


def _is_checker(test: TestCase) -> bool:
    """Tell whether a function that is no test matters: it asserts, or it looks like a test."""
    return bool(test.assertions) or test.swallows or "test" in test.name.rpartition(".")[2].lower()


class _TestReader(Struct, frozen=True):
    """Reads one function after the other."""

    scope: PythonScope
    known: frozenset[str]
    skipping: frozenset[str]
    """Fixtures that skip whatever uses them."""
    origins: Origins
    written: dict[str, str] = {}

    def read(self, found: FoundFunction) -> TestCase:
        function = found.function
        reader = BodyReader(self.scope, self.known)
        reader.read(function)
        decorators = [
            *function.decorator_list,
            *(mark for outer in found.classes for mark in outer.decorator_list),
        ]
        cases = cases_of(decorators, self.scope)
        assertions = tuple(reader.assertions)
        return TestCase(
            name=found.name,
            line=function.lineno,
            body=self._body(function),
            assertions=assertions,
            is_skipped=cases == 0 or self._is_skipped(found, decorators),
            swallows=reader.swallows,
            cases=0 if cases == UNKNOWN else max(cases, 1),
            calls=_calls(function),
            origins=self.origins.of(found),
            oddities=(
                *patched_subjects(function, assertions, self.scope),
                *retried(decorators),
            ),
        )

    def _is_skipped(self, found: FoundFunction, decorators: Iterable[ast.expr]) -> bool:
        function = found.function
        scope = self.scope.within(function)
        if is_marked(decorators, self.scope) or is_skipping(function.body, scope):
            return True
        if self.skipping & used_fixtures(function):
            return True
        if found.is_test and not _has_parents(found) and is_never_run(function, decorators):
            return True
        return any(
            says_no_tests(outer.body)
            or is_marked(marks_of(outer.body), self.scope)
            or skipping_fixtures(outer.body, self.scope)[1]
            for outer in found.classes
        )

    def _body(self, function: Function) -> str:
        """Write the code of a test without its name, with the tables that it is run with."""
        statements = function.body
        if ast.get_docstring(function) is not None:
            statements = statements[1:]
        lines = [ast.unparse(mark) for mark in function.decorator_list]
        lines += [ast.unparse(function.args), *(ast.unparse(part) for part in statements)]
        lines += self._constants(function)
        return "\n".join(lines)

    def _constants(self, function: Function) -> list[str]:
        """Write the constants of the module that a test uses: the values of its cases."""
        names = {node.id for node in walk(function) if isinstance(node, ast.Name)}
        return [self._constant(name) for name in sorted(names & self.scope.values.keys())]

    def _constant(self, name: str) -> str:
        """Write a constant once, and no more than so much of all of them."""
        if name not in self.written:
            room = _ALL_CONSTANTS - sum(map(len, self.written.values()))
            self.written[name] = ast.unparse(self.scope.values[name])[: max(room, 0)]
        return self.written[name]


def _has_parents(found: FoundFunction) -> bool:
    """Tell whether a class decides how its tests are run."""
    return any(outer.bases for outer in found.classes)


def _calls(function: Function) -> tuple[str, ...]:
    calls = [last_name(node) for node in walk(function) if isinstance(node, ast.Call)]
    return tuple(dict.fromkeys(name for name in calls if name))
