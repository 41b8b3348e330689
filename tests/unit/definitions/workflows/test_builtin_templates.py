"""The workflows of the package: all valid, and clear about what a project must configure."""

from pathlib import Path

import pytest
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import Flows

from supervisor_ai.cli.commands.definitions.workflow_graphs.mermaid import draw_mermaid
from supervisor_ai.control.queries.workflows import find_warnings, graph_of
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import StepKind

PAGE = Path(__file__).parents[4] / "docs" / "howto" / "write-a-workflow.md"
TEMPLATES = [
    *("double_review", "enterprise", "mvp", "open_source", "security_critical", "standard"),
    "with_test_engineer",
]


def test_the_list_hides_the_base(flows: Flows) -> None:
    assert [it.name for it in flows.catalog().workflows(COMMIT)] == TEMPLATES


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_valid_and_has_ways_back(flows: Flows, name: str) -> None:
    flow = flows.load(name)
    outline = flows.catalog().outline(COMMIT, workflow=name)
    assert not find_warnings(outline, flow.loaded.definition)
    assert flow.step("commit").kind == "commit"


def test_what_a_project_must_configure_is_listed(flows: Flows) -> None:
    flows.config = ""
    found = {it.name: it.missing for it in flows.catalog().workflows(COMMIT)}
    assert found == {
        "double_review": ("gate ci",),
        "enterprise": ("gate coverage", "gate integration", "gate ci"),
        "mvp": (),
        "open_source": ("gate docs",),
        "security_critical": ("gate coverage", "gate integration", "gate ci"),
        "standard": (),
        "with_test_engineer": ("gate coverage", "gate integration"),
    }


def test_it_is_an_error_only_for_the_workflow_that_needs_it(flows: Flows) -> None:
    flows.config = ""
    flows.load("standard")
    with pytest.raises(InvalidInput) as caught:
        flows.load("open_source")
    assert caught.value.message.splitlines()[1:] == [
        "  builtin/workflows/open_source.yaml:28: steps.docs_check.gate: no gate 'docs' is "
        'configured; write into the config: gates: {docs: {command: "make docs-check"}}'
    ]


def test_an_inherited_gate_may_wait_as_well(flows: Flows) -> None:
    flows.config = ""
    catalog = flows.catalog(flow="extends: open_source\n")
    [flow] = [it for it in catalog.workflows(COMMIT) if it.name == "flow"]
    assert flow.missing == ("gate docs",)


def test_enterprise_asks_people_where_the_seams_are(flows: Flows) -> None:
    steps = flows.load("enterprise").loaded.definition.workflow.steps.values()
    assert [step.name for step in steps if step.human_approval] == [
        *("plan_review", "interface_definition", "code_review", "commit"),
    ]


def test_security_critical_adds_to_enterprise(flows: Flows) -> None:
    flow = flows.load("security_critical")
    assert flow.arrows("plan_review")[0] == "threat_modeling"
    assert flow.arrows("integration_tests_coverage")[0] == "penetration_test"
    review = flow.step("security_review")
    assert review.crew == ("security_auditor", "security_auditor_external")
    assert (review.needed, review.human_approval) == (None, True)
    assert flow.arrows("security_review") == ("code_review", None, "implement")


def test_open_source_ends_with_the_community(flows: Flows) -> None:
    flow = flows.load("open_source")
    assert flow.path[-3:] == ["commit", "create_pr", "await_review"]
    assert flow.step("create_pr").kind == StepKind.PULL_REQUEST


def test_double_review_has_the_states_of_the_design_it_comes_from(flows: Flows) -> None:
    flow = flows.load("double_review")
    assert {name: flow.arrows(name) for name in flow.path} == {
        "plan": ("plan_review", None, None),
        "plan_review": ("implement", None, "plan"),
        "implement": ("test", None, None),
        "test": ("review", "implement", None),
        "review": ("ci", None, "implement"),
        "ci": ("commit", "implement", None),
        "commit": (None, None, None),
    }
    assert flow.step("review").roles == ("reviewer_gemini", "reviewer_codex")
    assert flow.step("review").needed is None
    assert flow.step("test").max_retries == 3


def test_the_picture_of_double_review_is_true(flows: Flows) -> None:
    drawn = draw_mermaid(graph_of(flows.catalog().outline(COMMIT, workflow="double_review")))
    assert f"```mermaid\n{drawn}\n```" in PAGE.read_text()
