"""The gates of roles, and other roles for one run."""
# ruff: noqa: E501 - mistakes are told in one line each

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.gates import Area, GatePolicy

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
        ("implement", "implement-guard", None),
        ("implement-guard", "implement-lint", "implement"),
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
    each = [gates[f"implement-{it}"].min_tests_each for it in ("lint", "test", "scan")]
    assert each == [None, 4, 4]


def test_a_reader_s_gate_sends_back_where_a_rejection_does(scene: Scene) -> None:
    scene.write({"roles/reviewer.yaml": GATED, "roles/planner.yaml": GATED})
    arrow = {name: on_fail for name, _, on_fail in arrows(scene.definition())}
    assert (arrow["review-lint"], arrow["plan-lint"]) == ("implement", None)


def test_a_gate_at_the_end_is_the_end(scene: Scene) -> None:
    flow = "steps: {only: {role: implementer, terminal: true}, only-lint: {type: commit}}\n"
    flow = flow.replace("terminal: true", "next: only-lint")
    scene.write({"roles/implementer.yaml": GATED, "workflows/flow.yaml": flow})
    definition = scene.definition("flow")
    assert [name for name, _, _ in arrows(definition)][1:3] == ["only-guard", "only-lint_2"]
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


def needs(scene: Scene, workflow: str) -> tuple[str, ...]:
    return {it.name: it.missing for it in scene.catalog.workflows(COMMIT)}[workflow]


def test_the_list_says_what_the_gates_of_roles_lack(scene: Scene) -> None:
    flow = "steps: {trade: {role: trader, next: save}, save: {type: commit}}\n"
    config = "cli: claude\npacks: [trading]\n"
    scene.write({"config.yaml": config, "workflows/flow.yaml": flow})
    assert needs(scene, "flow") == ("gate risk_check",)
    assert needs(scene, "standard") == ()
    definition = scene.definition("flow", trade="implementer")
    assert StepName("trade-risk_check") not in definition.workflow.steps
    own = "gates: {risk_check: {command: python -m risk}}\n"
    scene.write({"workflows/flow.yaml": f"{flow}{own}"})
    assert needs(scene, "flow") == ()
    off = f"{config}gates: {{risk_check: {{enabled: false}}}}\n"
    scene.write({"workflows/flow.yaml": flow, "config.yaml": off})
    assert needs(scene, "flow") == ()


def test_the_list_says_which_gates_a_role_s_gate_waits_for(scene: Scene) -> None:
    gates = "gates: [{name: scan, command: [scan], depends_on: [lint, build]}]\n"
    scene.write({"roles/implementer.yaml": gates})
    assert needs(scene, "mvp") == ()
    assert needs(scene, "standard") == ("gate lint", "gate build")
    with pytest.raises(InvalidInput) as caught:
        scene.definition()
    assert "gates[0]: no gate 'lint' is configured" in caught.value.message


def test_what_is_wrong_with_the_gates_of_a_role_is_wrong_for_all(scene: Scene) -> None:
    gates = "gates: [{name: claims, command: [scan]}]\n"
    scene.write({"roles/implementer.yaml": gates})
    assert scene.refusal() == snapshot("""\
The definitions have a mistake:
  .supervisor/roles/implementer.yaml:1: gates[0].command: has no meaning: the gate 'claims' looks at the change itself; give your command another name\
""")


def test_a_config_with_mistakes_leaves_open_what_gates_lack(scene: Scene) -> None:
    gates = "gates: [{name: scan, depends_on: [scan]}]\n"
    scene.write({"roles/implementer.yaml": gates, "config.yaml": "clii: claude\n"})
    assert "implementer.yaml" not in scene.refusal()


def test_a_gate_that_a_role_names_twice(scene: Scene) -> None:
    gates = """\
gates:
  - {name: scan, command: [scan]}
  - {name: lint, command: [lint]}
  - {name: scan, command: [scan, --deep]}
"""
    scene.write({"roles/implementer.yaml": gates})
    assert scene.refusal() == snapshot("""\
The definitions have a mistake:
  .supervisor/roles/implementer.yaml:4: gates[2]: names the gate 'scan' twice; write it once, with all its keys\
""")
    child = "extends: implementer\ngates: [{name: scan, command: [scan, --deep]}]\n"
    scene.write({"roles/implementer.yaml": gates.rpartition("  - ")[0], "roles/deep.yaml": child})
    assert scene.definition(implement="deep").gates["implement-scan"].command == ("scan", "--deep")


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
    assert len(definition.workflow.steps) == 10
    assert len([step for step in definition.workflow.steps.values() if step.gates]) == 2
    assert len([step for step in definition.workflow.steps.values() if step.gate]) == 6


def test_role_gates_have_the_keys_of_the_config_s(scene: Scene) -> None:
    config = """\
cli: claude
gates:
  lint: {command: make lint, timeout: 2m, env: {A: b}, policy: ask, min_tests: 3}
  types: {command: make types, depends_on: [lint]}
  test: {command: make test, depends_on: [types]}
"""
    role = """\
gates:
  - {name: test, policy: feedback, allowed_writes: ["x/**"], cache: false}
  - {name: lint, env: {C: d}}
  - {name: docs, command: make docs, enabled: false}
"""
    scene.write({"config.yaml": config, "roles/implementer.yaml": role})
    definition = scene.definition()
    step = definition.workflow.steps[StepName("implement-test")]
    assert (step.next, step.on_fail) == ("test", "implement")
    assert step.checks == tuple(f"implement-test/{it}" for it in ("lint", "types", "test"))
    lint, types, test = (definition.gates[key] for key in step.checks)
    assert (lint.environment, lint.min_tests, lint.policy) == (
        {"A": "b", "C": "d"},
        3,
        GatePolicy.ASK,
    )
    assert (types.depends_on, test.depends_on) == (
        ("implement-test/lint",),
        ("implement-test/types",),
    )
    assert (test.policy, test.allowed_writes, test.is_fresh) == (
        GatePolicy.FEEDBACK,
        ("x/**",),
        True,
    )


def test_a_gate_that_ran_already_is_not_run_again(scene: Scene) -> None:
    role = """\
gates:
  - {name: one, command: one}
  - {name: two, command: two, depends_on: [one]}
"""
    scene.write({"roles/implementer.yaml": role})
    steps = scene.definition().workflow.steps
    assert [steps[StepName(f"implement-{it}")].checks for it in ("one", "two")] == [
        ("implement-one",),
        ("implement-two",),
    ]


def test_the_config_turns_a_role_s_gate_off(scene: Scene) -> None:
    role = "gates: [{name: lint}, {name: docs, enabled: true, command: make docs}]\n"
    config = "cli: claude\ngates: {lint: {enabled: false}, docs: {enabled: false}}\n"
    scene.write({"config.yaml": config, "roles/implementer.yaml": role})
    steps = scene.definition().workflow.steps
    assert "implement-lint" not in steps
    assert steps[StepName("implement-docs")].checks == ("implement-docs",)


def test_mistakes_in_the_gates_of_a_role(scene: Scene) -> None:
    role = """\
extends: implementer
gates:
  - {name: one, command: one, depends_on: [two]}
  - {name: two, command: two, depends_on: [one]}
  - {name: three, command: three, depends_on: [nobody, docs]}
  - {name: claims, command: trust me}
"""
    scene.write({"roles/mine.yaml": role})
    with pytest.raises(InvalidInput) as caught:
        scene.definition(implement="mine")
    found = caught.value.message.splitlines()[1:]
    assert [line.partition("mine.yaml:")[2][:66] for line in found] == snapshot(
        [
            "3: gates[0].depends_on: goes round in a circle: one -> two -> one",
            "5: gates[2]: no gate 'docs' is configured; write into the config: ",
            "5: gates[2]: unknown gate 'nobody' (known: auto_run_files, changel",
            "6: gates[3].command: has no meaning: the gate 'claims' looks at th",
        ]
    )


def test_what_a_role_may_change_is_inherited_and_shown(scene: Scene) -> None:
    scene.write({"roles/mine.yaml": "extends: test_engineer\nmay_change: [ci, tests]\n"})
    assert scene.role("mine").may_change == (Area.TESTS, Area.SNAPSHOTS, Area.CI)
    assert scene.said("mine")["may_change[2]"] == ("ci", ".supervisor/roles/mine.yaml:2")
    assert ("may_change", '["ci", "tests"]') in {(it.key, it.value) for it in scene.powers()}
    assert scene.role("implementer").may_change == ()
