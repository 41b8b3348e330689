"""Interfaces as files: where they stand, and what is in them."""

import pytest
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.interfaces import (
    interface_file,
    interface_text,
    users_of,
)
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


def test_who_depends_on_an_interface_follows_from_phases_and_needs_or_is_said() -> None:
    one, two, three, four = cid(1, 1), cid(2, 1), cid(2, 2), cid(3, 1)
    plan = feature(
        [component(1, 1)],
        [component(2, 1, needs=[one]), component(2, 2)],
        [component(3, 1, needs=[two])],
    )
    phases = list(plan.phases)
    phases[0] = replace(phases[0], interfaces=(interface(K.SQL, "x"),))
    plan = replace(plan, phases=tuple(phases))
    assert users_of(plan, "Login") == (one, two, four)
    assert users_of(plan, "Nobody") == ()
    phases[1] = replace(
        phases[1],
        components=(
            replace(phases[1].components[0], uses=()),
            replace(phases[1].components[1], uses=("Login",)),
        ),
    )
    assert users_of(replace(plan, phases=tuple(phases)), "Login") == (one, three, four)
