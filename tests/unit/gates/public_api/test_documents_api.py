"""Pairs of OpenAPI and JSON Schema: what breaks clients, and what does not."""

import json
from collections.abc import Mapping
from typing import Final

import pytest
from tests.unit.gates.public_api.seen_breaks import seen, told

Document = Mapping[str, object]
PETS: Final = "/pets"


def api(operation: Document, path: str = PETS, **more: object) -> str:
    document = {"openapi": "3.0.0", "paths": {path: {"get": operation}}, **more}
    return json.dumps(document)


def query(name: str = "limit", **more: object) -> Document:
    return {"name": name, "in": "query", "schema": {"type": "integer"}, **more}


def answer(schema: Document, code: str = "200") -> Document:
    return {"responses": {code: {"content": {"application/json": {"schema": schema}}}}}


def asked(schema: Document, **more: object) -> Document:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, **more}}


def compared(before: Document, after: Document) -> list[str]:
    return told({"openapi.json": api(before)}, {"openapi.json": api(after)})


PET: Final = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"parameters": [query()]}, {}, "removed GET /pets query limit: the parameter is gone"),
        (
            {"parameters": [query()]},
            {"parameters": [query(required=True)]},
            "narrowed GET /pets query limit: it became required",
        ),
        ({}, {"parameters": [query(required=True)]}, "the parameter is new and required"),
        (
            {"parameters": [query(schema={"type": "string"})]},
            {"parameters": [query()]},
            "narrowed GET /pets query limit: it no longer takes string",
        ),
        (
            {"parameters": [query(schema={"type": "string", "enum": ["a", "b"]})]},
            {"parameters": [query(schema={"type": "string", "enum": ["a"]})]},
            'it no longer takes "b"',
        ),
        (
            {"parameters": [query(schema={"type": "integer", "maximum": 100})]},
            {"parameters": [query(schema={"type": "integer", "maximum": 10})]},
            "maximum was 100 and is 10",
        ),
        (answer(PET), answer({"type": "object", "properties": {}}), "removed GET /pets 200.name"),
        (answer(PET), {"responses": {}}, "removed GET /pets 200: the response is gone"),
        (
            answer(PET),
            answer({"type": "object", "properties": {"name": {"type": "integer"}}}),
            "narrowed GET /pets 200.name: it may be integer now",
        ),
        (
            answer({**PET, "required": ["name"]}),
            answer(PET),
            "narrowed GET /pets 200.name: it may be missing now",
        ),
        (asked(PET), asked({**PET, "required": ["name"]}), "body.name: it became required"),
        (asked(PET), asked(PET, required=True), "narrowed GET /pets body: it became required"),
        (asked(PET), asked({**PET, "additionalProperties": False}), "no other properties"),
        ({}, {"security": [{"key": []}]}, "narrowed GET /pets: it asks who calls"),
    ],
)
def test_a_client_breaks(before: Document, after: Document, expected: str) -> None:
    found = compared(before, after)
    assert any(expected in it for it in found), found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"parameters": [query()]}),
        ({"parameters": [query(required=True)]}, {"parameters": [query()]}),
        (
            {"parameters": [query(schema={"type": "integer"})]},
            {"parameters": [query(schema={"type": "number"})]},
        ),
        (answer({"type": "object"}), answer(PET)),
        (answer(PET), answer({**PET, "required": ["name"]})),
        (asked({**PET, "required": ["name"]}), asked(PET)),
        (asked({"type": "string", "enum": ["a"]}), asked({"type": "string", "enum": ["a", "b"]})),
        (answer(PET), {**answer(PET), "summary": "New words."}),
        (
            {"responses": {"404": {"description": "a"}}},
            {"responses": {"410": {"description": "b"}}},
        ),
    ],
)
def test_a_client_does_not_break(before: Document, after: Document) -> None:
    assert compared(before, after) == []


def test_paths_and_operations_that_are_gone_are_breaks() -> None:
    before = json.dumps({"openapi": "3.1.0", "paths": {"/a": {"get": {}, "put": {}}, "/b": {}}})
    after = json.dumps({"openapi": "3.1.0", "paths": {"/a": {"get": {}}}})
    assert told({"api.json": before}, {"api.json": after}) == [
        "removed /b: the path is gone",
        "removed PUT /a: the operation is gone",
    ]


def test_a_variable_of_a_path_may_be_called_otherwise() -> None:
    before, after = api({}, "/pets/{id}"), api({}, "/pets/{petId}")
    assert told({"api.json": before}, {"api.json": after}) == []


def test_references_are_followed_also_in_circles() -> None:
    def document(kind: str) -> str:
        node = {
            "type": "object",
            "properties": {"next": {"$ref": "#/components/schemas/Node"}, "a": {"type": kind}},
        }
        answered = answer({"$ref": "#/components/schemas/Node"})
        return api(answered, components={"schemas": {"Node": node}})

    found = told({"a/openapi.json": document("string")}, {"a/openapi.json": document("integer")})
    assert found == ["narrowed GET /pets 200.a: it may be integer now"]


def test_yaml_and_the_older_version_are_read() -> None:
    before = (
        'swagger: "2.0"\npaths:\n  /pets:\n    get:\n      parameters:\n'
        "        - {name: limit, in: query, type: integer}\n      responses:\n        '200':\n"
        "          schema: {type: object, properties: {name: {type: string}}}\n"
    )
    after = before.replace("type: integer", "type: boolean").replace("name: {type: string}", "")
    assert told({"docs/swagger.yaml": before}, {"docs/swagger.yaml": after}) == [
        "narrowed GET /pets query limit: it no longer takes integer",
        "removed GET /pets 200.name: the property is gone",
    ]


def test_a_document_that_is_gone_is_a_break() -> None:
    assert told({"openapi.json": api({})}, {}) == ["removed openapi.json: the document is gone"]


SCHEMA: Final = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Order"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            {"properties": {"a": {"type": "string"}}},
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            ["narrowed Order.a: it became required"],
        ),
        (
            {"properties": {"a": {"type": ["string", "null"]}}},
            {"properties": {"a": {"type": "string"}}},
            ["narrowed Order.a: it no longer takes null"],
        ),
        (
            {"properties": {"a": {"type": "string"}}},
            {"properties": {}},
            ["removed Order.a: the property is gone"],
        ),
        ({"$defs": {"X": {}}}, {"$defs": {}}, ["removed $defs.X: the definition is gone"]),
        (
            {"type": "array", "items": {"type": "string", "maxLength": 9}},
            {"type": "array", "items": {"type": "string", "maxLength": 5}},
            ["narrowed Order[]: maxLength was 9 and is 5"],
        ),
        (
            {"allOf": [{"properties": {"a": {"type": "string"}}}]},
            {"properties": {"a": {"type": "string"}}},
            [],
        ),
        (
            {"properties": {"a": {"type": "string"}}},
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            [],
        ),
        ({"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"type": "number"}}}, []),
    ],
)
def test_a_schema_that_lets_less_through_is_a_break(
    before: Document, after: Document, expected: list[str]
) -> None:
    old, new = (json.dumps({**SCHEMA, **it}) for it in (before, after))
    assert told({"order.json": old}, {"order.json": new}) == expected


def test_what_describes_no_api_is_not_looked_at() -> None:
    assert told({"data.json": '{"a": 1}', "c.yaml": "a: 1\n"}, {"data.json": "{}"}) == []
    large = json.dumps({"a": "x" * 2_000_000})
    assert seen({"data.json": large}, {"data.json": "{}"}).unread == ()


@pytest.mark.parametrize(
    "text",
    [
        "openapi: 3.0.0\npaths: {a: [\n",
        "openapi: 3.0.0\npaths: &a {x: *a}\n",
        '{"openapi": "3.0.0", "paths": ' + "[" * 100_000,
        "openapi: 3.0.0\n" + "a: " * 60,
    ],
)
def test_a_document_that_cannot_be_read_is_unread(text: str) -> None:
    path = "openapi.json" if text.startswith("{") else "openapi.yaml"
    found = seen({path: text}, {path: "openapi: 3.0.0\npaths: {}\n"})
    assert [it[0] for it in found.unread] == [path]


def test_schemas_that_hold_each_other_end() -> None:
    def nested(depth: int) -> Document:
        inner: Document = {"$ref": "#"}
        for _ in range(depth):
            inner = {"type": "object", "properties": {"a": inner, "b": {"$ref": "#/properties/a"}}}
        return {**SCHEMA, **inner}

    old, new = json.dumps(nested(90)), json.dumps({**nested(90), "minProperties": 1})
    assert told({"a.json": old}, {"a.json": new}) == [
        "narrowed Order: minProperties was None and is 1"
    ]
