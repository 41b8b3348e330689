"""JavaScript test files: tests and suites of jest, vitest, mocha, node:test and their kin."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.body import read_function, uses_in
from supervisor_ai.gates.integrity.analysis.code import (
    is_frozen,
    length_of,
    scopes_of,
    set_once,
    truth,
)
from supervisor_ai.gates.integrity.analysis.code_text import Outside, bare, wording
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, SourceFile
from supervisor_ai.gates.integrity.analysis.names import Layers
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.analysis.table_reader import unique_names
from supervisor_ai.gates.integrity.analysis.table_rows import mentions
from supervisor_ai.gates.integrity.languages.javascript.chains import (
    FUNCTIONS,
    STYLE,
    Link,
    chain,
    function_of,
    parameters,
)
from supervisor_ai.gates.integrity.languages.javascript.mocks import Mocks
from supervisor_ai.gates.integrity.languages.javascript.runners import (
    DECLARING,
    HOOKS,
    SUITES,
    TESTS,
    inner_testers,
    never_runs,
    runner_names,
)
from supervisor_ai.gates.integrity.model import Oddity, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED: Final = re.compile(r"(^|[._-])(test|spec|tests|specs|cy|e2e)\.[^.]+$")
_FOLDERS: Final = frozenset({"__tests__", "test", "tests", "spec", "specs", "e2e", "cypress"})
_NO_TESTS: Final = frozenset(
    {"node_modules", "fixtures", "__fixtures__", "__mocks__", "__snapshots__", "testdata"}
)
_SKIPPED: Final = {f"x{name}": name for name in TESTS | SUITES}
_FOCUSED: Final = {f"f{name}": name for name in TESTS | SUITES}
_LEAVING_OUT: Final = frozenset(
    {"skip", "todo", "failing", "fails", "fail", "fixme", "skipIf", "runIf", "if"}
)
_TABLES: Final = frozenset({"each", "for", "forEach", "map"})
_EXIT: Final = re.compile(
    r"(?:process|Deno)\.(?:exit\(\s{0,9}0?\s{0,9}\)|exitCode\s{0,9}=\s{0,9}0)"
)
_SCRIPT: Final = "the whole file"
_MAX_REPEATS: Final = 1_000_000
_PLANNING: Final = ("expect.assertions", "expect.hasAssertions", "t.plan", "assert.expect")
_DONE: Final = frozenset({"done", "cb", "callback", "next", "resolve", "finish"})


class _Suite(Struct, frozen=True, kw_only=True):
    """What stands around a test."""

    titles: tuple[str, ...] = ()
    is_skipped: bool = False
    repeats: int = 1
    bound: frozenset[str] = frozenset()
    tables: tuple[str, ...] = ()
    """The rows that the tests inside run with."""


class _Call(Struct, frozen=True, kw_only=True):
    """A call that declares a test or a suite."""

    root: str
    modifiers: frozenset[str]
    links: tuple[Link, ...]
    is_skipped: bool
    is_focused: bool

    @property
    def arguments(self) -> list["Node"]:
        """What the test or suite is made of: a title, options, a function."""
        return items(self.links[-1].arguments)

    @property
    def function(self) -> "Node | None":
        """The code of the test or suite."""
        return function_of(self.links[-1].arguments)


def is_test_file(path: str, _source: bytes) -> bool:
    """Tell by its name and folders whether a runner would look for tests in a file."""
    where = PurePosixPath(path)
    if set(where.parts) & _NO_TESTS:
        return False
    return bool(_NAMED.search(where.name)) or bool(set(where.parts[:-1]) & _FOLDERS)


def read_file(file: SourceFile) -> TestFile:
    """Find the tests of a file."""
    return _Reading(file).found()


class _Reading:
    """One file while it is read."""

    def __init__(self, file: SourceFile) -> None:
        root = file.root
        self._file, self._table, self._lines = file, file.table, file.lines
        self._tests: list[TestCase] = []
        self._checkers: list[TestCase] = []
        self._is_focused = False
        self._mocks = Mocks(root, file.lines)
        self._runners = runner_names(root)
        values = _top_level(root, file.table)
        self._aliases = {
            name: value for name, value in values.items() if value.type not in FUNCTIONS
        }
        self._outside = Outside(self._aliases, STYLE)
        self._names = {
            name: value for name, value in values.items() if is_frozen(value, file.table)
        }
        self._lists = {**self._names, **values}
        self._own = {name for name, value in values.items() if _is_stub(value)} | _functions(root)

    def found(self) -> TestFile:
        """Return what the file holds."""
        stack = [(self._file.root, _Suite())]
        while stack:
            node, suite = stack.pop()
            stack.extend(reversed(list(self._steps(node, suite))))
        if not self._tests and not self._checkers:
            self._script()
        return TestFile(
            path=self._file.path,
            tests=unique_names(self._tests),
            checkers=tuple(self._checkers),
            is_focused=self._is_focused,
            is_skipped=never_runs(self._file.root),
            oddities=tuple(self._exits()),
        )

    def _script(self) -> None:
        """Read a file that is run as a whole and asserts outside of all functions."""
        found = self._read(self._file.root)
        if found.assertions:
            self._tests.append(replace(found, name=_SCRIPT, line=1, oddities=()))

    def _exits(self) -> Iterator[Oddity]:
        """Find where a file ends the run of all tests with success."""
        for node in walked(self._file.root):
            is_call = node.type in ("call_expression", "assignment_expression")
            if is_call and _EXIT.fullmatch(source_of(node)):
                message = "A test file ends the run with success, whatever the tests say."
                yield Oddity(rule="collection_changed", message=message, line=self._lines.of(node))

    def _steps(self, node: "Node", suite: _Suite) -> Iterator[tuple["Node", _Suite]]:
        if node.type == "call_expression":
            yield from self._call(node, suite)
        elif node.type == "for_in_statement":
            count = length_of(field(node, "right"), self._table, self._lists)
            bound = frozenset(source_of(each) for each in walked(field(node, "left") or node))
            inside = self._told(_repeated(suite, count, bound), field(node, "right"))
            yield from _inside(node, inside)
        elif node.type == "if_statement" and self._is_open(node, suite):
            yield from _inside(node, replace(suite, is_skipped=True))
        elif node.type in ("function_declaration", "variable_declarator", "method_definition"):
            if self._is_checker(node):
                self._check(node, source_of(field(node, "name")))
            else:
                yield from _inside(node, suite)
        else:
            yield from _inside(node, suite)

    def _call(self, node: "Node", suite: _Suite) -> Iterator[tuple["Node", _Suite]]:
        call = self._declared(node)
        if call is None:
            yield from self._other(node, suite)
        elif call.root in HOOKS:
            self._hook(call, suite)
        elif call.root in SUITES:
            yield from self._suite(call, suite)
        else:
            self._test(node, call, suite)

    def _declared(self, node: "Node") -> _Call | None:
        links = chain(node)
        root = links[0].name
        names = {link.name for link in links[1:]}
        if root in self._runners and root not in TESTS | SUITES:
            if not names <= DECLARING:
                return None
            root = self._runners[root]
        elif root in self._aliases and root not in TESTS | SUITES:
            alias = [chain(each) for each in walked(self._aliases[root]) if _is_link(each)]
            found = next((each for each in alias if _plain(each[0].name) in TESTS | SUITES), None)
            root = root if found is None else found[0].name
            names |= {link.name for each in alias for link in each[1:]} if found else set()
        plain = _plain(root)
        if not (plain in TESTS | SUITES or root in HOOKS) or links[-1].arguments is None:
            return None
        if root in ("Deno", "QUnit"):
            plain = "describe" if "module" in names else "test"
        if plain == "test" and names & (SUITES | HOOKS):
            plain = next(iter(names & (SUITES | HOOKS)))
        call = _Call(
            root=plain,
            modifiers=frozenset(names),
            links=links,
            is_skipped=root in _SKIPPED or root in self._own,
            is_focused=root in _FOCUSED or "only" in names,
        )
        is_declaring = call.function is not None or "todo" in names or _has_title(call)
        return _with_options(call, self._table) if is_declaring else None

    def _other(self, node: "Node", suite: _Suite) -> Iterator[tuple["Node", _Suite]]:
        links = chain(node)
        inside = suite
        if links[-1].name in _TABLES and len(links) > 1:
            table = field(links[-1].node, "object")
            bound = frozenset(parameters(function_of(links[-1].arguments)))
            inside = _repeated(suite, length_of(table, self._table, self._lists), bound)
            inside = self._told(inside, table)
        yield from _inside(node, inside)

    def _hook(self, call: _Call, suite: _Suite) -> None:
        if call.function is not None:
            self._check(call.function, " > ".join((*suite.titles, call.root)))

    def _suite(self, call: _Call, suite: _Suite) -> Iterator[tuple["Node", _Suite]]:
        self._is_focused = self._is_focused or call.is_focused
        function = call.function
        if function is None:
            return
        table = self._in_table(suite, call, function)
        inside = replace(
            table,
            titles=(*suite.titles, _title(call)),
            is_skipped=table.is_skipped or call.is_skipped,
        )
        body = field(function, "body")
        if body is not None:
            yield body, inside

    def _test(self, node: "Node", call: _Call, suite: _Suite) -> None:
        self._is_focused = self._is_focused or call.is_focused
        inside = self._in_table(suite, call, call.function)
        name, line = " > ".join((*suite.titles, _title(call))), self._lines.of(node)
        found, oddities = TestCase(name=name, line=line, body=""), tuple[Oddity, ...]()
        if call.function is not None:
            found = self._read(call.function, inside.bound)
            names = Layers(set_once(call.function, self._table), self._names)
            oddities = self._mocks.of(node, found.assertions, names)
        found = replace(
            found,
            name=name,
            line=line,
            body=" ".join((found.body, *self._written(node, inside))).strip(),
            is_skipped=inside.is_skipped or call.is_skipped or found.is_skipped,
            cases=inside.repeats * found.cases,
            oddities=oddities,
        )
        self._tests.append(found)

    def _in_table(self, suite: _Suite, call: _Call, function: "Node | None") -> _Suite:
        table = next((link for link in call.links if link.name in _TABLES), None)
        if table is None:
            return suite
        inside = _repeated(suite, self._rows(table), frozenset(parameters(function)))
        return self._told(inside, table.arguments)

    def _told(self, suite: _Suite, table: "Node | None") -> _Suite:
        """Return a suite whose tests run with the rows of a table."""
        return replace(suite, tables=(*suite.tables, wording(table, STYLE, self._aliases)))

    def _written(self, node: "Node", inside: _Suite) -> Iterator[str]:
        """Yield what a test is told from outside of its function: tables and values."""
        yield from inside.tables
        yield from self._outside.told(node)

    def _rows(self, table: Link) -> int | None:
        if table.arguments is None:
            return None
        if table.arguments.type == "template_string":
            return _template_rows(table.arguments)
        return length_of(next(iter(items(table.arguments)), None), self._table, self._lists)

    def _is_open(self, node: "Node", suite: _Suite) -> bool:
        """Tell whether a condition that no table answers decides whether tests are there."""
        condition = field(node, "condition")
        return truth(condition, self._table) is not True and not mentions(condition, suite.bound)

    def _flow(self, function: "Node") -> Flow:
        given = parameters(function)
        context = given[:1] if not _DONE & set(given[:1]) else []
        text = source_of(function)
        return Flow(
            table=self._table,
            scopes=scopes_of(function, self._table),
            outer=self._names,
            lists=self._lists,
            uses=uses_in(function),
            testers=frozenset(context) | inner_testers(function) | self._runners.keys(),
            waits=bool(set(given) & _DONE) or "new Promise" in text,
            plans=any(plan in text for plan in _PLANNING),
            is_stubbed=bool(self._own & {"expect", "assert"}),
            overwritten=_overwritten(function),
        )

    def _read(self, function: "Node", bound: frozenset[str] = frozenset()) -> TestCase:
        return read_function(function, self._flow(function), self._lines, bound=bound)

    def _is_checker(self, node: "Node") -> bool:
        value = field(node, "value") if node.type == "variable_declarator" else node
        if value is None or value.type not in FUNCTIONS:
            return False
        calls = (each for each in walked(value) if each.type == "call_expression")
        return not any(self._declared(each) is not None for each in calls)

    def _check(self, node: "Node", name: str) -> None:
        value = field(node, "value") if node.type == "variable_declarator" else node
        found = self._read(value or node)
        if found.assertions:
            found = replace(found, name=name, line=self._lines.of(node), is_skipped=False, cases=1)
            self._checkers.append(found)


def _plain(name: str) -> str:
    return _SKIPPED.get(name, _FOCUSED.get(name, name))


def _is_link(node: "Node") -> bool:
    return node.type in ("identifier", "member_expression", "call_expression")


def _inside(node: "Node", suite: _Suite) -> Iterator[tuple["Node", _Suite]]:
    for child in node.named_children:
        yield child, suite


def _repeated(suite: _Suite, count: int | None, bound: frozenset[str]) -> _Suite:
    return replace(
        suite,
        repeats=min(_MAX_REPEATS, suite.repeats * (count or (0 if count is None else 1))),
        bound=suite.bound | bound,
        is_skipped=suite.is_skipped or count == 0,
    )


def _has_title(call: _Call) -> bool:
    return bool(call.arguments) and call.arguments[0].type in ("string", "template_string")


def _with_options(call: _Call, table: LanguageTable) -> _Call:
    """Read the modifiers that may be asked for by a condition, and the options."""
    conditions = [link for link in call.links if link.name in ("skipIf", "runIf", "if")]
    free = call.modifiers & _LEAVING_OUT - {"skipIf", "runIf", "if"}
    is_skipped = (
        call.is_skipped or bool(free) or any(_leaves_out(link, table) for link in conditions)
    )
    is_focused = call.is_focused
    for options in (each for each in call.arguments if each.type == "object"):
        for pair in items(options):
            key, value = source_of(field(pair, "key")), field(pair, "value")
            is_set = truth(value, table) is not False and value is not None
            is_skipped = is_skipped or (key in ("skip", "todo", "ignore", "fails") and is_set)
            is_focused = is_focused or (key == "only" and is_set)
    return replace(call, is_skipped=is_skipped, is_focused=is_focused)


def _leaves_out(link: Link, table: LanguageTable) -> bool:
    given = items(link.arguments)
    runs = link.name == "skipIf"
    return not given or truth(given[0], table) is not (not runs)


def _title(call: _Call) -> str:
    given = call.arguments
    first = given[0] if given else None
    if first is None or first.type in FUNCTIONS:
        return source_of(field(first, "name"))
    if bare(first, STYLE).type in ("string", "template_string"):
        return source_of(first)[1:-1]
    return wording(first, STYLE)


def _template_rows(table: "Node") -> int:
    header = source_of(table).lstrip("`").strip().split("\n", 1)[0]
    cells = [each for each in items(table) if each.type == "template_substitution"]
    return len(cells) // (header.count("|") + 1)


def _top_level(root: "Node", table: LanguageTable) -> dict[str, "Node"]:
    found: dict[str, Node] = {}
    for node in root.named_children:
        declared = field(node, "declaration") or node
        if declared.type in ("lexical_declaration", "variable_declaration"):
            found.update(set_once(declared, table))
    return found


def _is_stub(value: "Node") -> bool:
    return bare(value, STYLE).type in FUNCTIONS | {"object", "class"}


def _functions(root: "Node") -> set[str]:
    return {
        source_of(field(node, "name"))
        for node in root.named_children
        if node.type in ("function_declaration", "class_declaration")
    }


def _overwritten(function: "Node") -> frozenset[tuple[str, str]]:
    """Return what a function sets again, each with what it is set to."""
    return frozenset(
        (source_of(field(node, "left")), source_of(field(node, "right")))
        for node in walked(function)
        if node.type == "assignment_expression"
    )
