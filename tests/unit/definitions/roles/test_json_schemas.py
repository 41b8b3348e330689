"""The schemas for editors say what the files may say."""

import json
from pathlib import Path
from typing import Any

import pytest

from supervisor_ai.definitions.roles.json_schemas import schema_files
from supervisor_ai.definitions.schema.roles import RoleFileShape

SCHEMAS = Path(__file__).parents[4] / "docs/reference/schemas"


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    return {name: json.loads(text) for name, text in schema_files().items()}


def test_there_is_one_for_every_kind_of_file(schemas: dict[str, Any]) -> None:
    kinds = ("role", "workflow", "config", "strategy", "pack")
    assert set(schemas) == {f"{kind}.schema.json" for kind in kinds}


def test_what_is_published_is_what_is_generated() -> None:
    for name, text in schema_files().items():
        assert (SCHEMAS / name).read_text() == text, f"run scripts/reference.py: {name} is stale"


def test_a_role_has_all_its_keys_and_no_others(schemas: dict[str, Any]) -> None:
    role = schemas["role.schema.json"]
    assert set(role["properties"]) == set(RoleFileShape.model_fields)
    assert role["additionalProperties"] is False
    assert role["properties"]["answer"]["enum"] == [
        *("plan", "implementation", "review", "agent", "manager", "judgement"),
        *("scope", "next_task", "work", "qa", "assessment"),
        *("research", "work_summary"),
        *("style_findings", "design_findings", "knowledge_items"),
        *("feature_phases", "feature_components"),
    ]
    assert "null" not in json.dumps(role)
    assert role["properties"]["writes"] == {"type": "boolean"}


def test_durations_commands_and_sources_are_as_people_write_them(schemas: dict[str, Any]) -> None:
    role = schemas["role.schema.json"]
    timeout = [choice["type"] for choice in role["properties"]["timeout"]["anyOf"]]
    assert timeout == ["string", "number"]
    gate = role["$defs"]["RoleGateShape"]["properties"]
    assert [choice["type"] for choice in gate["command"]["anyOf"]] == ["array", "string"]
    sources = schemas["strategy.schema.json"]["properties"]["sources"]["items"]["anyOf"]
    assert sources[0] == {"type": "string"}
    assert schemas["strategy.schema.json"]["$defs"]["SourceShape"]["required"] == ["from"]
