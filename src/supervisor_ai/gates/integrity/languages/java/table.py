"""Java: the table of its grammar and of its test libraries (JUnit, AssertJ, Hamcrest, Mockito)."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code import (
    arguments,
    called,
    operator,
    owner,
    statements,
    truth,
)
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.declared_tests import Declared, read_declared
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, SourceFile
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.place import FoundAssertion, negated
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    Grammar,
    field,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.analysis.tolerance import within
from supervisor_ai.gates.integrity.languages.java import words
from supervisor_ai.gates.integrity.model import Assertion, Strength, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS: Final = frozenset({"string_literal", "character_literal"})
_ANNOTATIONS: Final = frozenset({"annotation", "marker_annotation"})
_METHOD: Final = re.compile(
    rb"(?m)^[ \t]*(?:(?:public|protected|private|static|final|abstract|synchronized)[ \t]+){0,5}"
    rb"[\w<>\[\],.?]{1,80}[ \t]+(\w+)\([^\n;]{0,200}\{"
)
_PAIR: Final = len(("wanted", "found"))
_MAX_LINKS: Final = 40
"""Whoever writes a longer chain does so by machine; each of its links begins one of its own."""
_SETTINGS: Final = {"assignment_expression": "left", "enhanced_for_statement": "name"}


# Files


def _is_test_file(path: str, source: bytes) -> bool:
    """Tell whether a build would look for tests in a file, or tests share what stands in it."""
    where = PurePosixPath(path)
    named = where.stem.startswith("Test") or where.stem.endswith(
        ("Test", "Tests", "TestCase", "IT")
    )
    return named or "test" in where.parts[:-1] or b"org.junit" in source


def _read_file(file: SourceFile) -> TestFile:
    return read_declared(file, _declared)


def _declared(node: "Node", outer: tuple["Node", ...]) -> Declared:
    """Say what the annotations of a method, and of the classes around it, make of it."""
    own = _annotations(node)
    is_old = any("TestCase" in source_of(field(each, "superclass")) for each in outer)
    marks = [*own, *(mark for each in outer for mark in _annotations(each))]
    return Declared(
        is_test=any(_name(mark) in words.TESTS for mark in own)
        or (is_old and source_of(field(node, "name")).startswith("test")),
        is_skipped=any(_leaves_out(mark) for mark in marks),
        cases=_cases(own),
        told=" ".join(source_of(mark) for mark in own if _name(mark) in words.TABLES),
        assertions=tuple(_wanted_errors(own)),
    )


def _annotations(node: "Node") -> list["Node"]:
    marks = (each for each in items(node) if each.type == "modifiers")
    return [each for mark in marks for each in items(mark) if each.type in _ANNOTATIONS]


def _name(mark: "Node") -> str:
    return source_of(field(mark, "name")).rpartition(".")[2]


def _leaves_out(mark: "Node") -> bool:
    is_off = _name(mark) == "Test" and "enabled=false" in "".join(source_of(mark).split())
    return is_off or _name(mark).startswith(words.LEFT_OUT)


def _cases(marks: list["Node"]) -> int:
    """Count the rows that annotations list; 0 where they stand elsewhere."""
    for mark in marks:
        if _name(mark) in words.UNKNOWN_TABLES:
            return 0
        if _name(mark) in words.TABLES:
            kinds = ("array_initializer", "element_value_array_initializer")
            rows = next((each for each in walked(mark) if each.type in kinds), None)
            return 0 if rows is None else len(items(rows))
    return 1


def _wanted_errors(marks: list["Node"]) -> Iterator[Assertion]:
    """Read `@Test(expected = BadInput.class)`."""
    for mark in marks:
        for pair in (each for each in walked(mark) if each.type == "element_value_pair"):
            if source_of(field(pair, "key")) == "expected":
                error = source_of(field(pair, "value")).removesuffix(".class")
                text = f"throws {error}"
                yield Assertion(text=text, subject="test", strength=_of_error(error), line=1)


# Code


def _settings(node: "Node") -> Iterator[tuple[str, "Node | None"]]:
    if node.type == "variable_declarator":
        yield source_of(field(node, "name")), field(node, "value")
    elif node.type == "update_expression":
        yield source_of(next(iter(items(node)), None)), None
    elif node.type in _SETTINGS:
        yield source_of(field(node, _SETTINGS[node.type])), None


def _count_of(node: "Node", _names: Names) -> int | None:
    is_list = node.type == "method_invocation" and called(node, JAVA) in words.LISTS
    return len(arguments(node)) if is_list else None


def _function_name(node: "Node") -> str | None:
    value = field(node, "value") if node.type == "variable_declarator" else None
    is_kept = value is not None and value.type == "lambda_expression"
    return source_of(field(node, "name")) if is_kept else None


def _is_loud(_flow: Flow, node: "Node") -> bool:
    if node.type == "throw_statement":
        return True
    name = called(node, JAVA) if node.type == "method_invocation" else ""
    return name in ("fail", "verify") or name.startswith("assert")


def _is_exit(_flow: Flow, node: "Node") -> bool:
    return node.type == "method_invocation" and source_of(node).startswith("System.exit(")


def _is_skip(flow: Flow, node: "Node") -> bool:
    """Read assumptions that never hold: what stands behind them is not run."""
    name = called(node, JAVA) if node.type == "method_invocation" else ""
    if name not in ("assumeTrue", "assumeFalse", "abort"):
        return False
    given = [each for each in arguments(node) if each.type != "string_literal"]
    holds = truth(given[0], flow.table, flow.names(node)) if given else name != "assumeTrue"
    return name == "abort" or holds is (name == "assumeFalse")


def _is_failure(_flow: Flow, node: "Node") -> bool:
    if node.type == "throw_statement":
        return "AssertionError" in source_of(node)
    return node.type == "method_invocation" and called(node, JAVA) == "fail"


def _catches(handler: "Node") -> bool:
    kinds = (each for each in walked(handler) if each.type == "type_identifier")
    return any(source_of(each) in words.CATCHING for each in kinds)


# Checks


def _checks(flow: Flow, node: "Node") -> Iterator[FoundAssertion]:
    found = None
    if node.type == "try_statement":
        found = _of_attempt(flow, node)
    elif node.type == "method_invocation":
        asking, name = flow.asking(node), called(node, JAVA)
        found = _of_name(asking, node, name) or _of_chain(asking, node)
    yield from [found] if found else []


def _of_name(asking: Conditions, node: "Node", name: str) -> FoundAssertion | None:
    given = arguments(node)
    if name in words.TRUTH and given:
        # The message stands first in JUnit 4 and last since.
        condition = given[-1] if given[0].type == "string_literal" else given[0]
        return asking.check(condition, holds=words.TRUTH[name])
    if name in words.COMPARING and len(given) >= _PAIR:
        return _compared(asking, name, given)
    if name in words.SINGLE and given:
        return _single(asking, name, given[-1], words.SINGLE[name])
    if name in words.KINDS and len(given) >= _PAIR:
        return _single(asking, name, given[1], Strength.WEAK)
    if name in words.THROWING and len(given) >= _PAIR:
        return _thrown(asking, given)
    return None


def _compared(asking: Conditions, name: str, given: list["Node"]) -> FoundAssertion:
    has_message = len(given) > _PAIR and given[0].type == "string_literal"
    wanted, subject, *rest = given[1:] if has_message else given
    if asking.is_wanted(subject, wanted):
        wanted, subject = subject, wanted
    strength = words.COMPARING[name]
    if asking.is_constant(subject):
        strength = Strength.NONE
    elif rest and asking.is_plain(rest[0]) and rest[0].type not in _STRINGS:
        strength = within(asking.worded(rest[0]), asking.worded(wanted)) or strength
    sides = ", ".join(map(asking.worded, (subject, wanted)))
    return FoundAssertion(
        text=f"{name}({sides})",
        subject=asking.worded(subject),
        strength=asking.unless_alike(subject, wanted, strength),
    )


def _single(asking: Conditions, name: str, subject: "Node", strength: Strength) -> FoundAssertion:
    is_hollow = asking.is_constant(subject)
    about = asking.worded(_run_by(subject))
    return FoundAssertion(
        text=f"{name}({about})", subject=about, strength=Strength.NONE if is_hollow else strength
    )


def _thrown(asking: Conditions, given: list["Node"]) -> FoundAssertion:
    error, about = source_of(given[0]).removesuffix(".class"), asking.worded(_run_by(given[1]))
    return FoundAssertion(text=f"throws {error}: {about}", subject=about, strength=_of_error(error))


def _of_error(error: str) -> Strength:
    return Strength.PARTIAL if error in words.WIDE_ERRORS else Strength.EXACT


def _run_by(node: "Node") -> "Node":
    """Return what a function does: `() -> f(2)` is checked as `f(2)`."""
    body = field(node, "body") if node.type == "lambda_expression" else None
    inside = items(body) if body is not None and body.type == "block" else []
    return inside[-1] if inside else body or node


def _links(node: "Node") -> Iterator["Node"]:
    """Yield the calls of a chain, the last one first."""
    found: Node | None = node
    while found is not None and found.type == "method_invocation":
        yield found
        found = owner(found, JAVA)


def _of_chain(asking: Conditions, node: "Node") -> FoundAssertion | None:
    """Read `assertThat(got).isEqualTo(3)`, `assertThat(got, is(3))` and `verify(mock).f(3)`."""
    links = list(islice(_links(node), _MAX_LINKS))
    root = next((each for each in links if called(each, JAVA) in words.ROOTS), None)
    if root is None:
        return _verified(asking, node, links)
    given = arguments(root)
    if not given:
        return None
    asked = [
        each for each in links[: links.index(root)] if called(each, JAVA) not in words.NO_MATCHERS
    ]
    matchers = asked or [each for each in given[1:] if each.type == "method_invocation"][-1:]
    subject = given[0] if asked or len(given) < _PAIR else given[-2]
    strength = _matched(asking, subject, matchers)
    about = asking.worded(_run_by(subject))
    return FoundAssertion(text=asking.worded(node), subject=about, strength=strength)


def _matched(asking: Conditions, subject: "Node", matchers: list["Node"]) -> Strength:
    """Weigh the matchers of a chain; all of them must hold, so that the best one counts."""
    if asking.is_constant(subject) and subject.type != "class_literal":
        return Strength.NONE
    found = [Strength.NONE]
    for matcher in matchers:
        name, wanted = called(matcher, JAVA), arguments(matcher)
        strength = words.MATCHERS.get(name, Strength.PARTIAL)
        if name in ("isTrue", "isFalse"):
            strength = asking.strength(subject, holds=name == "isTrue")
        elif wanted:
            strength = asking.unless_alike(subject, wanted[0], strength)
        found.append(strength)
    return max(found)


def _verified(asking: Conditions, node: "Node", links: list["Node"]) -> FoundAssertion | None:
    verify = next((each for each in links[1:] if called(each, JAVA) == "verify"), None)
    if verify is None or not arguments(verify):
        return None
    subject = f"calls of {asking.worded(arguments(verify)[0])}.{called(node, JAVA)}"
    loose = [each for each in arguments(node) if source_of(each).startswith(("any", "Mockito.any"))]
    strength = Strength.PARTIAL if loose else Strength.EXACT
    return FoundAssertion(text=asking.worded(node), subject=subject, strength=strength)


def _of_attempt(flow: Flow, node: "Node") -> FoundAssertion | None:
    """Read `try { f(); fail(); } catch (BadInput error) {}` as what it means: f() throws."""
    body = field(node, "body")
    inside = [each for each in statements(body, flow.table) if not flow.fails(each)]
    handlers = [each for each in items(node) if each.type in flow.table.handlers]
    if not flow.fails(body) or not inside or not handlers or _catches(handlers[0]):
        return None
    kinds = (each for each in walked(handlers[0]) if each.type == "type_identifier")
    error, about = source_of(next(kinds, None)), flow.asking(node).worded(inside[-1])
    return FoundAssertion(text=f"throws {error}: {about}", subject=about, strength=_of_error(error))


def _weigh(asking: Conditions, node: "Node", holds: bool) -> Strength | None:  # noqa: FBT001 - as the table has it
    if node.type == "instanceof_expression":
        return Strength.WEAK
    if source_of(field(node, "right")) == "null":
        return Strength.EXACT if (operator(node) == "==") is holds else Strength.WEAK
    if node.type != "method_invocation":
        return None
    name, whose, given = called(node, JAVA), owner(node, JAVA), arguments(node)
    if name in words.PARTIAL_ANSWERS | words.WEAK_ANSWERS:
        weak = Strength.WEAK if name in words.WEAK_ANSWERS else Strength.PARTIAL
        return weak if holds else negated(weak)
    sides = given if len(given) == _PAIR else [each for each in (whose, *given) if each]
    if name in ("equals", "deepEquals") and len(sides) == _PAIR:
        strength = asking.unless_alike(sides[0], sides[1], Strength.EXACT)
        return strength if holds else negated(strength)
    return Strength.EXACT


def _about(asking: Conditions, node: "Node") -> "Node | None":
    name = called(node, JAVA) if node.type == "method_invocation" else ""
    whose, given = owner(node, JAVA), arguments(node)
    if name == "equals" and whose is not None and given and asking.is_wanted(whose, given[0]):
        return given[0]
    is_asked = name in {"equals", *words.PARTIAL_ANSWERS, *words.WEAK_ANSWERS}
    return whose if is_asked else None


JAVA: Final = LanguageTable(
    environment=re.compile(r"\bSystem\.getenv\b"),
    grammars={".java": Grammar("tree_sitter_java")},
    is_test=_is_test_file,
    read_file=_read_file,
    method=_METHOD,
    left_out=frozenset({"line_comment", "block_comment", "type_arguments"}),
    whole=_STRINGS,
    transparent={"parenthesized_expression": "", "cast_expression": "value"},
    functions=frozenset({"method_declaration"}),
    calls=frozenset({"method_invocation"}),
    members={"method_invocation": ("object", "name")},
    literals=_STRINGS
    | {"decimal_integer_literal", "hex_integer_literal", "decimal_floating_point_literal"}
    | {"true", "false", "null_literal", "class_literal"},
    lists={"array_initializer": "", "array_creation_expression": "value"},
    blocks=frozenset({"block", "switch_block_statement_group"}),
    branches=frozenset({"if_statement", "ternary_expression"}),
    shortcuts=frozenset({"binary_expression"}),
    loops=frozenset({"enhanced_for_statement", "while_statement", "for_statement"}),
    each={"enhanced_for_statement": ("name", "value")},
    endings=frozenset(
        {"return_statement", "throw_statement", "break_statement", "continue_statement"}
    ),
    leavings=frozenset({"return_statement", "break_statement"}),
    wanted=("expected", "want"),
    settings=_settings,
    count_of=_count_of,
    function_name=_function_name,
    is_loud=_is_loud,
    is_exit=_is_exit,
    is_skip=_is_skip,
    is_failure=_is_failure,
    catches=_catches,
    checks=_checks,
    of_one_check=_links,
    weigh=_weigh,
    about=_about,
)
