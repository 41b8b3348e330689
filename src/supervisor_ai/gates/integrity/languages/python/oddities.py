"""What a Python test does to its own subject, and what a conftest does to the tests of others."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code_text import wording
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.language_table import SourceFile
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    LineIndex,
    field,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.languages.python.nodes import (
    STYLE,
    expression,
    given,
    last_name,
    name_of,
    text_in,
    unwrapped,
)
from supervisor_ai.gates.integrity.languages.python.origins import imports
from supervisor_ai.gates.integrity.languages.python.skips import skipping_fixtures
from supervisor_ai.gates.integrity.model import Assertion, Oddity

if TYPE_CHECKING:
    from tree_sitter import Node

_PATCHING: Final = frozenset({"setattr", "patch", "object", "setitem"})
_LISTS: Final = frozenset({"collect_ignore", "collect_ignore_glob"})
_HOOKS: Final = frozenset(
    {"pytest_ignore_collect", "pytest_collection_modifyitems", "pytest_collect_file"}
    | {"pytest_runtest_makereport", "pytest_runtest_setup", "pytest_runtest_call"}
    | {"pytest_sessionfinish", "pytest_pyfunc_call", "pytest_runtest_protocol", "load_tests"}
    | {"pytest_report_teststatus", "pytest_itemcollected", "pytest_deselected"}
)
_ALWAYS: Final = ("pytest_ignore_collect", "load_tests", "pytest_report_teststatus")
_MEDDLING: Final = frozenset(
    {"skip", "xfail", "skipif", "deselected", "pytest_deselected", "clear", "remove", "pop"}
    | {"force_result", "exit", "_exit", "TestSuite", "filter"}
)
_REPORTED: Final = frozenset({"outcome", "exitstatus", "excinfo", "wasxfail", "obj", "runtest"})
_RETRYING: Final = frozenset({"flaky", "retry", "rerun", "reruns", "retries"})


def patched_subjects(
    nodes: "Iterable[Node]",
    assertions: Iterable[Assertion],
    imported: frozenset[str],
    lines: LineIndex,
) -> Iterator[Oddity]:
    """Find where a test replaces the very function whose answer it then checks."""
    replaced = list(_replaced_names(nodes, imported))
    asked = {_head_of(found.subject) for found in assertions} - {""} if replaced else set()
    for node, name in replaced:
        if name in asked:
            message = f"The test replaces {name!r}, whose answer it checks."
            yield Oddity(rule="subject_patched", message=message, line=lines.of(node))


def _replaced_names(
    nodes: "Iterable[Node]", imported: frozenset[str]
) -> "Iterator[tuple[Node, str]]":
    for node in nodes:
        if node.type == "call" and last_name(node) in _PATCHING:
            yield node, _patched(node)
        elif node.type == "assignment":
            target = field(node, "left")
            is_theirs = name_of(target).partition(".")[0] in imported
            if target is not None and target.type == "attribute" and is_theirs:
                yield node, last_name(target)


def _patched(call: "Node") -> str:
    """Return the name that `patch("a.b")` and `setattr(a, "b", ...)` replace."""
    first, second = [*map(text_in, given(call)), None, None][:2]
    is_whole = last_name(call) == "patch" or (last_name(call) == "setattr" and first is not None)
    return ((first if is_whole else second) or "").rpartition(".")[2]


def _head_of(subject: str) -> str:
    """Return the function whose answer a subject is: `f` of `cart.f(2)` and of `f(2)[0].x`."""
    rest = subject
    while rest.endswith("]") or ("." in rest and not rest.endswith(")")):
        cut = rest.rfind(".") if not rest.endswith("]") else _opening(rest)
        inner = rest[:cut]
        if not rest.endswith("]") and not inner.endswith((")", "]")):
            return ""
        rest = inner
    name = rest[: _opening(rest)] if rest.endswith(")") else ""
    last = name.rpartition(".")[2]
    return last if last.isidentifier() else ""


def _opening(text: str) -> int:
    """Return where the bracket opens that ends a text."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] in ")]}") - (text[place] in "([{")
        if not depth:
            return place
    return 0


def file_oddities(file: SourceFile, nodes: "list[Node]", asking: Conditions) -> Iterator[Oddity]:
    """Find what a file does to the tests of others, to modules, and to what is equal."""
    body, lines = items(file.root), file.lines
    for statement in body:
        yield from _lists(statement, lines)
        function = unwrapped(statement)
        name = source_of(field(function, "name"))
        is_hook = function.type == "function_definition" and name in _HOOKS
        if is_hook and _meddles(function, name):
            yield _left_out(function, f"the hook {name!r}", lines)
    is_conftest = PurePosixPath(file.path).name == "conftest.py"
    if is_conftest and skipping_fixtures(body, asking)[1]:
        message = "A fixture that every test uses skips it."
        yield Oddity(rule="collection_changed", message=message, line=1)
    modules = {module for _bound, _origin, module in imports(nodes)}
    for node in nodes:
        for rule, message in _of_node(node, modules, asking):
            yield Oddity(rule=rule, message=message, line=lines.of(node))


def _of_node(node: "Node", modules: set[str], asking: Conditions) -> Iterator[tuple[str, str]]:
    target = field(node, "left") if node.type == "assignment" else None
    if target is not None and name_of(field(target, "value")).endswith("sys.modules"):
        key = field(target, "subscript")
        name = text_in(None if key is None else asking.resolved(key))
        if name in modules:
            yield (
                "module_replaced",
                f"The tests put something else in the place of the module {name!r}.",
            )
    if node.type == "function_definition" and source_of(field(node, "name")) == "__eq__":
        last = items(field(node, "body"))[-1:]
        if last and source_of(last[0]).split() == ["return", "True"]:
            yield (
                "assertion_tautological",
                "The tests have an object that is equal to everything.",
            )
    if node.type == "call" and last_name(node) == "importorskip" and given(node):
        needed = wording(given(node)[0], STYLE)
        yield "test_skipped", f"The tests do not run where {needed} cannot be imported."


def retried(marks: "Iterable[Node]", lines: LineIndex) -> Iterator[Oddity]:
    """Find marks that run a test again until it passes."""
    for mark in marks:
        if last_name(mark) in _RETRYING:
            message = "The test is run again where it fails."
            yield Oddity(rule="failure_retried", message=message, line=lines.of(mark))


def _lists(statement: "Node", lines: LineIndex) -> Iterator[Oddity]:
    """Find what a file adds to the lists of files that are not collected."""
    stack = [statement]
    while stack:
        found = expression(stack.pop())
        if found.type == "if_statement":
            clauses = (found, *found.children_by_field_name("alternative"))
            blocks = (field(it, "consequence") or field(it, "body") for it in clauses)
            stack += [each for block in blocks for each in items(block)]
            continue
        target, value = field(found, "left"), field(found, "right")
        if found.type == "call" and len(given(found)) == 1:
            target, value = field(found, "function", "object"), given(found)[0]
        is_empty = value is None or (value.type == "list" and not items(value))
        if name_of(target) in _LISTS and not is_empty:
            by = f"the list {name_of(target)!r} of {wording(value, STYLE)}"
            yield _left_out(found, by, lines)


def _left_out(node: "Node", by: str, lines: LineIndex) -> Oddity:
    message = f"Tests can be left out or reported as passed by {by}."
    return Oddity(rule="collection_changed", message=message, line=lines.of(node))


def _meddles(function: "Node", name: str) -> bool:
    """Tell whether a hook does more than look: it skips, deselects, or changes the outcome."""
    return name in _ALWAYS or any(_is_meddling(node, name) for node in walked(function))


def _is_meddling(node: "Node", hook: str) -> bool:
    if node.type in ("call", "attribute") and last_name(node) in _MEDDLING:
        return True
    if node.type == "assignment":
        target = field(node, "left")
        is_report = target is not None and target.type == "attribute"
        is_items = last_name(field(target, "value")) == "items"
        return is_items or (is_report and last_name(target) in _REPORTED)
    return node.type == "return_statement" and hook == "pytest_pyfunc_call"
