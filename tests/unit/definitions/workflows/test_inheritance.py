"""A workflow that extends another says only what is different."""

from pathlib import Path

from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import Flows

FILE = ".supervisor/workflows/flow.yaml"


def test_a_child_changes_what_it_says_and_keeps_the_rest(flows: Flows) -> None:
    child = """\
extends: standard
description: Mine
steps:
  review: {role: reviewer_codex, max_retries: 1}
"""
    flow = flows.load(flow=child)
    assert flow.path == ["plan", "implement", "test", "review", "commit"]
    assert flow.loaded.definition.workflow.description == "Mine"
    review = flow.step("review")
    assert (review.role, review.max_retries, review.on_reject) == (
        *("reviewer_codex", 1, "implement"),
    )
    assert flow.step("test").max_retries == 3


def test_any_depth_is_followed(flows: Flows) -> None:
    flow = flows.load(
        flow="extends: middle\nsteps: {plan: {timeout: 5m}}\n",
        middle="extends: bottom\nsteps: {plan: {max_retries: 7}}\n",
        bottom="extends: standard\nsteps: {plan: {description: Think}}\n",
    )
    plan = flow.step("plan")
    assert (plan.role, plan.max_retries, plan.description) == ("planner", 7, "Think")
    assert plan.timeout is not None


def test_circles_and_unknown_parents_are_named(flows: Flows) -> None:
    found = flows.mistakes(
        flow="extends: other\n", other="extends: flow\n", lost="extends: standrad\n"
    )
    assert found == [
        f"{FILE}:1: extends: goes round in a circle: flow -> other -> flow",
        ".supervisor/workflows/lost.yaml:1: extends: unknown workflow 'standrad'; "
        "did you mean 'standard'?",
        ".supervisor/workflows/other.yaml:1: extends: goes round in a circle: "
        "other -> flow -> other",
    ]


def test_ones_own_name_means_the_workflow_below(flows: Flows) -> None:
    flow = flows.load("mvp", mvp="extends: mvp\nsteps: {implement: {role: implementer}}\n")
    assert flow.step("implement").role == "implementer"
    assert flow.step("quick_review").role == "reviewer_codex"


def test_a_hidden_workflow_can_be_extended_but_not_run(flows: Flows) -> None:
    files = {
        "_mine": "extends: standard\nsteps: {plan: {role: tech_lead}}\n",
        "flow": "extends: _mine\n",
    }
    assert flows.load(**files).step("plan").role == "tech_lead"
    catalog = flows.catalog(**files)
    assert [it.name for it in catalog.workflows(COMMIT) if it.origin == "project"] == ["flow"]
    flows.config += "workflow: _mine\n"
    assert flows.mistakes(**files) == [
        ".supervisor/config.yaml:7: workflow: unknown workflow '_mine' (known: double_review, "
        "enterprise, flow, mvp, open_source, security_critical, standard, with_test_engineer)"
    ]


def test_another_kind_of_step_replaces_what_excludes_it(flows: Flows) -> None:
    child = """\
extends: standard
steps:
  test: {command: [make, check]}
  review: {type: human_gate}
  plan: {config: {tdd: true}}
"""
    flow = flows.load(flow=child)
    assert flow.gate("test").command == ("make", "check")
    assert (flow.step("review").role, flow.step("review").on_reject) == (None, "implement")
    assert flow.step("plan").instructions.startswith("Work test first")


def test_a_mistake_is_found_where_it_was_written(flows: Flows) -> None:
    found = flows.mistakes(
        flow="extends: base\nsteps:\n  review: {on_reject: nowhere}\n",
        base="extends: standard\nsteps:\n  review:\n    role: nobody\n",
    )
    assert [line.split(": ", 2)[:2] for line in found] == [
        [".supervisor/workflows/base.yaml:4", "steps.review.role"],
        [f"{FILE}:3", "steps.review.on_reject"],
    ]


def test_the_users_own_workflow_can_be_extended(tmp_path: Path) -> None:
    directory = tmp_path / "workflows"
    directory.mkdir()
    (directory / "house.yaml").write_text("extends: mvp\ndescription: Of the house\n")
    flow = Flows(tmp_path).load(flow="extends: house\n")
    assert flow.loaded.definition.workflow.description == "Of the house"
