"""Rust test files: test functions, rstest, test_case, proptest, and their modules."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.body import read_function, uses_in
from supervisor_ai.gates.integrity.analysis.code import called, expression_of, scopes_of
from supervisor_ai.gates.integrity.analysis.code_text import wording
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, SourceFile
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    LineIndex,
    field,
    items,
    parsed,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.analysis.table_reader import unique_names
from supervisor_ai.gates.integrity.languages.rust.attributes import Attributes, attribute_text
from supervisor_ai.gates.integrity.languages.rust.values import parts
from supervisor_ai.gates.integrity.model import (
    Assertion,
    Strength,
    TestCase,
    TestFile,
    Unreadable,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MENTIONED: Final = re.compile(
    rb"#\s{0,4}\[\s{0,4}(?:\w{1,40}\s{0,2}::\s{0,2})*(?:\w{0,20}test\w{0,20}|cfg)\b"
    rb"|\b(?:proptest|quickcheck)\s{0,4}!"
)
# A test that panics by itself shows nothing about the code.
_PANICKING: Final = ("panic(", "panic!", "unreachable(", "todo(", "unimplemented!", "assert(false")
_ASSERTING: Final = frozenset({"assert", "assert_eq", "assert_ne", "panic"})
_WORDS: Final = re.compile(r"[^a-z]")
# Folders of the crates that keep no src folder.
_OWN_LAYOUT: Final = frozenset({"lib", "test", "crates"})
_NOT_RUN: Final = frozenset({"examples", "benches"})
_PARKED: Final = frozenset(
    {"disabled", "old", "archive", "archived", "attic", "skipped", "broken", "parked", "off"}
    | {"unused", "ignored", "ignore", "skip", "removed", "backup", "bak", "failing", "examples"}
)


def is_test_file(path: str, source: bytes) -> bool:
    """Tell whether a file has tests, or stands where tests stand."""
    where = PurePosixPath(path)
    if "target" in where.parts[:1]:
        return False
    return _is_shared(where) or _MENTIONED.search(source) is not None


def read_file(file: SourceFile) -> TestFile:
    """Find the tests of a file."""
    return _Reading(file).found()


def _is_shared(path: PurePosixPath) -> bool:
    return "tests" in path.parts[:-1] or "test" in path.stem


def _is_run(path: PurePosixPath) -> bool:
    """Tell whether `cargo test` runs the tests of a file, as far as its place says so."""
    folders = path.parts[:-1]
    if not folders or "src" in folders:
        return True
    if "tests" not in folders:
        return bool(set(folders) & _OWN_LAYOUT) and not set(folders) & _NOT_RUN
    inside = folders[folders.index("tests") + 1 :]
    return not any(set(_WORDS.split(folder.lower())) & _PARKED for folder in inside)


class _Around(Struct, frozen=True, kw_only=True):
    """What stands around an item."""

    names: tuple[str, ...] = ()
    is_for_tests: bool = False
    is_left_out: bool = False


class _Reading:
    """One file while it is read."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._is_run = _is_run(PurePosixPath(file.path))
        self._tests: list[TestCase] = []
        self._checkers: list[TestCase] = []

    def found(self) -> TestFile:
        """Return what the file holds."""
        root, path = self._file.root, self._file.path
        stack = [(root, _Around(is_for_tests=_is_shared(PurePosixPath(path))))]
        while stack:
            node, around = stack.pop()
            stack.extend(reversed(list(self._items(node, around))))
        if _redefines(root):
            self._tests = [_hollow(test) for test in self._tests]
        inner = Attributes(
            texts=tuple(
                attribute_text(child, self._file.table)
                for child in root.named_children
                if child.type == "inner_attribute_item"
            )
        )
        return TestFile(
            path=path,
            tests=unique_names(self._tests) if self._is_run else (),
            checkers=(*self._checkers, *([] if self._is_run else self._tests)),
            is_skipped=inner.is_left_out,
        )

    def _items(self, node: "Node", around: _Around) -> Iterator[tuple["Node", _Around]]:
        for item, attributes in _with_attributes(node, self._file.table):
            is_left_out = around.is_left_out or attributes.is_left_out
            is_for_tests = around.is_for_tests or attributes.is_for_tests
            body = field(item, "body")
            if item.type == "function_item":
                self._function(item, attributes, replace(around, is_left_out=is_left_out))
            elif item.type == "macro_invocation":
                self._properties(item, replace(around, is_left_out=is_left_out))
            elif item.type in ("mod_item", "impl_item") and body is not None:
                name = source_of(field(item, "name") or field(item, "type"))
                yield (
                    body,
                    _Around(
                        names=(*around.names, name),
                        is_for_tests=is_for_tests or name in ("tests", "test"),
                        is_left_out=is_left_out,
                    ),
                )
            elif item.type == "expression_statement":
                yield item, around

    def _function(self, node: "Node", attributes: Attributes, around: _Around) -> None:
        name = source_of(field(node, "name"))
        if attributes.is_test:
            found = self._read(node, ".".join((*around.names, name)), self._file.lines)
            cases = attributes.cases * _values(node, self._file.table)
            listed = " ".join((found.body, *attributes.listed))
            found = replace(
                _panicking(found, attributes, _last_expression(node, self._file.table) or "panic"),
                is_skipped=around.is_left_out,
                cases=found.cases * cases,
                body=listed.strip(),
            )
            self._tests.append(found)
        elif around.is_for_tests:
            checker = self._read(node, name, self._file.lines)
            self._checkers.extend([checker] if checker.assertions else [])

    def _properties(self, node: "Node", around: _Around) -> None:
        """Read the functions within `proptest! { ... }`, which are words to the grammar."""
        if called(node, self._file.table) not in ("proptest", "quickcheck"):
            self._made_by_macro(node, around)
            return
        words = node.named_children[-1].children
        attributes: list[str] = []
        for place, word in enumerate(words):
            text = source_of(word)
            if word.type == "token_tree" and text.startswith("["):
                attributes.append(text.strip("[] "))
            if text == "fn" and len(words) > place + 1:
                block = next((each for each in words[place:] if _is_block(each)), None)
                self._property(source_of(words[place + 1]), block, tuple(attributes), around)
                attributes = []

    def _made_by_macro(self, node: "Node", around: _Around) -> None:
        """Read `check!(name, |x| { ... })`: a project's own macro that makes a test of a block."""
        words = node.named_children[-1].named_children
        block = next((each for each in reversed(words) if _is_block(each)), None)
        if around.is_for_tests and words and words[0].type == "identifier":
            self._property(source_of(words[0]), block, (), around)

    def _property(
        self, name: str, block: "Node | None", texts: tuple[str, ...], around: _Around
    ) -> None:
        if block is None:
            return
        source = b"fn f() " + (block.text or b"")
        root = parsed(self._file.table.grammars[".rs"], self._file.path, source)
        if isinstance(root, Unreadable) or not root.named_children:
            return
        lines = LineIndex(source, first=self._file.lines.of(block))
        found = self._read(root.named_children[0], ".".join((*around.names, name)), lines)
        is_skipped = around.is_left_out or Attributes(texts=texts).is_left_out
        self._tests.append(replace(found, is_skipped=is_skipped))

    def _read(self, function: "Node", name: str, lines: LineIndex) -> TestCase:
        """Find what a function checks."""
        table = self._file.table
        calls = (each for each in walked(function) if each.type in table.calls)
        flow = Flow(
            table=table,
            scopes=scopes_of(function, table),
            uses=uses_in(function),
            waits=any(called(each, table) == "join" for each in calls),
        )
        return replace(read_function(function, flow, lines), name=name)


def _last_expression(function: "Node", table: LanguageTable) -> str:
    """Return what a function does last, which is what must panic where it must."""
    last = next(iter(reversed(items(field(function, "body")))), None)
    if last is None:
        return ""
    value = field(last, "value") if last.type == "let_declaration" else expression_of(last)
    return wording(value, table, scopes_of(function, table).at(last))


def _redefines(root: "Node") -> bool:
    """Tell whether a file has its own `assert_eq!`, which may check nothing."""
    return any(
        node.type == "macro_definition" and source_of(field(node, "name")) in _ASSERTING
        for node in walked(root)
    )


def _hollow(test: TestCase) -> TestCase:
    lost = tuple(replace(each, strength=Strength.NONE) for each in test.assertions)
    return replace(test, assertions=lost)


def _is_block(node: "Node") -> bool:
    return node.type == "token_tree" and source_of(node).startswith("{")


def _with_attributes(node: "Node", table: LanguageTable) -> Iterator[tuple["Node", Attributes]]:
    texts: list[str] = []
    for child in node.named_children:
        if child.type == "attribute_item":
            texts.append(attribute_text(child, table))
        elif not child.is_extra:
            yield child, Attributes(texts=tuple(texts))
            texts = []


def _values(function: "Node", table: LanguageTable) -> int:
    """Return how many combinations the parameters of a test list."""
    count = 1
    for node in (field(function, "parameters") or function).named_children:
        if node.type == "attribute_item" and attribute_text(node, table).startswith("values("):
            tree = node.named_children[0].named_children[-1]
            count *= max(1, len(parts(tree)))
    return min(count, 1_000_000)


def _panicking(found: TestCase, attributes: Attributes, subject: str) -> TestCase:
    """Read a test that must panic: whatever it asserts, to fail is what it wants."""
    panic = attributes.panic
    if panic is None:
        return found
    strength = Strength.EXACT if "expected" in panic or "=" in panic else Strength.PARTIAL
    if subject.startswith(_PANICKING):
        strength = Strength.NONE
    wanted = Assertion(
        text=f"{panic} {subject}", subject=subject, strength=strength, line=found.line
    )
    lost = [replace(each, strength=Strength.NONE) for each in found.assertions]
    return replace(found, assertions=(wanted, *lost))
