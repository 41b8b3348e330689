"""Interfaces in six languages: who can tell whether they are well written, and what is wrong."""

import pytest

from supervisor_ai.definitions.feature.interfaces.confined_parser import ConfinedInterfaceParser
from supervisor_ai.definitions.feature.interfaces.parsers import parse_interface, serve
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind
from supervisor_ai.tools.confinement import ProcessLimits

K = InterfaceKind
LOGIN = """\
/api/auth/login:
  post:
    requestBody: { $ref: '#/components/schemas/LoginRequest' }
    responses:
      200: { $ref: '#/components/schemas/LoginResponse' }
"""
WHOLE = """\
openapi: {}
info: {{title: A, version: '1'}}
paths:
  /a: {{get: {{responses: {{'200': {{$ref: '#/components/responses/R'}}}}}}}}
components: {{responses: {{R: {{description: fine}}}}}}
"""
TREE, JSON, YAML = "tree-sitter", "jsonschema", "openapi-spec-validator"


def interface(kind: InterfaceKind, definition: str) -> Interface:
    return Interface(name="Login", kind=kind, definition=definition)


@pytest.mark.parametrize(
    ("kind", "definition", "by"),
    [
        (K.TYPESCRIPT, "interface LoginRequest {\n  email: string;\n}", TREE),
        (K.TYPESCRIPT, "export declare function login(a: string): Promise<void>;", TREE),
        (K.PYTHON, "class User(Protocol):\n    def name(self) -> str: ...\n", TREE),
        (K.JSON_SCHEMA, '{"type": "object"}', JSON),
        (K.JSON_SCHEMA, "true", JSON),
        (K.OPENAPI, LOGIN, YAML),
        (K.OPENAPI, WHOLE.format("3.0.3"), YAML),
        (K.OPENAPI, WHOLE.format("3.1.0"), YAML),
        (K.OPENAPI, WHOLE.format("9.9"), "yaml"),
        (K.PROTOBUF, 'syntax = "proto3"; message A { string b = 1; }', "proto-schema-parser"),
        (K.SQL, "CREATE TABLE users (id INT PRIMARY KEY, email TEXT NOT NULL);", "sqlglot"),
    ],
)
def test_what_is_well_written_is_told_with_who_looked(
    kind: InterfaceKind, definition: str, by: str
) -> None:
    found = parse_interface(interface(kind, definition))
    assert (found.by, found.problem) == (by, None)


@pytest.mark.parametrize(
    ("kind", "definition", "told"),
    [
        (K.TYPESCRIPT, "interface A {\n  email string string;\n}", "is no TypeScript: its line 2"),
        (K.TYPESCRIPT, f"{400 * chr(40)}1{400 * chr(41)}", "is no TypeScript that can be read"),
        (K.PYTHON, "class User:\ndef", "is no Python: its line"),
        (K.JSON_SCHEMA, "{", "is no JSON"),
        (K.JSON_SCHEMA, "[" * 90_000, "nested too deeply"),
        (K.JSON_SCHEMA, "[1]", "is no JSON Schema: expected an object"),
        (K.JSON_SCHEMA, '{"type": "thing"}', "is no JSON Schema: at '/type'"),
        (K.OPENAPI, "a: [", "in its line 1"),
        (K.OPENAPI, "hello", "is no part of an OpenAPI document"),
        (K.OPENAPI, "post: {}", "'post' is no path"),
        (K.OPENAPI, "/a: {post: {answers: 1}}", "is no OpenAPI document: at '/paths//a/post'"),
        (K.OPENAPI, "/a: {}\n/b: [\n  1]", "is no OpenAPI document"),
        (K.OPENAPI, "openapi: 3.1.0", "is no OpenAPI document"),
        (K.PROTOBUF, "message A {\n string b 1; }", "is no protobuf: in its line 2"),
        (K.SQL, "CREATE TABLE (id INT", "is no SQL: in its line 1"),
        (K.SQL, "SELECT 'never ended", "is no SQL"),
    ],
)
def test_what_is_not_is_told_with_its_place(
    kind: InterfaceKind, definition: str, told: str
) -> None:
    assert told in (parse_interface(interface(kind, definition)).problem or "")


def test_references_that_lead_nowhere_are_warnings_and_nobody_goes_there() -> None:
    more = "/b: {get: {responses: {'200': {$ref: 'file:///etc/passwd#/x'}}}}\n"
    found = parse_interface(interface(K.OPENAPI, LOGIN + more))
    assert found.problem is None
    assert found.warnings == (
        "unknown $ref '#/components/schemas/LoginRequest'",
        "unknown $ref '#/components/schemas/LoginResponse'",
        "unknown $ref 'file:///etc/passwd#/x'",
    )
    many = "".join(f"/{n}: {{$ref: 'x{n}'}}\n" for n in range(60))
    assert len(parse_interface(interface(K.OPENAPI, many)).warnings) == 50
    odd = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\ncomponents: 7\npaths: {/a: {$ref: x}}\n"
    assert parse_interface(interface(K.OPENAPI, odd)).problem is not None


@pytest.mark.parametrize(
    ("kind", "definition", "by"),
    [
        (K.JSON_SCHEMA, "{}", "json"),
        (K.OPENAPI, LOGIN, "yaml"),
        (K.PROTOBUF, "anything", ""),
        (K.SQL, "anything", ""),
    ],
)
def test_without_the_extra_less_is_looked_at_and_the_result_says_so(
    kind: InterfaceKind, definition: str, by: str
) -> None:
    found = parse_interface(interface(kind, definition), lambda _: None)
    assert (found.by, found.problem) == (by, None)


def test_a_confined_process_parses_and_what_breaks_it_is_its_own_fault() -> None:
    good, bad = interface(K.SQL, "SELECT 1"), interface(K.SQL, "(" * 90_000)
    limits = ProcessLimits(memory=1 << 30, cpu=5, wall=30.0, speech=1 << 20)
    parser = ConfinedInterfaceParser(limits=limits)
    found = parser.parse([good, bad, good])
    assert found[0] == found[2] == InterfaceForm(by="sqlglot")
    assert found[1].problem is not None
    assert parser.parse([good]) == (InterfaceForm(by="sqlglot"),)


def test_the_reader_survives_what_is_nested_too_deeply() -> None:
    import msgspec

    task = msgspec.json.encode([interface(K.SQL, "(" * 2_000)])
    (found,) = msgspec.json.decode(serve(task, lambda it: it), type=tuple[InterfaceForm, ...])
    assert found.problem is not None
