"""What the documents show is what the files may say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel
from tests.unit.definitions.layered import FLOW, Layers
from tests.unit.definitions.project_files import CONFIG

from supervisor_ai.definitions.config.merged import config_model
from supervisor_ai.definitions.config.slice_sections import slice_sections
from supervisor_ai.definitions.kanban.shapes import KanbanShape
from supervisor_ai.definitions.schema.gates import GateShape
from supervisor_ai.definitions.schema.policies import PolicyShape
from supervisor_ai.definitions.schema.roles import ContinuityShape, TermsShape
from supervisor_ai.definitions.schema.workflows import (
    HooksShape,
    SettingsShape,
    StepConfigShape,
    StepShape,
    WorkflowShape,
)
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import Value, read_yaml

DOCS = Path(__file__).parents[3] / "docs"
PAGES = (
    *("configuration.md", "howto/failures-and-budgets.md", "howto/write-a-workflow.md"),
    *("howto/api-models.md", "howto/reviews.md", "howto/notifications.md", "howto/git-flow.md"),
    "howto/checkpoints.md",
)
CONFIG_SHAPE = config_model(slice_sections())
WORKFLOW_SHAPES = (StepShape, StepConfigShape, SettingsShape, HooksShape)
_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[Value]:
    mistakes = FileMistakes()
    blocks = _BLOCK.findall((DOCS / page).read_text())
    documents = [read_yaml(page, block, mistakes) for block in blocks]
    assert not len(mistakes), mistakes.error().message
    return [document.value for document in documents if document is not None]


@pytest.mark.parametrize("page", PAGES)
def test_every_example_fits(page: str) -> None:
    found = examples(page)
    assert found
    for value in found:
        assert isinstance(value, dict)
        is_workflow = set(value) <= set(WorkflowShape.model_fields)
        shape: type[BaseModel] = WorkflowShape if is_workflow else CONFIG_SHAPE
        shape.model_validate(value)


def known_keys() -> Iterator[str]:
    others = (GateShape, CONFIG_SHAPE, TermsShape, ContinuityShape, KanbanShape)
    for shape in (*WORKFLOW_SHAPES, *others):
        yield from shape.model_fields
    for field in PolicyShape.model_fields.values():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from kind.model_fields


@pytest.mark.parametrize("key", sorted(set(known_keys()) - {"gate_type", "description"}))
def test_every_key_is_described(key: str) -> None:
    text = "\n".join((DOCS / page).read_text() for page in PAGES[:3])
    assert re.search(rf"\b{key}\b", text)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (DOCS / page).read_text()
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (DOCS / page).parent.joinpath(link).exists(), link


def written(page: str, start: str) -> str:
    """Return the one example that begins with these words, comments left out."""
    blocks: list[str] = _BLOCK.findall((DOCS / page).read_text())
    plain = [re.sub(r"\A(#.*\n)+", "", block) for block in blocks]
    [found] = [block for block in plain if block.startswith(start)]
    return found


def test_the_large_example_is_a_config_of_a_project(layers: Layers) -> None:
    page = "configuration.md"
    layers.user(written(page, "prices:"))
    files = {CONFIG: written(page, "cli: my_agent"), FLOW: written(page, "name: careful")}
    files[FLOW] = files[FLOW].replace("name: careful", "name: flow")
    for workflow in ("standard", "flow"):
        definition = layers.load(files=files, workflow=workflow).definition
        assert {it.name: it.min_tests for it in definition.gates.values()}["test"] == 10
        assert "my-model" in str(definition.prices)


@pytest.mark.parametrize(
    ("start", "first"),
    [
        ("extends: standard\ngates:", ("type_check",)),
        ("extends: standard\nhooks:", ("lint", "type_check")),
    ],
)
def test_an_example_needs_the_gates_that_it_says(
    layers: Layers, start: str, first: tuple[str, ...]
) -> None:
    page = "howto/write-a-workflow.md"
    files = {FLOW: written(page, start)}
    for missing in first:
        assert f"no gate '{missing}' is configured" in layers.mistakes(files=files)
        assert f"`{missing}`" in (DOCS / page).read_text().partition(start)[0].splitlines()[-1]
    config = "gates:\n" + "".join(f"  {name}: {{command: [check]}}\n" for name in first)
    gates = layers.load(config, files, "flow").definition.gates
    assert set(first) <= {gate.name for gate in gates.values()}


def test_the_composed_example_is_a_config_of_a_project(layers: Layers) -> None:
    config = written("howto/write-a-workflow.md", "workflow:")
    steps = layers.load(config, workflow="enterprise").definition.workflow.steps
    assert "risk_validation" in steps
    assert "security_review" not in steps
