"""Every template of the package, from the task to the commit, with scripted agents and people."""

import json
from typing import Final

import pytest
from tests.e2e.command import Json, User
from tests.integration.workspaces.recorded_gh import RecordedGh, install

CONFIG: Final = """\
cli: player
clis:
  player:
    adapter: scripted
    script: tools/play.json
gates:
  test: {command: [python3, -m, unittest, discover]}
  integration: {command: [python3, -m, unittest, discover, -s, checks, -t, .]}
  coverage: {command: [test, "{coverage}", -ge, "70"]}
  lint: {command: [test, -f, total.py]}
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


CODE: Final = "def total(items):\n    return sum(items)\n"


def unit_tests(*sums: int) -> str:
    """Write a test for each sum."""
    check = "    def test_{0}(self):\n        self.assertEqual(total([{0}, 1]), {1})\n"
    tests = [check.format(number, number + 1) for number in sums]
    head = "import unittest\n\nfrom total import total\n\n\nclass TotalTest(unittest.TestCase):\n"
    return head + "\n".join(tests)


def work(files: dict[str, str]) -> Json:
    answer = {
        "status": "SUCCESS",
        "files_created": list(files),
        "files_modified": [],
        "tests_written": [name for name in files if "test_" in name],
    }
    return {"write": files, "answer": answer}


BUILT: Final = {
    "total.py": CODE,
    "test_total.py": unit_tests(1, 2, 3, 4),
    "CHANGELOG.md": "- `total` adds up.\n",
}
CHECKED: Final = {"checks/__init__.py": "", "checks/test_sums.py": unit_tests(5, 6, 7)}
REPLIES: Final[list[Json]] = [
    *({"role": role, "answer": PLAN} for role in ("planner", "tech_lead")),
    *({"role": role, **work(BUILT)} for role in ("implementer", "implementer_fast")),
    {"role": "test_engineer", **work(CHECKED)},
    {"answer": REVIEW},
]
HOOKS: Final = ["lint"]
"""The gate `type_check` is not configured, and so it is left out."""
BUILD: Final = ["implement", "implement-guard"]
CHECK: Final = [
    *("integration_tests", "integration_tests-guard", "integration_test_gate"),
    "integration_tests_coverage",
]
STEPS: Final = {
    "standard": ["plan", *BUILD, "test", "review", *HOOKS, "commit"],
    "double_review": [
        *("plan", "plan_review", *BUILD, "test", "review", "ci", "commit"),
    ],
    "mvp": ["plan", *BUILD, "quick_review", *HOOKS, "commit"],
    "with_test_engineer": [
        *("plan", *BUILD, "unit_test_gate", "implement_coverage", *CHECK, "review"),
        *(*HOOKS, "commit"),
    ],
    "open_source": [
        *("plan", *BUILD, "test_gate", "docs_check", "changelog", *HOOKS, "commit"),
        *("create_pr", "await_review"),
    ],
    "enterprise": [
        *("plan", "plan_review", "interface_definition", *BUILD, "unit_test_gate"),
        *("implement_coverage", *CHECK, "security_review"),
        *("code_review", "ci_gate", *HOOKS, "commit"),
    ],
    "security_critical": [
        *("plan", "plan_review", "threat_modeling", "interface_definition", *BUILD),
        *("unit_test_gate", "implement_coverage", *CHECK),
        *("penetration_test", "security_review", "code_review", "ci_gate", *HOOKS, "commit"),
    ],
}
ASKED: Final = {
    "standard": [],
    "double_review": [],
    "mvp": [],
    "with_test_engineer": [],
    "open_source": ["await_review"],
    "enterprise": ["plan_review", "interface_definition", "code_review", "commit"],
    "security_critical": [
        *("plan_review", "interface_definition", "security_review", "code_review", "commit"),
    ],
}


def prepare(user: User, *, config: str = CONFIG, replies: list[Json] | None = None) -> None:
    """Give the project its gates and the script of its agents."""
    play = json.dumps({"replies": [*(replies or []), *REPLIES]})
    user.commit({".supervisor/config.yaml": config, "tools/play.json": play})


def publish(user: User) -> RecordedGh:
    """Give the repository a remote, and the user a `gh` that opens one pull request."""
    remote = user.home / "remote.git"
    user.git("init", "--quiet", "--bare", str(remote))
    user.git("remote", "add", "origin", str(remote))
    user.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
    programs = user.home / "programs"
    gh = install(programs, "opened", branch="{any}", title="{any}", body="{any}")
    user.environment["PATH"] = f"{programs}:{user.environment['PATH']}"
    return gh


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


@pytest.mark.parametrize("template", sorted(STEPS.keys() - {"standard", "mvp", "double_review"}))
def test_every_template_runs_from_its_first_step_to_its_last(user: User, template: str) -> None:
    prepare(user)
    gh = publish(user)
    run, asked = approve_all(user, "--workflow", template)
    assert (run["status"], asked) == ("completed", ASKED[template])
    assert entered(user, run) == STEPS[template]
    assert user.git("show", f"{run['commit']}:total.py") == CODE.strip()
    if template == "open_source":
        assert gh.is_at_its_end()
        assert user.git("ls-remote", "origin", run["branch"]).split()[0] == run["commit"]
        [opened] = [it for it in user.events(run["id"]) if it["type"] == "PullRequestOpened"]
        assert opened["payload"]["url"] == "https://github.com/ada/project/pull/7"
    if template == "enterprise":
        told = [it for it in user.events(run["id"]) if it["payload"].get("step") == "code_review"]
        kinds = [it["type"] for it in told]
        both = kinds[: kinds.index("AttemptSucceeded")].count("AttemptStarted")
        slots = {it["payload"]["slot"] for it in told if it["type"] == "AttemptSucceeded"}
        assert (both, slots) == (2, {1, 2}), "reviewers of a step work at the same time"


STRICT: Final = """\
cli: player
clis:
  player: {adapter: scripted, script: tools/play.json}
gates:
  test: {command: [python3, -m, unittest, discover]}
  integration: {command: [python3, -m, unittest, discover, -s, checks, -t, .]}
  coverage: {command: [grep, -qrs, "coverage.*{coverage}", done, checks]}
  lint: {command: [grep, -q, lint, done/words]}
  docs: {command: [grep, -q, docs_check, done/words]}
  ci: {command: [grep, -q, ci, done/words]}
limits: {workflow_max_steps: 200}
"""
LATER: Final = ["integration_test_gate", "integration_tests_coverage", "integration_test_gate"]
"""Too few tests, too little coverage, and a fault of the product."""
REFUSED: Final = {
    "standard": ["test", "review", "lint"],
    "double_review": ["plan_review", "test", "review", "ci"],
    "mvp": ["quick_review", "lint"],
    "with_test_engineer": ["unit_test_gate", "implement_coverage", *LATER, "review", "lint"],
    "open_source": ["test_gate", "docs_check", "changelog", "lint"],
    "enterprise": [
        *("plan_review", "plan_review", "interface_definition"),
        *("unit_test_gate", "implement_coverage", *LATER, "security_review"),
        *("code_review", "code_review", "ci_gate", "lint", "commit"),
    ],
    "security_critical": [
        *("plan_review", "plan_review", "threat_modeling", "interface_definition"),
        *("unit_test_gate", "implement_coverage", *LATER, "penetration_test"),
        *("security_review", "security_review", "code_review", "code_review", "ci_gate"),
        *("lint", "commit"),
    ],
}
"""Every step that can say no, as often as somebody else can say it there."""
BEFORE: Final = ("plan_review", "threat_modeling", "interface_definition")
REVIEWS: Final = (
    *("plan_review", "threat_modeling", "penetration_test", "security_review"),
    *("code_review", "review", "quick_review"),
)
PRODUCT: Final = """\
import unittest
from pathlib import Path

from total import total


class ProductTest(unittest.TestCase):
    def test_product(self):
        self.assertIn("integration_test_gate", Path("done/words").read_text(), total([]))
"""


def objections(template: str) -> list[Json]:
    """Let every reviewer object once, and those who work mend one thing after the other."""
    said = [step for step in REFUSED[template] if step not in BEFORE]
    for own in LATER[:2]:
        if own in said:
            said.remove(own)
    replies = [{"step": step, "visit": 1, "answer": REFUSAL} for step in REVIEWS]
    late = {**CHECKED, "checks/test_product.py": PRODUCT, "checks/done": "coverage 70\n"}
    for visit, files in enumerate(({**CHECKED, "checks/test_sums.py": unit_tests(5)}, CHECKED), 1):
        replies.append({"step": "integration_tests", "visit": visit, **work(files)})
    replies.append({"step": "integration_tests", **work(late)})
    for visit in range(1, len(said) + 2):
        files = {**BUILT, "done/words": f"{' '.join(said[: visit - 1])} 80 90\n"}
        if visit == 1:
            files["total.py"] = CODE.replace("sum(items)", "0")
        if "changelog" in said[visit - 1 :]:
            files.pop("CHANGELOG.md")
        replies.append({"step": "implement", "visit": visit, **work(files)})
    return replies


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(name, marks=[pytest.mark.long] if "integration" in str(steps) else [])
        for name, steps in REFUSED.items()
    ],
)
def test_every_no_of_a_template_is_worked_off(user: User, template: str) -> None:
    prepare(user, config=STRICT, replies=objections(template))
    publish(user)
    said, refused = user.run("--workflow", template), {"await_review"}
    while said.code == 5:
        run, [step] = said.run["id"], said.run["active_steps"]
        word = ["approve"] if step in refused else ["reject", "--reason", "Think again."]
        refused.add(step)
        said = user.call(word[0], run, *word[1:], "--drive", "--json")
    assert (said.code, said.run["status"]) == (0, "completed"), said.out + said.err
    events = user.events(said.run["id"])
    failed = [it["payload"]["step"] for it in events if it["type"] == "StepFailed"]
    assert failed == REFUSED[template]
    last = STEPS[template][STEPS[template].index("implement") :]
    assert entered(user, said.run)[-len(last) :] == last


def test_a_step_answers_for_its_own_tests_only(user: User) -> None:
    flow = """\
steps:
  implement: {role: implementer, config: {tdd: true}, next: integration_tests}
  integration_tests: {role: test_engineer, next: integration}
  integration: {gate: integration, next: review, on_fail: implement}
  review: {role: reviewer, next: commit, on_reject: implement}
  commit: {type: commit}
"""
    first, second = (
        {**CHECKED, "checks/test_sums.py": unit_tests(*it)} for it in ((5,), (5, 6, 7))
    )
    product = {
        "shop/sums.py": CODE,
        "test_total.py": unit_tests(1, 2).replace("total import", "shop.sums import", 1),
        "test_module.py": unit_tests(4)
        .replace("total import total", "shop import sums\n")
        .replace("assertEqual(total", "assertEqual(sums.total"),
    }
    replies = [
        {"step": "implement", **work(product)},
        {"step": "integration_tests", "visit": 1, **work(first)},
        {"step": "integration_tests", **work(second)},
        {"step": "review", "visit": 1, "answer": REFUSAL},
    ]
    prepare(user, replies=replies)
    old = {"total.py": CODE, "shop/__init__.py": ""}
    user.commit({".supervisor/workflows/own.yaml": flow, **old})
    run, _ = approve_all(user, "--workflow", "own")
    tests = ["integration_tests", "integration_tests-guard", "integration"]
    whole = [*BUILD, *tests, "integration_tests_coverage", "review"]
    assert entered(user, run) == [*BUILD, *tests, *whole[2:], *whole, "commit"]


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
    assert entered(user, run) == [*BUILD, "review", *BUILD, "review", "commit"]


def test_a_project_composes_its_own_workflow(user: User) -> None:
    config = f"""{CONFIG}
workflow:
  template: mvp
  settings: {{human_approval: true}}
  overrides:
    implement: {{role: implementer}}
    risk_validation:
      position: after implement
      command: [test, -f, total.py]
      on_fail: implement
  disable: [quick_review]
"""
    prepare(user, config=config)
    run, asked = approve_all(user)
    assert (run["workflow"], asked) == ("mvp", ["commit"])
    assert entered(user, run) == ["plan", *BUILD, "risk_validation", *HOOKS, "commit"]


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
    gates = [it["payload"] for it in user.events(said.run["id"]) if it["type"] == "GateEnded"]
    [ended] = [it for it in gates if it["gate"] == "test"]
    wanted = "At least 5 new tests are wanted for each component; 'the change' has "
    assert ended["reason"].startswith(wanted)


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
