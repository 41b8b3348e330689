"""Go packages: what a file does to the run of all tests (`TestMain`), and its build tags."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code import (
    arguments,
    callee,
    is_constant,
    statements,
    truth,
)
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, SourceFile
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.model import Oddity

if TYPE_CHECKING:
    from tree_sitter import Node

_EXITS: Final = (("os", "Exit"), ("syscall", "Exit"))
_TALKING: Final = frozenset({"Print", "Println", "Printf", "Fprintln", "Fprintf", "Fprint", "Log"})

_USUAL: Final = frozenset({"linux", "amd64", "unix", "cgo", "gc"})
_SYSTEMS: Final = frozenset(
    """aix android darwin dragonfly freebsd illumos ios js netbsd openbsd plan9 solaris wasip1
    windows zos 386 arm arm64 loong64 mips mips64 ppc64 ppc64le riscv64 s390x wasm""".split()  # noqa: SIM905 - a list of words
)
_WORD: Final = re.compile(r"[\w.]+|&&|\|\||[!()]")
_MAX_WORDS: Final = 200


def forged_runs(functions: "list[Node]", file: SourceFile) -> Iterator[Oddity]:
    """Find where a file ends the run with success, whatever the tests say."""
    for function in functions:
        runner = _runner(function)
        is_main = source_of(field(function, "name")) == "TestMain"
        if not runner:
            continue
        if is_main and runs_nothing(function, file.table):
            yield _oddity(function, "runs none of the tests", file)
        elif _is_forged(function, runner, file.table, is_main=is_main):
            yield _oddity(function, "can end with success though tests fail or do not run", file)


def runs_nothing(function: "Node", table: LanguageTable) -> bool:
    """Tell whether a function takes over the running of all tests, and runs none."""
    runner = _runner(function)
    if source_of(field(function, "name")) != "TestMain" or not runner:
        return False
    calls = [each for each in walked(function) if each.type == "call_expression"]
    handed_on = (source_of(each) for call in calls for each in arguments(call))
    return (
        not any(callee(each, table) == (runner, "Run") for each in calls)
        and runner not in handed_on
    )


def _oddity(function: "Node", what: str, file: SourceFile) -> Oddity:
    name = source_of(field(function, "name"))
    message = f"{name!r} decides how the tests of the package are run, and {what}."
    return Oddity(rule="collection_changed", message=message, line=file.lines.of(function))


def _runner(function: "Node") -> str:
    """Return the name of the parameter that runs all tests."""
    for given in items(field(function, "parameters")):
        if source_of(field(given, "type")).endswith("testing.M"):
            return source_of(field(given, "name"))
    return ""


def _is_forged(function: "Node", runner: str, table: LanguageTable, *, is_main: bool) -> bool:
    body = field(function, "body")
    outcomes = _outcomes(function, runner)
    for node in walked(function):
        status = _status(node, table, is_main=is_main)
        if status is None:
            continue
        is_zero = _is_success(status, table)
        if is_zero and (_is_always(node, body, table) or _is_silent(node, table, is_main=is_main)):
            return True
        if source_of(status) in outcomes and _is_set_to_success(function, source_of(status), table):
            return True
    return is_main and _returns_before(body, runner, table)


def _outcomes(function: "Node", runner: str) -> set[str]:
    """Return the names that stand for how the run went."""
    found = set()
    for node in walked(function):
        if node.type in ("short_var_declaration", "assignment_statement"):
            right = items(field(node, "right"))
            if right and source_of(right[0]) == f"{runner}.Run()":
                found |= {source_of(each) for each in items(field(node, "left"))}
    return found


def _status(node: "Node", table: LanguageTable, *, is_main: bool) -> "Node | None":
    """Return the status that a statement ends the run with."""
    if node.type == "call_expression" and callee(node, table) in _EXITS:
        return next(iter(arguments(node)), None)
    if node.type == "return_statement" and not is_main:
        return next(iter(items(next(iter(items(node)), None))), None)
    return None


def _is_success(status: "Node", table: LanguageTable) -> bool:
    return is_constant(status, table) and source_of(status).strip("()") == "0"


def _is_set_to_success(function: "Node", name: str, table: LanguageTable) -> bool:
    for node in walked(function):
        if node.type == "assignment_statement" and source_of(field(node, "left")) == name:
            values = items(field(node, "right"))
            if values and _is_success(values[0], table):
                return True
    return False


def _is_always(node: "Node", body: "Node | None", table: LanguageTable) -> bool:
    """Tell whether a node of a function stands under no condition."""
    around = node.parent
    while around is not None and around != body:
        if around.type == "if_statement" and truth(field(around, "condition"), table) is not True:
            return False
        if around.type in ("expression_case", "default_case", "for_statement", "select_statement"):
            return False
        around = around.parent
    return True


def _is_silent(node: "Node", table: LanguageTable, *, is_main: bool) -> bool:
    """Tell whether a branch only ends the run: a program that tests start anew does its work."""
    around = node.parent
    while around is not None and around.type not in ("statement_list", "function_declaration"):
        around = around.parent
    return around is not None and all(
        _is_quiet(each, table, is_main=is_main) for each in items(around)
    )


def _returns_before(body: "Node | None", runner: str, table: LanguageTable) -> bool:
    """Tell whether a branch in front of the run only leaves: no test runs then, none fails."""
    for statement in statements(body, table):
        if f"{runner}.Run(" in source_of(statement):
            return False
        branch = statements(field(statement, "consequence"), table)
        if any(each.type == "return_statement" for each in branch[-1:]):
            return all(_is_quiet(each, table, is_main=True) for each in branch)
    return False


def _is_quiet(statement: "Node", table: LanguageTable, *, is_main: bool) -> bool:
    if statement.type == "return_statement":
        return True
    call = next(iter(items(statement)), None)
    if statement.type != "expression_statement" or call is None or call.type != "call_expression":
        return False
    return callee(call, table)[1] in _TALKING or _status(call, table, is_main=is_main) is not None


def is_left_out(path: str, root: "Node") -> bool:
    """Tell whether a file's name or build tags keep it out of a usual test run."""
    parts = PurePosixPath(path).name.removesuffix(".go").removesuffix("_test").split("_")[1:]
    if any(part in _SYSTEMS for part in parts[-2:]):
        return True
    comments = []
    for node in root.named_children:
        if node.type != "comment":
            break
        comments.append(source_of(node))
    tags = next((line for line in comments if line.startswith("//go:build ")), None)
    if tags is not None:
        return not _holds(_WORD.findall(tags.removeprefix("//go:build "))[:_MAX_WORDS])
    old = [line.split()[2:] for line in comments if line.startswith("// +build ")]
    return not all(any(_all_hold(option) for option in options) for options in old)


def _all_hold(option: str) -> bool:
    return all(
        _is_usual(tag.removeprefix("!")) is not tag.startswith("!") for tag in option.split(",")
    )


def _is_usual(tag: str) -> bool:
    return tag in _USUAL or tag.startswith("go1")


def _holds(words: list[str]) -> bool:
    """Work out an expression of tags, loosest first, without recursion into hostile depth."""
    values: list[bool] = []
    operators: list[str] = []
    for word in words:
        if word in ("(", "!"):
            operators.append(word)
        elif word == ")":
            _settle(values, operators, 0)
            if operators:
                operators.pop()
            _negate(values, operators)
        elif word in _BINDING:
            _settle(values, operators, _BINDING[word])
            operators.append(word)
        else:
            values.append(_is_usual(word))
            _negate(values, operators)
    _settle(values, operators, 0)
    return values[-1] if values else True


_BINDING: Final = {"||": 1, "&&": 2}


def _negate(values: list[bool], operators: list[str]) -> None:
    while operators and operators[-1] == "!" and values:
        operators.pop()
        values.append(not values.pop())


def _settle(values: list[bool], operators: list[str], binding: int) -> None:
    while operators and _BINDING.get(operators[-1], -1) >= binding and len(values) > 1:
        right, left = values.pop(), values.pop()
        values.append(left and right if operators.pop() == "&&" else left or right)
