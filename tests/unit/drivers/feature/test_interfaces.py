"""Interfaces as files: where they stand, and what is in them."""

import pytest

from supervisor_ai.definitions.feature.interface_forms import form_problem
from supervisor_ai.drivers.feature.plan.interfaces import interface_file, interface_text
from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind
from supervisor_ai.tools.yaml_tree import YamlLimits, read_yaml_tree

K = InterfaceKind
LOGIN = """\
/api/auth/login:
  post:
    requestBody: { $ref: '#/components/schemas/LoginRequest' }
    responses:
      200: { $ref: '#/components/schemas/LoginResponse' }
"""


def interface(kind: InterfaceKind, definition: str) -> Interface:
    return Interface(name="Login", kind=kind, definition=definition)


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        (K.TYPESCRIPT, "types/Login.d.ts"),
        (K.OPENAPI, "api/Login.yaml"),
        (K.PYTHON, "interfaces/Login.pyi"),
        (K.JSON_SCHEMA, "schemas/Login.schema.json"),
        (K.PROTOBUF, "proto/Login.proto"),
        (K.SQL, "sql/Login.sql"),
    ],
)
def test_each_kind_has_its_place(kind: InterfaceKind, file: str) -> None:
    assert interface_file(interface(kind, "x")) == file


def test_paths_of_an_api_are_wrapped_into_a_document() -> None:
    text = interface_text(interface(K.OPENAPI, f"{LOGIN}\n/x: {{}}"))
    tree = read_yaml_tree(text, limits=YamlLimits())
    assert isinstance(tree.value, dict)
    assert list(tree.value) == ["openapi", "info", "paths"]
    assert isinstance(tree.value["paths"], dict)
    assert list(tree.value["paths"]) == ["/api/auth/login", "/x"]


def test_a_whole_document_and_other_kinds_stay_as_they_are() -> None:
    whole = "openapi: 3.1.0\npaths: {}\n"
    assert interface_text(interface(K.OPENAPI, whole)) == whole
    assert interface_text(interface(K.SQL, "select 1\n\n")) == "select 1\n"


@pytest.mark.parametrize(
    ("kind", "definition", "told"),
    [
        (K.JSON_SCHEMA, '{"type": "object"}', None),
        (K.JSON_SCHEMA, "true", None),
        (K.JSON_SCHEMA, "{", "is no JSON"),
        (K.JSON_SCHEMA, "[" * 90_000, "is no JSON"),
        (K.JSON_SCHEMA, "[1]", "is no JSON Schema"),
        (K.OPENAPI, LOGIN, None),
        (K.OPENAPI, "openapi: 3.1.0", None),
        (K.OPENAPI, "a: [", "in its line 1"),
        (K.OPENAPI, "hello", "is no part of an OpenAPI document"),
        (K.OPENAPI, "post: {}", "'post' is no path"),
        (K.TYPESCRIPT, "whatever", None),
    ],
)
def test_what_a_parser_can_tell_is_told(
    kind: InterfaceKind, definition: str, told: str | None
) -> None:
    found = form_problem(interface(kind, definition))
    assert found is None if told is None else told in (found or "")
