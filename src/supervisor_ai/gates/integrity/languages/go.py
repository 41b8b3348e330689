"""Reads the tests of Go: the testing package, testify and their kin."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.go_body import Asked, asked_parameter, read_function
from supervisor_ai.gates.integrity.languages.go_code import STYLE, file_values
from supervisor_ai.gates.integrity.languages.go_main import forged_runs, runs_nothing
from supervisor_ai.gates.integrity.languages.go_tags import is_left_out
from supervisor_ai.gates.integrity.languages.naming import unique_names
from supervisor_ai.gates.integrity.languages.syntax import (
    Grammar,
    Lines,
    broken,
    field,
    items,
    parsed,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.languages.wording import Names, Outside
from supervisor_ai.gates.integrity.model import (
    Assertion,
    Strength,
    TestCase,
    TestFile,
    Unreadable,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST: Final = re.compile(r"(Test|Fuzz)($|[^a-z])")
_EXAMPLE: Final = re.compile(r"Example($|[^a-z])")
_OUTPUT: Final = re.compile(r"//\s*(unordered\s+)?output:", re.IGNORECASE)


class Go:
    """Reads the tests of Go."""

    def is_test(self, path: str, source: bytes) -> bool:
        """Tell whether `go test` would look into a file, or tests share what stands in it."""
        where = PurePosixPath(path)
        if where.suffix != ".go" or where.name.startswith(("_", ".")):
            return False
        if {"testdata", "vendor"} & set(where.parts):
            return False
        return where.name.endswith("_test.go") or b'"testing"' in source

    def read(self, path: str, source: bytes) -> TestFile | Unreadable:
        """Find the tests of a file."""
        root = parsed(Grammar.GO, path, source)
        if isinstance(root, Unreadable):
            return root
        lines = Lines(source)
        return broken(path, root, lines) or _file(path, root, lines)


def _file(path: str, root: "Node", lines: Lines) -> TestFile:
    outer = file_values(root)
    outside = Outside(outer, STYLE)
    tests, checkers = [], []
    is_runnable = path.endswith("_test.go")
    functions = [node for node in root.named_children if node.type in _FUNCTIONS]
    asked = _asked(functions, outer, lines)
    for node in functions:
        found = _with_output(node, read_function(node, outer, lines, asked))
        if is_runnable and _is_test(node):
            body = " ".join((found.body, *outside.told(node)))
            tests.append(replace(found, name=_full_name(node), body=body))
        elif found.assertions:
            checkers.append(found)
    return TestFile(
        path=path,
        tests=unique_names([*tests, *(_suites(root, outer, lines) if is_runnable else ())]),
        checkers=tuple(checkers),
        is_skipped=is_left_out(path, root) or any(map(runs_nothing, functions)),
        oddities=tuple(forged_runs(functions, lines)) if is_runnable else (),
    )


def _asked(functions: "list[Node]", outer: Names, lines: Lines) -> Asked:
    """Find the functions of a file that check what tests give them."""
    found = {}
    for node in functions:
        if node.type == "function_declaration" and not _is_test(node):
            parameter = asked_parameter(node, read_function(node, outer, lines))
            found.update({} if parameter is None else {_name(node): parameter})
    return found


_FUNCTIONS: Final = ("function_declaration", "method_declaration")


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


def _suites(root: "Node", outer: Names, lines: Lines) -> Iterator[TestCase]:
    """Read the blocks of ginkgo: `It("adds", func() {...})`."""
    stack: list[tuple[Node, tuple[str, ...], bool]] = [(root, (), False)]
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
                found = read_function(given[-1], outer, lines)
                is_out = is_skipped or found.is_skipped
                yield replace(found, name="/".join(titles), is_skipped=is_out)
                continue
        stack.extend((child, titles, is_skipped) for child in reversed(node.named_children))


_BLOCKS: Final = frozenset({"Describe", "Context", "When", "It", "Specify"})
