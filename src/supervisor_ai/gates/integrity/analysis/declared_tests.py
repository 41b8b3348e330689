"""Test files in which tests are declared: methods of classes, known by annotations or names."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.body import read_function, uses_in
from supervisor_ai.gates.integrity.analysis.code import scopes_of
from supervisor_ai.gates.integrity.analysis.code_text import Outside
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import SourceFile
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of
from supervisor_ai.gates.integrity.analysis.table_reader import unique_names
from supervisor_ai.gates.integrity.model import Assertion, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node


class Declared(Struct, frozen=True, kw_only=True):
    """What stands around a function: whether it is a test, and how it is run."""

    is_test: bool = False
    is_skipped: bool = False
    cases: int = 1
    """How often it is run; 0: nobody can tell."""
    told: str = ""
    """The rows that it is run with."""
    assertions: tuple[Assertion, ...] = ()
    """What is wanted of the function as a whole: the error that it must end with."""


Judge = Callable[["Node", tuple["Node", ...]], Declared]
"""Says of a function, given what it stands in, what it is."""


def read_declared(file: SourceFile, judge: Judge) -> TestFile:
    """Find the tests of a file among its functions."""
    tests, checkers = [], []
    values = _values(file)
    outside = Outside(values, file.table)
    for node, outer in _functions(file):
        said, found = judge(node, outer), _read(file, node, values)
        name = ".".join(source_of(field(each, "name")) for each in (*outer, node))
        told = " ".join((found.body, *outside.told(node)))
        found = replace(found, name=name, body=told)
        if said.is_test:
            tests.append(_as_test(found, said))
        elif found.assertions:
            checkers.append(found)
    return TestFile(path=file.path, tests=unique_names(tests), checkers=tuple(checkers))


def _functions(file: SourceFile) -> Iterator[tuple["Node", tuple["Node", ...]]]:
    stack: list[tuple[Node, tuple[Node, ...]]] = [(file.root, ())]
    while stack:
        node, outer = stack.pop()
        if node.type in file.table.functions:
            yield node, outer
            continue
        inside = (*outer, node) if field(node, "body") is not None else outer
        stack.extend((child, inside) for child in reversed(node.named_children))


def _values(file: SourceFile) -> dict[str, "Node"]:
    """Return the values that a file sets outside of its functions."""
    found: dict[str, Node] = {}
    stack = [file.root]
    while stack:
        node = stack.pop()
        found.update({name: it for name, it in file.table.settings(node) if it is not None})
        if node.type not in file.table.functions:
            stack.extend(reversed(node.named_children))
    return found


def _read(file: SourceFile, function: "Node", values: Names) -> TestCase:
    flow = Flow(
        table=file.table,
        scopes=scopes_of(function, file.table),
        outer=values,
        uses=uses_in(function),
    )
    return read_function(function, flow, file.lines)


def _as_test(found: TestCase, said: Declared) -> TestCase:
    wanted = tuple(replace(each, line=found.line) for each in said.assertions)
    return replace(
        found,
        assertions=(*wanted, *found.assertions),
        is_skipped=found.is_skipped or said.is_skipped,
        cases=found.cases * said.cases,
        body=f"{found.body} {said.told}".strip(),
    )
