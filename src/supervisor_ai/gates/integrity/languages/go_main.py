"""What a Go file does to the run of all tests of its package: `TestMain`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.go_code import arguments, callee, is_constant, truth
from supervisor_ai.gates.integrity.languages.go_flow import statements
from supervisor_ai.gates.integrity.languages.syntax import (
    Lines,
    field,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.model import Oddity

if TYPE_CHECKING:
    from tree_sitter import Node

_EXITS: Final = (("os", "Exit"), ("syscall", "Exit"))
_TALKING: Final = frozenset({"Print", "Println", "Printf", "Fprintln", "Fprintf", "Fprint", "Log"})


def forged_runs(functions: "list[Node]", lines: Lines) -> Iterator[Oddity]:
    """Find where a file ends the run with success, whatever the tests say."""
    for function in functions:
        runner = _runner(function)
        is_main = source_of(field(function, "name")) == "TestMain"
        if not runner:
            continue
        if is_main and runs_nothing(function):
            yield _oddity(function, "runs none of the tests", lines)
        elif _is_forged(function, runner, is_main=is_main):
            yield _oddity(function, "can end with success though tests fail or do not run", lines)


def runs_nothing(function: "Node") -> bool:
    """Tell whether a function takes over the running of all tests, and runs none."""
    runner = _runner(function)
    if source_of(field(function, "name")) != "TestMain" or not runner:
        return False
    calls = [each for each in walked(function) if each.type == "call_expression"]
    handed_on = (source_of(each) for call in calls for each in arguments(call))
    return not any(callee(each) == (runner, "Run") for each in calls) and runner not in handed_on


def _oddity(function: "Node", what: str, lines: Lines) -> Oddity:
    name = source_of(field(function, "name"))
    message = f"{name!r} decides how the tests of the package are run, and {what}."
    return Oddity(rule="collection_changed", message=message, line=lines.of(function))


def _runner(function: "Node") -> str:
    """Return the name of the parameter that runs all tests."""
    for given in items(field(function, "parameters")):
        if source_of(field(given, "type")).endswith("testing.M"):
            return source_of(field(given, "name"))
    return ""


def _is_forged(function: "Node", runner: str, *, is_main: bool) -> bool:
    body = field(function, "body")
    outcomes = _outcomes(function, runner)
    for node in walked(function):
        status = _status(node, is_main=is_main)
        if status is None:
            continue
        is_zero = _is_success(status)
        if is_zero and (_is_always(node, body) or _is_silent(node, is_main=is_main)):
            return True
        if source_of(status) in outcomes and _is_set_to_success(function, source_of(status)):
            return True
    return is_main and _returns_before(body, runner)


def _outcomes(function: "Node", runner: str) -> set[str]:
    """Return the names that stand for how the run went."""
    found = set()
    for node in walked(function):
        if node.type in ("short_var_declaration", "assignment_statement"):
            right = items(field(node, "right"))
            if right and source_of(right[0]) == f"{runner}.Run()":
                found |= {source_of(each) for each in items(field(node, "left"))}
    return found


def _status(node: "Node", *, is_main: bool) -> "Node | None":
    """Return the status that a statement ends the run with."""
    if node.type == "call_expression" and callee(node) in _EXITS:
        return next(iter(arguments(node)), None)
    if node.type == "return_statement" and not is_main:
        return next(iter(items(next(iter(items(node)), None))), None)
    return None


def _is_success(status: "Node") -> bool:
    return is_constant(status) and source_of(status).strip("()") == "0"


def _is_set_to_success(function: "Node", name: str) -> bool:
    for node in walked(function):
        if node.type == "assignment_statement" and source_of(field(node, "left")) == name:
            values = items(field(node, "right"))
            if values and _is_success(values[0]):
                return True
    return False


def _is_always(node: "Node", body: "Node | None") -> bool:
    """Tell whether a node of a function stands under no condition."""
    around = node.parent
    while around is not None and around != body:
        if around.type == "if_statement" and truth(field(around, "condition")) is not True:
            return False
        if around.type in ("expression_case", "default_case", "for_statement", "select_statement"):
            return False
        around = around.parent
    return True


def _is_silent(node: "Node", *, is_main: bool) -> bool:
    """Tell whether a branch only ends the run: a program that tests start anew does its work."""
    around = node.parent
    while around is not None and around.type not in ("statement_list", "function_declaration"):
        around = around.parent
    return around is not None and all(_is_quiet(each, is_main=is_main) for each in items(around))


def _returns_before(body: "Node | None", runner: str) -> bool:
    """Tell whether a branch in front of the run only leaves: no test runs then, none fails."""
    for statement in statements(body):
        if f"{runner}.Run(" in source_of(statement):
            return False
        branch = statements(field(statement, "consequence"))
        if any(each.type == "return_statement" for each in branch[-1:]):
            return all(_is_quiet(each, is_main=True) for each in branch)
    return False


def _is_quiet(statement: "Node", *, is_main: bool) -> bool:
    if statement.type == "return_statement":
        return True
    call = next(iter(items(statement)), None)
    if statement.type != "expression_statement" or call is None or call.type != "call_expression":
        return False
    return callee(call)[1] in _TALKING or _status(call, is_main=is_main) is not None
