"""Files that are merged over each other: one rule per kind of value, and null takes back."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import AliasChoices, BaseModel
from tests.unit.definitions.layered import FLOW, Layers
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.config.merged import ConfigSection, MergedConfig
from supervisor_ai.definitions.config.slice_sections import slice_sections
from supervisor_ai.definitions.overlay.tables import CONFIG as CONFIG_TABLE
from supervisor_ai.definitions.overlay.tree import (
    ANY,
    Location,
    MergeRule,
    MergeTable,
    ValueNode,
    lay,
    pieces,
    plain,
    plant,
)
from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.schema.config import LimitsShape
from supervisor_ai.definitions.schema.retries import RetryPolicyShape
from supervisor_ai.definitions.sources.files import DirectorySource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath
from supervisor_ai.definitions.sources.yaml_document import Value, read_yaml
from supervisor_ai.domain.run.definition import Limits
from supervisor_ai.domain.run.failures.retries import ParkingPolicy
from supervisor_ai.domain.run.gates import BaselinePolicy

TABLE = MergeTable(
    rules={
        ("added",): MergeRule.APPEND,
        ("whole", ANY): MergeRule.WHOLE,
        ("text",): MergeRule.APPEND,
    },
    displaces={("one",): {"this": frozenset({"that"})}},
    same={("old",): ("group", "new")},
    texts=frozenset({("text",)}),
    dropped=frozenset({("name",)}),
)


def tree(text: str, origin: Origin = Origin.USER) -> ValueNode:
    mistakes = FileMistakes()
    document = read_yaml(f"{origin.value}.yaml", text, mistakes)
    assert document is not None
    at = Location(document=document, shelf=DirectorySource(origin, Path("/nonexistent")))
    return plant(document.value, at, TABLE)


def merged(*texts: str) -> ValueNode:
    found = ValueNode(value={}, at=tree("{}").at)
    for text, origin in zip(texts, (Origin.USER, Origin.PROJECT), strict=False):
        found = lay(found, tree(text, origin), TABLE) or found
    return found


@pytest.mark.parametrize(
    ("below", "above", "together"),
    [
        ("a: 1", "a: 0", {"a": 0}),
        ("a: [1, 2]", "a: []", {"a": []}),
        ("a: {b: 1, c: {d: 2}}", "a: {c: {e: 3}}", {"a": {"b": 1, "c": {"d": 2, "e": 3}}}),
        ("a: {b: 1}", "a: 2", {"a": 2}),
        ("added: [1, {name: x, y: 1}]", "added: [2, 1, {name: x, z: 2}]", None),
        ("whole: {x: {a: 1}, y: {b: 1}}", "whole: {x: {c: 2}}", None),
        ("text: one", "text: two", {"text": "one\n\ntwo"}),
        ("one: {this: 1, that: 2, other: 3}", "one: {this: 4}", {"one": {"this": 4, "other": 3}}),
        ("group: {new: 1}", "old: 2", {"group": {"new": 2}}),
        ("name: a\nb: 1", "name: c", {"b": 1}),
    ],
)
def test_each_kind_of_value_has_one_rule(below: str, above: str, together: Value) -> None:
    usual = {
        "added": [1, {"name": "x", "z": 2}, 2],
        "whole": {"x": {"c": 2}, "y": {"b": 1}},
    }
    key = below.partition(":")[0]
    expected = {key: usual[key]} if together is None else together
    assert plain(merged(below, above), TABLE) == expected


@pytest.mark.parametrize(
    ("above", "left"),
    [
        ("a: null", {"b": {"c": {"d": 1}, "e": [1]}}),
        ("b: {e: ~}", {"a": 1, "b": {"c": {"d": 1}}}),
        ("b: {c: null}", {"a": 1, "b": {"e": [1]}}),
        ("b: {c: {d: }}", {"a": 1, "b": {"c": {}, "e": [1]}}),
        ("z: null", {"a": 1, "b": {"c": {"d": 1}, "e": [1]}}),
        # A section with nothing in it, as when all of its lines are comments.
        ("b:", {"a": 1, "b": {"c": {"d": 1}, "e": [1]}}),
    ],
)
def test_null_takes_back(above: str, left: Value) -> None:
    assert plain(merged("a: 1\nb: {c: {d: 1}, e: [1]}", above)) == left


def test_every_value_knows_its_line() -> None:
    found = merged("a: 1\nb:\n  c: 2\n  d: 3\nwhole: {x: {y: 1}}", "# mine\nb:\n  c: 4")
    places = {path: node.at.place().text for path, node in pieces(found, TABLE)}
    assert places == {
        ("a",): "user.yaml:1: a",
        ("b", "c"): "project.yaml:3: b.c",
        ("b", "d"): "user.yaml:4: b.d",
        ("whole", "x"): "user.yaml:5: whole.x",
    }
    assert found.place("b", "d", "missing").text == "user.yaml:4: b.d.missing"
    assert found.place("nowhere", 3).text == "project.yaml:1: nowhere[3]"
    assert found.origins == {Origin.USER, Origin.PROJECT}


def test_every_alias_is_kept_under_one_name() -> None:
    """A later file that uses the other name of a key would else not be heard."""
    shapes: Mapping[KeyPath, type[BaseModel]] = {
        ("limits",): LimitsShape,
        ("retry_policies", ANY): RetryPolicyShape,
    }
    for path, shape in shapes.items():
        for name, field in shape.model_fields.items():
            if isinstance(field.validation_alias, AliasChoices):
                for alias in field.validation_alias.choices:
                    kept = CONFIG_TABLE.kept_as((*path, str(alias)))
                    assert kept in {(*path, name), CONFIG_TABLE.kept_as((*path, name))}, alias


def test_a_later_file_says_none_again(layers: Layers) -> None:
    layers.user("limits: {workflow_timeout: 5h, attempt_tokens: 900, step_timeout_seconds: 60}\n")
    assert layers.load().definition.limits == Limits(
        workflow_timeout=timedelta(hours=5), attempt_tokens=900, step_timeout=timedelta(minutes=1)
    )
    taken = "limits: {workflow_timeout: null, attempt_tokens: ~, step_timeout: null}\n"
    assert layers.load(taken).definition.limits == Limits()
    assert layers.load("limits:\n  # attempt_tokens: 1\n").definition.limits.attempt_tokens == 900


def test_a_project_asks_before_it_takes_something_back(layers: Layers) -> None:
    layers.user("limits: {attempt_tokens: 900, max_token_budget: 1000}\nparking: {longest: 1h}\n")
    project = (
        "gates: {claims: {policy: null}}\nparking: {longest: null}\n"
        "limits: {attempt_tokens: null, max_token_budget: null, step_timeout: null}\n"
    )
    loaded = layers.load(project)
    assert [(it.key, it.value) for it in loaded.powers] == [
        ("gates.claims.policy", "null"),
        ("parking.longest", "null"),
        ("limits.attempt_tokens", "null"),
    ]
    assert loaded.definition.parking == ParkingPolicy()
    context = loaded.definition.roles["reviewer"].context
    assert context is not None
    assert context.token_budget == 1000


@pytest.mark.parametrize("said", ["ask", "note", "off", "null"])
def test_a_project_talks_nobody_out_of_a_stop(layers: Layers, said: str) -> None:
    layers.user("baseline: stop\n")
    assert layers.load(f"baseline: {said}\n").definition.baseline is BaselinePolicy.STOP
    layers.user("baseline: ask\n")
    assert layers.load("baseline: off\n").definition.baseline is BaselinePolicy.OFF


def test_what_has_a_name_is_not_taken_back_as_a_whole(layers: Layers) -> None:
    assert layers.mistakes("gates: {claims: null}\n").endswith(
        ".supervisor/config.yaml:2: gates.claims: must be a mapping, found nothing"
    )


def test_what_a_role_takes_back_needs_trust_as_well(layers: Layers) -> None:
    files = {".supervisor/roles/reviewer.yaml": "allowed_tools: null\ntimeout: null\n"}
    loaded = layers.load(files=files)
    assert [(it.key, it.value) for it in loaded.powers] == [("allowed_tools", "null")]
    assert loaded.definition.roles["reviewer"].allowed_tools is None


def test_a_workflow_takes_back_what_the_config_says_of_a_gate(layers: Layers) -> None:
    flow = "extends: standard\ngates: {claims: {policy: null}}\n"
    loaded = layers.load(files={FLOW: flow}, workflow="flow")
    assert [(it.file, it.key, it.value) for it in loaded.powers] == [
        (FLOW, "gates.claims.policy", "null")
    ]


class ToyShape(FileShape):
    """What a slice lets people configure."""

    names: list[Name] | None = None


def _names(config: MergedConfig) -> tuple[str, ...]:
    return tuple(it.name for it in config.choices("toy", "names"))


def _check(settings: object, mistakes: FileMistakes) -> None:
    del settings, mistakes


TOY = ConfigSection(
    key="toy", shape=ToyShape, build=_names, check=_check, rules={("names",): MergeRule.APPEND}
)


def test_a_slice_brings_its_own_section(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("toy: {names: [a, b]}\n")
    files = ProjectFiles({CONFIG: "cli: claude\ntoy: {names: [b, c]}\nkanban: {folder: plans}\n"})
    catalog = FileCatalog(files, tmp_path, frozenset({"claude"}), (*slice_sections(), TOY))  # type: ignore[arg-type]
    values = {it.key: (it.value, it.file, it.line) for it in catalog.config(COMMIT)}
    assert values["toy.names[0]"] == ("a", str(tmp_path / "config.yaml"), 1)
    assert values["toy.names[2]"] == ("c", CONFIG, 2)
    assert values["kanban.folder"] == ("plans", CONFIG, 3)
    assert values["kanban.retry"] == ("exact", None, None)
