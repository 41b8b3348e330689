"""The names by which a JavaScript file knows its test runner: `tape`, `tap.test`, suites of uvu."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.javascript.chains import FUNCTIONS, chain, parameters
from supervisor_ai.gates.integrity.languages.javascript.mocks import imports_of

if TYPE_CHECKING:
    from tree_sitter import Node

TESTS: Final = frozenset({"it", "test", "specify", "Deno", "QUnit"})
SUITES: Final = frozenset({"describe", "suite", "context"})
HOOKS: Final = frozenset({"beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after"})
_CALLABLE: Final = frozenset(
    {"tape", "tap", "ava", "brittle", "zora", "supertape", "blue-tape", "tape-promise", "node:test"}
    | {"tape-promise/tape", "tape-catch", "tape-async", "@tapjs/core", "test", "japa"}
)
"""Modules that are a function which declares a test, or have one of the name `test`."""
_UVU: Final = "uvu"
_OTHERS: Final = frozenset(
    {_UVU, "vitest", "mocha", "@jest/globals", "bun:test", "@playwright/test", "qunit"}
)
DECLARING: Final = (
    TESTS | SUITES | HOOKS | {"only", "skip", "todo", "serial", "failing", "cb", "each", "always"}
)
"""What may be called on such a function to declare a test; the rest asserts."""
_SKIPPING: Final = frozenset({"skip", "todo", "failing"})


def runner_names(root: "Node") -> dict[str, str]:
    """Return the names that the runner has in a file, each with the usual one."""
    imported = imports_of(root)
    found = {
        local: "test" if name in ("default", "*") else name
        for module in _CALLABLE | _OTHERS
        for local, name in imported.get(module, {}).items()
        if name in TESTS | SUITES | HOOKS or (name in ("default", "*") and module in _CALLABLE)
    }
    makers = {local for local, name in imported.get(_UVU, {}).items() if name == "suite"}
    suites = dict.fromkeys(_made_by(root, makers), "test") if makers else {}
    return {name: usual for name, usual in found.items() if name not in makers} | suites


def never_runs(root: "Node") -> bool:
    """Tell whether a file declares tests that run only where it says so, and does not say so."""
    if _UVU not in imports_of(root):
        return False
    calls = (each for each in walked(root) if each.type == "call_expression")
    return not any(chain(each)[-1].name == "run" for each in calls)


def _made_by(root: "Node", makers: set[str]) -> Iterator[str]:
    for node in walked(root):
        value = field(node, "value") if node.type == "variable_declarator" else None
        if value is not None and value.type == "call_expression" and chain(value)[0].name in makers:
            yield source_of(field(node, "name"))


def inner_testers(function: "Node") -> frozenset[str]:
    """Return what the subtests of a test call their first parameter."""
    found: set[str] = set()
    for node in walked(function):
        if node.type == "call_expression" and chain(node)[-1].name in ("test", *_SKIPPING):
            inside = items(field(node, "arguments"))
            given = next((each for each in reversed(inside) if each.type in FUNCTIONS), None)
            found.update(parameters(given)[:1])
    return frozenset(found)


def leaves_out(node: "Node", testers: frozenset[str]) -> bool:
    """Tell whether a call declares a subtest that is not run."""
    links = chain(node)
    if len(links) < len(("t", "test")) or links[0].name not in testers:
        return False
    given = items(links[-1].arguments)
    is_declared = any(each.type in FUNCTIONS for each in given)
    if is_declared and {link.name for link in links[1:]} & _SKIPPING:
        return True
    options = (each for each in given if each.type == "object")
    pairs = (pair for each in options for pair in items(each))
    return any(
        source_of(field(pair, "key")) in ("skip", "todo")
        and source_of(field(pair, "value")) not in ("false", "undefined")
        for pair in pairs
    )
