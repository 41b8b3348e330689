"""Go test files: which functions are tests, examples and suites, and what they are told."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.body import read_function, uses_in
from supervisor_ai.gates.integrity.analysis.code import called, operator, scopes_of
from supervisor_ai.gates.integrity.analysis.code_text import Outside
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, SourceFile
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.analysis.table_reader import unique_names
from supervisor_ai.gates.integrity.languages.go.checks import libraries
from supervisor_ai.gates.integrity.languages.go.package import (
    forged_runs,
    is_left_out,
    runs_nothing,
)
from supervisor_ai.gates.integrity.languages.go.words import WAITING
from supervisor_ai.gates.integrity.model import Assertion, Strength, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST: Final = re.compile(r"(Test|Fuzz)($|[^a-z])")
_EXAMPLE: Final = re.compile(r"Example($|[^a-z])")
_OUTPUT: Final = re.compile(r"//\s*(unordered\s+)?output:", re.IGNORECASE)
_FUNCTIONS: Final = ("function_declaration", "method_declaration")
_BLOCKS: Final = frozenset({"Describe", "Context", "When", "It", "Specify"})
_NO_CHECKERS: Final[Mapping[str, tuple[int, Strength]]] = MappingProxyType({})


def is_test_file(path: str, source: bytes) -> bool:
    """Tell whether `go test` would look into a file, or tests share what stands in it."""
    where = PurePosixPath(path)
    if where.name.startswith(("_", ".")) or {"testdata", "vendor"} & set(where.parts):
        return False
    return where.name.endswith("_test.go") or b'"testing"' in source


def settings(node: "Node") -> Iterator[tuple[str, "Node | None"]]:
    """Yield the names that a node sets, and to what."""
    match node.type:
        case "short_var_declaration" | "assignment_statement":
            names, values = items(field(node, "left")), items(field(node, "right"))
            if node.type == "assignment_statement" and operator(node) != "=":
                values = []
        case "var_spec" | "const_spec":
            names = node.children_by_field_name("name")
            values = items(field(node, "value"))
        case "range_clause":
            names, values = items(field(node, "left")), []
        case _:
            return
    # Of `got, err := f()`, what is looked at is the first.
    for place, name in enumerate(names):
        yield source_of(name), values[place] if place < len(values) else None


def read_file(file: SourceFile) -> TestFile:
    """Find the tests of a file."""
    outer = _file_values(file.root)
    outside = Outside(outer, file.table)
    tests, checkers = [], []
    is_runnable = file.path.endswith("_test.go")
    functions = [node for node in file.root.named_children if node.type in _FUNCTIONS]
    asked = _asked(functions, outer, file)
    for node in functions:
        found = _with_output(node, _read(node, outer, file, asked))
        if is_runnable and _is_test(node):
            body = " ".join((found.body, *outside.told(node)))
            tests.append(replace(found, name=_full_name(node), body=body))
        elif found.assertions:
            checkers.append(found)
    suites = _suites(file, outer) if is_runnable else ()
    return TestFile(
        path=file.path,
        tests=unique_names([*tests, *suites]),
        checkers=tuple(checkers),
        is_skipped=is_left_out(file.path, file.root)
        or any(runs_nothing(each, file.table) for each in functions),
        oddities=tuple(forged_runs(functions, file)) if is_runnable else (),
    )


def _file_values(root: "Node") -> dict[str, "Node"]:
    """Return the values that a file sets outside of its functions."""
    found = {}
    for declared in root.named_children:
        if declared.type in ("var_declaration", "const_declaration"):
            for node in walked(declared):
                found.update({name: value for name, value in settings(node) if value is not None})
    return found


def _read(
    function: "Node",
    outer: Names,
    file: SourceFile,
    checkers: Mapping[str, tuple[int, Strength]] = _NO_CHECKERS,
) -> TestCase:
    """Find what a function checks, given the values that are set outside of it."""
    receiver = next(iter(items(field(function, "receiver"))), None)
    flow = Flow(
        table=file.table,
        scopes=scopes_of(function, file.table),
        outer=outer,
        testers=_testers(function),
        suite=source_of(field(receiver, "name")),
        uses=_uses(function),
        waits=_does_wait(function, file.table),
        libraries=libraries(function, file.table),
        checkers=checkers,
    )
    return read_function(function, flow, file.lines)


def _testers(function: "Node") -> frozenset[str]:
    found = set()
    for node in walked(function):
        kind = source_of(field(node, "type")) if node.type == "parameter_declaration" else ""
        if "testing." in kind or kind.endswith(("Suite", "TestingT", "GinkgoTInterface")):
            found.add(source_of(field(node, "name")))
    return frozenset(found - {""})


def _uses(function: "Node") -> Counter[str]:
    """Count how often every name stands in a function, without `_ = name`."""
    found = uses_in(function)
    for node in walked(function):
        if node.type == "assignment_statement" and source_of(field(node, "left")) == "_":
            found[source_of(field(node, "right"))] -= 1
    return found


def _does_wait(function: "Node", table: LanguageTable) -> bool:
    """Tell whether a function waits for what it starts: for a group, or for a channel."""
    for node in walked(function):
        if node.type == "call_expression" and called(node, table) in WAITING:
            return True
        if node.type in ("receive_statement", "select_statement"):
            return True
        if node.type == "unary_expression" and operator(node) == "<-":
            return True
    return False


def _asked(
    functions: "list[Node]", outer: Names, file: SourceFile
) -> dict[str, tuple[int, Strength]]:
    """Find the functions of a file that check what tests give them."""
    found = {}
    for node in functions:
        if node.type == "function_declaration" and not _is_test(node):
            parameter = _asked_parameter(node, _read(node, outer, file))
            found.update({} if parameter is None else {_name(node): parameter})
    return found


def _asked_parameter(function: "Node", found: TestCase) -> tuple[int, Strength] | None:
    """Return which of its parameters a function checks, and how much of it."""
    declared = (
        each.children_by_field_name("name") for each in items(field(function, "parameters"))
    )
    names = [source_of(name) for group in declared for name in group]
    for assertion in sorted(found.assertions, key=lambda each: -each.strength):
        if assertion.subject in names and assertion.strength > Strength.WEAK:
            return names.index(assertion.subject), assertion.strength
    return None


def _name(node: "Node") -> str:
    return source_of(field(node, "name"))


def _full_name(node: "Node") -> str:
    receiver = next(iter(items(field(node, "receiver"))), None)
    suite = source_of(field(receiver, "type")).lstrip("*")
    return f"{suite}.{_name(node)}" if suite else _name(node)


def _is_test(node: "Node") -> bool:
    name, given = _name(node), items(field(node, "parameters"))
    if node.type == "method_declaration":
        return bool(_TEST.match(name)) and not given
    if _EXAMPLE.match(name):
        return _output(node) is not None
    kind = source_of(field(given[0], "type")) if len(given) == 1 else ""
    return bool(_TEST.match(name)) and kind in ("*testing.T", "*testing.F")


def _output(node: "Node") -> str | None:
    """Return what an example says that it prints; without that it is never run."""
    text = [source_of(each) for each in walked(node) if each.type == "comment"]
    start = next((place for place, line in enumerate(text) if _OUTPUT.match(line)), None)
    if start is None:
        return None
    return " ".join(line.removeprefix("//").strip() for line in text[start:])


def _with_output(node: "Node", found: TestCase) -> TestCase:
    """Count what an example must print as what it checks."""
    output = _output(node) if _EXAMPLE.match(found.name) else None
    if not output:
        return found
    wanted = Assertion(text=output, subject="output", strength=Strength.EXACT, line=found.line)
    return replace(found, assertions=(wanted, *found.assertions))


def _suites(file: SourceFile, outer: Names) -> Iterator[TestCase]:
    """Read the blocks of ginkgo: `It("adds", func() {...})`."""
    stack: list[tuple[Node, tuple[str, ...], bool]] = [(file.root, (), False)]
    while stack:
        node, titles, is_skipped = stack.pop()
        if node.type in _FUNCTIONS:
            continue
        word = source_of(field(node, "function")) if node.type == "call_expression" else ""
        plain = word.removeprefix("X").removeprefix("P").removeprefix("F")
        given = items(field(node, "arguments"))
        if plain in _BLOCKS and given and given[-1].type == "func_literal":
            titles = (*titles, source_of(given[0]).strip('"`'))
            is_skipped = is_skipped or word[:1] in ("X", "P")
            if plain in ("It", "Specify"):
                found = _read(given[-1], outer, file)
                is_out = is_skipped or found.is_skipped
                yield replace(found, name="/".join(titles), is_skipped=is_out)
                continue
        stack.extend((child, titles, is_skipped) for child in reversed(node.named_children))
