"""Every template of the package, from the task to the commit, with scripted agents and people."""

import json
from typing import Final

import pytest
from tests.e2e.command import Json, User

CONFIG: Final = """\
cli: player
clis:
  player:
    adapter: scripted
    script: tools/play.json
gates:
  test: {command: [sh, -c, "test -f done.txt && echo '4 passed in 0.01s'"]}
  integration: {command: [sh, -c, "test -f checked.txt && echo '3 passed in 0.01s'"]}
  coverage: {command: [test, "{coverage}", -ge, "80"]}
  lint: {command: [test, -f, done.txt]}
  docs: {command: [test, -f, README.md]}
  ci: {command: ["true"]}
limits:
  step_max_retries: 1
"""
PLAN: Final = {"status": "COMPLETE", "phases": []}
REVIEW: Final = {"status": "APPROVED", "issues": []}
REFUSAL: Final = {
    "status": "CHANGES_REQUESTED",
    "issues": [{"severity": "major", "message": "Mind the gap."}],
}


def work(*files: str) -> Json:
    return {
        "status": "SUCCESS",
        "files_created": list(files),
        "files_modified": [],
        "tests_written": [],
    }


REPLIES: Final[list[Json]] = [
    *({"role": role, "answer": PLAN} for role in ("planner", "tech_lead")),
    *(
        {"role": role, "write": {"done.txt": "done\n"}, "answer": work("done.txt")}
        for role in ("implementer", "implementer_fast")
    ),
    {
        "role": "test_engineer",
        "write": {"checked.txt": "checked\n"},
        "answer": work("checked.txt"),
    },
    {"answer": REVIEW},
]
HOOKS: Final = ["lint"]
"""The gate `type_check` is not configured, and so it is left out."""
STEPS: Final = {
    "standard": ["plan", "implement", "test", "review", *HOOKS, "commit"],
    "mvp": ["plan", "implement", "quick_review", *HOOKS, "commit"],
    "with_test_engineer": [
        *("plan", "implement", "unit_test_gate", "implement_coverage", "integration_tests"),
        *("integration_test_gate", "review", *HOOKS, "commit"),
    ],
    "open_source": [
        *("plan", "implement", "test_gate", "docs_check", *HOOKS, "commit"),
        *("create_pr", "await_review"),
    ],
    "enterprise": [
        *("plan", "plan_review", "interface_definition", "implement", "unit_test_gate"),
        *("implement_coverage", "integration_tests", "integration_test_gate", "security_review"),
        *("code_review", "ci_gate", *HOOKS, "commit"),
    ],
    "security_critical": [
        *("plan", "plan_review", "threat_modeling", "interface_definition", "implement"),
        *("unit_test_gate", "implement_coverage", "integration_tests", "integration_test_gate"),
        *("penetration_test", "security_review", "code_review", "ci_gate", *HOOKS, "commit"),
    ],
}
ASKED: Final = {
    "standard": [],
    "mvp": [],
    "with_test_engineer": [],
    "open_source": ["create_pr", "await_review"],
    "enterprise": ["plan_review", "interface_definition", "code_review", "commit"],
    "security_critical": [
        *("plan_review", "interface_definition", "security_review", "code_review", "commit"),
    ],
}


def prepare(user: User, *, config: str = CONFIG, replies: list[Json] | None = None) -> None:
    """Give the project its gates and the script of its agents."""
    play = json.dumps({"replies": [*(replies or []), *REPLIES]})
    user.commit({".supervisor/config.yaml": config, "tools/play.json": play})


def approve_all(user: User, *arguments: str) -> tuple[Json, list[str]]:
    """Start a run and approve whatever is asked; return the run and the steps that asked."""
    said, asked = user.run(*arguments), []
    while said.code == 5:
        asked += said.run["active_steps"]
        said = user.call("approve", said.run["id"], "--drive", "--json")
    assert said.code == 0, said.out + said.err
    return said.run, asked


def entered(user: User, run: Json) -> list[str]:
    """Name the steps that a run entered, in order."""
    return [it["payload"]["step"] for it in user.events(run["id"]) if it["type"] == "StepEntered"]


@pytest.mark.parametrize("template", sorted(STEPS))
def test_every_template_runs_from_its_first_step_to_its_last(user: User, template: str) -> None:
    prepare(user)
    run, asked = approve_all(user, "--workflow", template)
    assert (run["status"], asked) == ("completed", ASKED[template])
    assert entered(user, run) == STEPS[template]
    assert user.git("show", f"{run['commit']}:done.txt") == "done"


def test_one_reviewer_of_two_sends_the_work_back(user: User) -> None:
    flow = """\
steps:
  implement: {role: implementer, next: review}
  review:
    parallel: true
    roles: [reviewer, reviewer_codex]
    gate: BOTH_APPROVED
    next: commit
    on_reject: implement
  commit: {type: commit}
"""
    no = {"role": "reviewer_codex", "visit": 1, "answer": REFUSAL}
    prepare(user, replies=[no])
    user.commit({".supervisor/workflows/twice.yaml": flow})
    run, _ = approve_all(user, "--workflow", "twice")
    assert entered(user, run) == ["implement", "review", "implement", "review", "commit"]


def test_a_project_composes_its_own_workflow(user: User) -> None:
    config = f"""{CONFIG}
workflow:
  template: mvp
  settings: {{human_approval: true}}
  overrides:
    implement: {{role: implementer}}
    risk_validation:
      position: after implement
      command: [test, -f, done.txt]
      on_fail: implement
  disable: [quick_review]
"""
    prepare(user, config=config)
    run, asked = approve_all(user)
    assert (run["workflow"], asked) == ("mvp", ["commit"])
    assert entered(user, run) == ["plan", "implement", "risk_validation", *HOOKS, "commit"]


def test_too_few_tests_do_not_pass(user: User) -> None:
    flow = """\
steps:
  implement: {role: implementer, config: {min_tests_per_component: 5}, next: test}
  test: {gate: test, next: commit}
  commit: {type: commit}
"""
    prepare(user)
    user.commit({".supervisor/workflows/counted.yaml": flow})
    said = user.run("--workflow", "counted")
    assert (said.code, said.run["outcome"]["kind"]) == (1, "gate_failed")
    [ended] = [it["payload"] for it in user.events(said.run["id"]) if it["type"] == "GateEnded"]
    assert ended["reason"] == "At least 5 tests are wanted; it ran 4."


def test_a_workflow_that_misses_a_gate_says_what_to_write(user: User) -> None:
    said = user.call("workflow", "validate", "open_source", "--json")
    assert said.code == 2
    assert 'gates: {docs: {command: "make docs-check"}}' in said.error["message"]
    listed = user.call("workflow", "list", "--json").json["workflows"]
    assert {it["name"]: it["missing"] for it in listed}["open_source"] == ["gate docs"]
    assert "_base" not in {it["name"] for it in listed}
    assert user.call("workflow", "validate", "--json").json["missing"]["open_source"]
    drawn = user.call("workflow", "graph", "open_source")
    assert (drawn.code, "create_pr" in drawn.out) == (0, True)
    assert "It cannot be run yet." in drawn.err
