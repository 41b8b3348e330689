"""Python test files: which functions pytest and unittest collect, and how they are run."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import PurePosixPath
from tokenize import detect_encoding
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.body import read_function
from supervisor_ai.gates.integrity.analysis.code import scopes_of
from supervisor_ai.gates.integrity.analysis.code_text import Outside, wording
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import SourceFile
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.python.cases import cases_of
from supervisor_ai.gates.integrity.languages.python.nodes import (
    assigned,
    decorators,
    expression,
    is_lasting,
    last_name,
    unwrapped,
)
from supervisor_ai.gates.integrity.languages.python.oddities import (
    file_oddities,
    patched_subjects,
    retried,
)
from supervisor_ai.gates.integrity.languages.python.origins import Origins
from supervisor_ai.gates.integrity.languages.python.skips import (
    is_marked,
    is_never_run,
    is_preparing,
    is_skipping,
    marks_of,
    says_no_tests,
    skipping_fixtures,
    skips_failures,
    used_fixtures,
)
from supervisor_ai.gates.integrity.model import Assertion, Oddity, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_FOLDERS: Final = frozenset({"test", "tests"})
_COLLECTED: Final = re.compile(r"test_.*|.*_tests?|tests?")
_UNITTEST: Final = re.compile(r"test.*")
_HAS_TESTS: Final = re.compile(rb"(?m)^\s*(async\s+)?def\s+test|^class\s+\w*Test|TestCase\b")
_SHARING: Final = re.compile(
    r"^(?!(?:Isolated\w*|Simple|Transaction|LiveServer\w*|API\w*|Async\w*)?TestCase$)"
    r"(?=.*(?:Test|Check|Contract|Spec|Suite|Case|Shared|Base|Mixin))"
)
"""How classes are called that bring tests along; those of libraries do not."""
_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")
_MAIN: Final = re.compile(r"TYPE_CHECKING$|__name__\s*==")


def is_test_file(path: str, source: bytes) -> bool:
    """Tell whether a file holds tests, or what they share."""
    parts = PurePosixPath(path)
    if _COLLECTED.fullmatch(parts.stem) or parts.name == "conftest.py":
        return True
    if _FOLDERS & {folder.lower() for folder in parts.parts[:-1]}:
        return True
    return bool(_UNITTEST.fullmatch(parts.stem) and _HAS_TESTS.search(source))


def refusal(source: bytes) -> str | None:
    """Say why Python would not read a file, before it comes to its grammar."""
    try:
        encoding, _ = detect_encoding(BytesIO(source).readline)
        source.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as error:
        return f"it is no Python that we can read ({error})"
    return None


def as_parsed(source: bytes) -> bytes:
    """Write a file of another encoding so that its grammar can read it, at the same places."""
    try:
        source.decode()
    except UnicodeDecodeError:
        return _NOT_ASCII.sub(b"?", source)
    return source


def read_file(file: SourceFile) -> TestFile:
    """Find the tests of a file."""
    return _Reading(file).found()


class _Function(Struct, frozen=True, kw_only=True):
    """A function of a module or class, and whether a runner takes it for a test."""

    name: str
    node: "Node"
    classes: "tuple[Node, ...]"
    is_test: bool

    @property
    def marks(self) -> "list[Node]":
        outer = (mark for each in self.classes for mark in decorators(each))
        return [*decorators(self.node), *outer]


class _Reading:
    """One file while it is read."""

    def __init__(self, file: SourceFile) -> None:
        self._file, self._body = file, items(file.root)
        self._nodes = list(walked(file.root))
        self._lists = dict(_values(map(expression, self._body)))
        self._values = {name: it for name, it in self._lists.items() if is_lasting(it)}
        self._asking = Conditions(table=file.table, names=self._values)
        self._outside = Outside(self._lists, file.table)
        self._functions = list(_functions(file, self._nodes))
        self._own = frozenset(source_of(field(each.node, "name")) for each in self._functions)
        self._skipping, self._is_skipped = skipping_fixtures(self._body, self._asking)
        self._skipped: dict[int, bool] = {}
        """The classes whose tests are known to be left out, or not."""
        self._origins = Origins(file.path, file.root, self._nodes)

    def found(self) -> TestFile:
        """Return what the file holds."""
        read = [(each, self._read(each)) for each in self._functions]
        tests = tuple(test for each, test in read if each.is_test)
        others = (test for each, test in read if not each.is_test)
        return TestFile(
            path=self._file.path,
            tests=tests,
            checkers=tuple(test for test in others if _is_checker(test)),
            bases=tuple(self._bases()),
            fixtures=tuple(test for each, test in read if is_preparing(each.node)),
            is_skipped=self._is_skipped or self._is_left_out(self._body, self._asking),
            oddities=(
                *file_oddities(self._file, self._nodes, self._asking),
                *self._replaced(tests),
            ),
        )

    def _bases(self) -> Iterator[str]:
        """Yield the classes from which the classes of tests inherit more tests."""
        for each in self._nodes if _is_collected(self._file) else ():
            if each.type == "class_definition" and _holds_tests(each, frozenset()):
                yield from filter(_SHARING.search, map(last_name, _bases(each)))

    def _replaced(self, tests: Iterable[TestCase]) -> Iterator[Oddity]:
        """Find what fixtures replace although the tests of the file check it."""
        asked = [assertion for test in tests for assertion in test.assertions]
        for each in self._functions:
            if is_preparing(each.node):
                yield from self._patched(walked(each.node), asked)

    def _patched(self, nodes: "Iterable[Node]", asked: Iterable[Assertion]) -> Iterator[Oddity]:
        return patched_subjects(nodes, asked, self._origins.imported, self._file.lines)

    def _is_left_out(self, body: "Iterable[Node]", asking: Conditions) -> bool:
        body = list(body)
        return is_marked(marks_of(body), asking) or says_no_tests(body) or is_skipping(body, asking)

    def _read(self, found: _Function) -> TestCase:
        marks = found.marks
        nodes = [each for part in (found.node, *marks) for each in walked(part)]
        uses = Counter(source_of(each) for each in nodes if each.type == "identifier")
        flow = self._flow(found.node, nodes, uses)
        test = read_function(found.node, flow, self._file.lines)
        patched = self._patched(nodes, test.assertions)
        cases = cases_of(marks, Conditions(table=self._file.table, names=self._lists))
        return replace(
            test,
            name=found.name,
            body=self._written(found.node, test.body, uses),
            swallows=test.swallows or (found.is_test and skips_failures(found.node)),
            is_skipped=cases == 0 or self._is_skipped_test(found, flow),
            cases=0 if cases is None else test.cases * max(cases, 1),
            origins=self._origins.of(found.node, found.classes, uses),
            oddities=(*patched, *retried(marks, self._file.lines)),
        )

    def _flow(self, function: "Node", nodes: "list[Node]", uses: Counter[str]) -> Flow:
        table = self._file.table
        scopes = scopes_of(function, table)
        seen = uses.keys() - scopes.names
        return Flow(
            table=table,
            scopes=scopes,
            outer=_known(self._values, seen),
            lists={**_known(self._lists, seen), **dict(_values(nodes))},
            uses=uses,
            own=self._own,
        )

    def _is_skipped_test(self, found: _Function, flow: Flow) -> bool:
        body, marks = items(field(found.node, "body")), found.marks
        if is_marked(marks, self._asking) or self._skipping & used_fixtures(found.node):
            return True
        if body and is_skipping(body, flow.asking(body[-1])):
            return True
        is_free = found.is_test and not any(field(each, "superclasses") for each in found.classes)
        if is_free and is_never_run(found.node, is_marked=bool(marks)):
            return True
        return any(map(self._is_skipped_class, found.classes))

    def _is_skipped_class(self, outer: "Node") -> bool:
        if outer.id not in self._skipped:
            body = items(field(outer, "body"))
            is_said = says_no_tests(body) or is_marked(marks_of(body), self._asking)
            self._skipped[outer.id] = is_said or skipping_fixtures(body, self._asking)[1]
        return self._skipped[outer.id]

    def _written(self, function: "Node", text: str, uses: Counter[str]) -> str:
        """Write the code of a test without its name, with the tables that it is run with."""
        table = self._file.table
        lines = [wording(mark, table) for mark in decorators(function)]
        lines.append(wording(field(function, "parameters"), table)[1:-1])
        first = next(iter(items(field(function, "body"))), None)
        if first is not None and expression(first).type == "string":
            text = text.removeprefix(wording(first, table)).lstrip("\n")
        return "\n".join([*lines, text, *self._outside.named(uses)])


def _known(values: Mapping[str, "Node"], names: Iterable[str]) -> dict[str, "Node"]:
    return {name: values[name] for name in names if name in values}


def _values(nodes: "Iterable[Node]") -> Iterator[tuple[str, "Node"]]:
    """Yield what is set exactly once."""
    found: dict[str, Node | None] = {}
    for node in nodes:
        for name, value in assigned(node):
            found[name] = None if name in found else value
    return ((name, value) for name, value in found.items() if value is not None)


def _is_checker(test: TestCase) -> bool:
    """Tell whether a function that is no test matters: it asserts, or it looks like a test."""
    return bool(test.assertions) or test.swallows or "test" in test.name.rpartition(".")[2].lower()


def _functions(file: SourceFile, nodes: "Iterable[Node]") -> Iterator[_Function]:
    """Find the functions of a file; of several with one name only the last is there."""
    classes = [node for node in nodes if node.type == "class_definition"]
    parents = frozenset(last_name(base) for node in classes for base in _bases(node))
    collected = _is_collected(file)
    found: dict[str, _Function] = {}
    for node, outer in _declared(items(file.root)):
        name = ".".join(source_of(field(each, "name")) for each in (*outer, node))
        found.pop(name, None)
        is_test = source_of(field(node, "name")).startswith("test")
        is_test = is_test and not any(last_name(mark) == "fixture" for mark in decorators(node))
        is_test = is_test and collected and all(_holds_tests(each, parents) for each in outer)
        found[name] = _Function(name=name, node=node, classes=outer, is_test=is_test)
    gone = dict(_overwritten(items(file.root)))
    for each in found.values():
        first = (*each.classes, each.node)[0]
        if gone.get(source_of(field(first, "name")), 0) < first.end_byte:
            yield each


def _is_collected(file: SourceFile) -> bool:
    """Tell whether a runner looks for tests in the file by itself."""
    stem = PurePosixPath(file.path).stem
    classes = (each for each in map(unwrapped, items(file.root)) if each.type == "class_definition")
    return bool(_COLLECTED.fullmatch(stem)) or (
        bool(_UNITTEST.fullmatch(stem)) and any(map(_is_unittest, classes))
    )


def _declared(body: "list[Node]") -> "Iterator[tuple[Node, tuple[Node, ...]]]":
    stack: list[tuple[Node, tuple[Node, ...]]] = [(each, ()) for each in reversed(body)]
    while stack:
        node, outer = stack.pop()
        node = unwrapped(node)
        if node.type == "function_definition":
            yield node, outer
        elif node.type == "class_definition":
            inside = items(field(node, "body"))
            stack.extend((each, (*outer, node)) for each in reversed(inside))
        elif node.type in ("if_statement", "try_statement", "with_statement"):
            stack.extend((each, outer) for each in reversed(list(_run(node))))


def _run(node: "Node") -> "Iterator[Node]":
    """Yield the statements that run: a test below `if False` is not there."""
    if node.type != "if_statement":
        yield from items(field(node, "body"))
        return
    condition = source_of(field(node, "condition"))
    if condition not in ("False", "0", "None") and not _MAIN.search(condition):
        yield from items(field(node, "consequence"))
    for other in (
        node.children_by_field_name("alternative") if condition not in ("True", "1") else ()
    ):
        yield from items(field(other, "consequence") or field(other, "body"))


def _bases(node: "Node") -> "list[Node]":
    return items(field(node, "superclasses"))


def _holds_tests(node: "Node", parents: frozenset[str]) -> bool:
    name = source_of(field(node, "name"))
    return name.startswith("Test") or _is_unittest(node) or name in parents


def _is_unittest(node: "Node") -> bool:
    return any("Test" in last_name(base) for base in _bases(node))


def _overwritten(body: "list[Node]") -> Iterator[tuple[str, int]]:
    """Yield the names that a module gives another meaning, and where it does so."""
    for statement in body:
        if statement.type == "delete_statement":
            yield from ((source_of(each), statement.start_byte) for each in items(statement))
        elif expression(statement).type == "assignment":
            yield source_of(field(expression(statement), "left")), statement.start_byte
