"""The gates of roles, and other roles for one run."""
# ruff: noqa: E501 - mistakes are told in one line each

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition

GATED = """\
gates:
  - {name: lint, command: make lint, on_fail: retry, timeout: 1m, min_tests: 0}
  - {name: test, on_fail: warn}
  - {name: scan, command: [scan]}
config: {min_tests_per_component: 4}
"""


def arrows(definition: Definition) -> list[tuple[str, str | None, str | None]]:
    return [(step.name, step.next, step.on_fail) for step in definition.workflow.steps.values()]


def test_gates_follow_the_step_of_their_role(scene: Scene) -> None:
    scene.write({"roles/implementer.yaml": GATED})
    definition = scene.definition()
    assert arrows(definition) == [
        ("plan", "implement", None),
        ("implement", "implement-lint", None),
        ("implement-lint", "implement-test", "implement"),
        ("implement-test", "implement-scan", None),
        ("implement-scan", "test", None),
        ("test", "review", "implement"),
        ("review", "commit", None),
        ("commit", None, None),
    ]
    gates = definition.gates
    assert gates["implement-lint"].command == ("make", "lint")
    assert gates["implement-lint"].timeout.total_seconds() == 60
    assert gates["implement-test"].command == ("make", "test")
    assert [gates[f"implement-{it}"].is_advisory for it in ("lint", "test", "scan")] == [
        *(False, True, False)
    ]
    assert [gates[f"implement-{it}"].min_tests for it in ("lint", "test", "scan")] == [None, 4, 4]


def test_a_reader_s_gate_sends_back_where_a_rejection_does(scene: Scene) -> None:
    scene.write({"roles/reviewer.yaml": GATED, "roles/planner.yaml": GATED})
    arrow = {name: on_fail for name, _, on_fail in arrows(scene.definition())}
    assert (arrow["review-lint"], arrow["plan-lint"]) == ("implement", None)


def test_a_gate_at_the_end_is_the_end(scene: Scene) -> None:
    flow = "steps: {only: {role: implementer, terminal: true}, only-lint: {type: commit}}\n"
    flow = flow.replace("terminal: true", "next: only-lint")
    scene.write({"roles/implementer.yaml": GATED, "workflows/flow.yaml": flow})
    definition = scene.definition("flow")
    assert [name for name, _, _ in arrows(definition)][1] == "only-lint_2"
    scene.write({"workflows/flow.yaml": "steps: {only: {role: implementer, terminal: true}}\n"})
    steps = scene.definition("flow").workflow.steps
    assert not steps[StepName("only")].terminal
    assert steps[StepName("only-scan")].terminal


def test_a_gate_that_the_project_must_define(scene: Scene) -> None:
    scene.write({"config.yaml": "cli: claude\npacks: [trading]\n"})
    with pytest.raises(InvalidInput) as caught:
        scene.definition(implement="trader")
    assert "trader.yaml:16: gates[0]: has no command" in caught.value.message
    config = "cli: claude\npacks: [trading]\ngates: {risk_check: {command: python -m risk}}\n"
    scene.write({"config.yaml": config})
    gates = scene.definition(implement="trader").gates
    assert gates["implement-risk_check"].command == ("python", "-m", "risk")


def test_another_role_for_a_step(scene: Scene) -> None:
    definition = scene.definition(review="security_auditor")
    assert definition.workflow.steps[StepName("review")].role == "security_auditor"
    assert set(definition.roles) == {"planner", "implementer", "security_auditor"}


def test_another_role_for_all_steps_of_its_kind(scene: Scene) -> None:
    definition = scene.definition(**{"*": "documenter"})
    assert set(definition.roles) == {"planner", "documenter", "reviewer"}


@pytest.mark.parametrize(
    ("roles", "kind"),
    [
        ({"reviw": "reviewer"}, NotFound),
        ({"test": "reviewer"}, NotFound),
        ({"review": "reviw"}, NotFound),
        ({"review": "rust_dev"}, NotFound),
        ({"review": "implementer"}, InvalidInput),
    ],
)
def test_a_role_that_cannot_be_had(
    scene: Scene, roles: dict[str, str], kind: type[SupervisorError]
) -> None:
    with pytest.raises(kind):
        scene.definition(**roles)


def test_what_is_said_about_a_role_that_cannot_be_had(scene: Scene) -> None:
    told = []
    for roles in ({"reviw": "reviewer"}, {"review": "rust_dev"}, {"review": "planner"}):
        with pytest.raises(SupervisorError) as caught:
            scene.definition(**roles)
        told.append((caught.value.message, caught.value.hint))
    assert told == snapshot(
        [
            ("The workflow 'standard' has no step 'reviw' with a role.", "Did you mean 'review'?"),
            (
                "Role 'rust_dev' was asked for, but there is no such role.",
                "The role 'rust_dev' is in the pack 'rust'; write `packs: [rust]` in the config.",
            ),
            (
                "The step 'review' needs a role that answers with a review, but 'planner' answers with a plan.",
                None,
            ),
        ]
    )
    scene.write({"workflows/flow.yaml": "steps: {only: {role: planner}}\n"})
    with pytest.raises(InvalidInput, match="No step of 'flow'"):
        scene.definition("flow", **{"*": "reviewer"})


def test_no_gate_is_lost_for_want_of_a_name(scene: Scene) -> None:
    long, odd = "a" * 64, "a" * 63 + "_"
    gates = "\n".join(f"  - {{name: lint_{number}, command: [lint]}}" for number in range(3))
    steps = f"{long}: {{role: implementer, next: {odd}}}, {odd}: {{role: implementer}}"
    scene.write(
        {
            "roles/implementer.yaml": f"gates:\n{gates}\n",
            "workflows/flow.yaml": f"initial_step: {long}\nsteps: {{{steps}}}\n",
        }
    )
    definition = scene.definition("flow")
    assert len(definition.workflow.steps) == 8
    assert len([step for step in definition.workflow.steps.values() if step.gate]) == 6
