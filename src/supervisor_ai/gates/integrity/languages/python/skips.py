"""What keeps a Python test from running, or lets it fail without notice."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code import operator, sides, truth
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    field,
    items,
    parsed,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.languages.python.nodes import (
    assignments,
    decorators,
    expression,
    given,
    keywords,
    last_name,
    name_of,
    number_of,
    text_in,
    unwrapped,
)
from supervisor_ai.gates.integrity.model import Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node

ENVIRONMENT: Final = re.compile(
    r"\benviron\b|\bgetenv\b|\bgetoption\b|\bgetvalue\b|\bisatty\b|\bgetuser\b|\bgethostname\b"
    r"|\bgetlogin\b|\bcpu_count\b|\bnode\(\)"
)
_LACKING: Final = re.compile(
    r"Import|NotFound|OSError|IOError|Permission|Connection|URLError|Timeout|NotImplemented"
    r"|Unavailable|Unsupported|NotAvailable|socket|requests|subprocess"
)
"""Errors that tell of what a machine lacks, not of what the code does."""
_LEFT_OUT: Final = re.compile(
    r"skip|disab|ignore|xfail|expectedfailure|todo|broken|quarantin|deselect|notest|nottest",
    re.IGNORECASE,
)
_CONDITIONAL: Final = {"skipif": True, "skipIf": True, "skipUnless": False}
_CALLS: Final = frozenset({"pytest.skip", "pytest.xfail", "xfail", "skipTest"})
_RAISED: Final = frozenset({"SkipTest", "Skipped", "Exit"})
_SETUPS: Final = frozenset(
    {"setUp", "setUpClass", "asyncSetUp", "setup", "setup_method", "setup_class"}
    | {"setUpModule", "setup_module", "setup_function"}
)
_OURS: Final = re.compile(r"linux|posix", re.IGNORECASE)
_PLATFORM: Final = frozenset({"platform", "name", "system"})
_OLDEST: Final = (3, 9)
_NEWEST: Final = (3, 14)
_OWN_ENDS: Final = frozenset(
    {"function_definition", "lambda", "class_definition", "generator_expression"}
)


def is_marked(marks: "Iterable[Node]", asking: Conditions) -> bool:
    """Tell whether one of the decorators or marks leaves a test out, or lets it fail."""
    return any(_is_mark(mark, asking) for mark in marks)


def _is_mark(mark: "Node", asking: Conditions) -> bool:
    mark = asking.resolved(mark)
    if mark.type in ("list", "tuple"):
        return any(_is_mark(asking.resolved(each), asking) for each in items(mark))
    name = last_name(mark)
    if name in _CONDITIONAL and mark.type == "call":
        condition = next(iter([*given(mark)[:1], *_named(mark, "condition")]), None)
        return condition is None or _leaves_out(
            _read(condition, asking), asking, _CONDITIONAL[name]
        )
    if name == "xfail" and given(mark):
        return leaves_out(given(mark)[0], asking)
    return bool(_LEFT_OUT.search(name))


def _named(call: "Node", word: str) -> "list[Node]":
    found = keywords(call).get(word)
    return [] if found is None else [found]


def _read(condition: "Node", asking: Conditions) -> "Node":
    """Return the condition that a string is."""
    text = text_in(condition)
    if text is None:
        return condition
    root = parsed(next(iter(asking.table.grammars.values())), "", text.encode())
    first = None if isinstance(root, Unreadable) else next(iter(items(root)), None)
    return condition if first is None else expression(first)


def leaves_out(condition: "Node", asking: Conditions) -> bool:
    """Tell whether a condition keeps a test from running on an ordinary machine.

    A condition about the environment counts: whoever sets no variable does not run the test.
    """
    return _leaves_out(condition, asking, wanted=True)


def _leaves_out(condition: "Node", asking: Conditions, wanted: bool) -> bool:  # noqa: FBT001 - a value of the table
    condition = asking.resolved(condition)
    holds = truth(condition, asking.table, asking.names)
    if holds is None and wanted:
        holds = _about_the_machine(condition)
    if holds is not None:
        return holds is wanted
    return ENVIRONMENT.search(asking.worded(condition)) is not None


def _about_the_machine(condition: "Node") -> bool | None:
    left, right = sides(condition) if condition.type == "comparison_operator" else (None, None)
    value = text_in(right)
    if value is not None and last_name(left) in _PLATFORM:
        return bool(_OURS.search(value)) is (operator(condition) in ("==", "in"))
    if right is not None and right.type == "tuple" and name_of(left).endswith("version_info"):
        numbers = (number_of(each) for each in items(right))
        version = tuple(int(number) for number in numbers if number is not None)
        is_old, is_new = version <= _OLDEST, version > _NEWEST
        return {">": is_old, ">=": is_old, "<": is_new, "<=": is_new}.get(
            operator(condition), False
        )
    return None


def used_fixtures(function: "Node") -> frozenset[str]:
    """Return the fixtures that a test asks for, by its parameters or by a mark."""
    named = {
        source_of(field(each, "name") or each) for each in items(field(function, "parameters"))
    }
    for mark in decorators(function):
        if last_name(mark) == "usefixtures":
            named |= {text_in(each) or "" for each in given(mark)}
    return frozenset(named)


def is_never_run(function: "Node", *, is_marked: bool) -> bool:
    """Tell whether a runner calls a test and then does nothing with what it gets.

    A generator is not gone through; what is `async` without a reason is not awaited.
    """
    text = source_of(function)
    is_async = text.startswith("async")
    own = {each.type for each in _own_nodes(function)} if is_async or "yield" in text else set()
    if "yield" in own:
        return True
    return is_async and not is_marked and not own & {"await", "async"}


def _own_nodes(function: "Node") -> "Iterator[Node]":
    stack = items(field(function, "body"))
    while stack:
        node = stack.pop()
        yield node
        if node.type not in _OWN_ENDS:
            stack.extend(node.children)


def marks_of(body: "Iterable[Node]") -> "Iterator[Node]":
    """Find the marks that a module or class gives all its tests."""
    return (value for left, value in assignments(body) if source_of(left) == "pytestmark")


def says_no_tests(body: "Iterable[Node]") -> bool:
    """Tell whether a module or class says `__test__ = False`."""
    found = (source_of(value) for left, value in assignments(body) if source_of(left) == "__test__")
    return any(value in ("False", "0", "None") for value in found)


def is_skipping(body: "Iterable[Node]", asking: Conditions) -> bool:
    """Tell whether a body always ends in a skip, on an ordinary machine at least."""
    stack = list(body)
    while stack:
        found = expression(stack.pop())
        condition = field(found, "condition")
        if found.type == "call" and is_skip(found):
            return True
        if found.type == "raise_statement" and any(last_name(it) in _RAISED for it in items(found)):
            return True
        if found.type == "if_statement" and condition and leaves_out(condition, asking):
            stack += items(field(found, "consequence"))
        elif found.type == "with_statement":
            stack += items(field(found, "body"))
    return False


def is_skip(call: "Node") -> bool:
    """Tell whether a call ends a test without a verdict."""
    name = name_of(field(call, "function"))
    is_own = name == "skip" and bool(items(field(call, "arguments")))
    return name in _CALLS or name.endswith((".skipTest", ".exit")) or is_own


def skips_failures(function: "Node") -> bool:
    """Tell whether a test is skipped where the code that it tests fails."""
    handlers = (each for each in walked(function) if each.type == "except_clause")
    return any(
        not _LACKING.search(source_of(field(handler, "value")))
        and any(each.type == "call" and is_skip(each) for each in walked(handler))
        for handler in handlers
    )


def skipping_fixtures(body: "Iterable[Node]", asking: Conditions) -> tuple[set[str], bool]:
    """Return the fixtures that always skip, and whether one of them serves every test."""
    names: set[str] = set()
    for_all = False
    for function in map(unwrapped, body):
        if function.type != "function_definition":
            continue
        if is_preparing(function) and is_skipping(items(field(function, "body")), asking):
            fixture, name = _fixture(function), source_of(field(function, "name"))
            names |= set() if fixture is None else {name}
            for_all = for_all or name in _SETUPS or _is_autouse(fixture)
    return names, for_all


def is_preparing(function: "Node") -> bool:
    """Tell whether a function runs before tests: a fixture, or a setup."""
    return _fixture(function) is not None or source_of(field(function, "name")) in _SETUPS


def _fixture(function: "Node") -> "Node | None":
    return next((mark for mark in decorators(function) if last_name(mark) == "fixture"), None)


def _is_autouse(fixture: "Node | None") -> bool:
    found = keywords(fixture).get("autouse")
    return found is not None and source_of(found) not in ("False", "0", "None")
