"""The step that opens a pull request."""

from datetime import timedelta

import pytest
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import GATES, Flows

from supervisor_ai.domain.run.definition import FollowPolicy, StepKind

FILE = ".supervisor/workflows/flow.yaml"
FLOW = """\
steps:
  work: {role: implementer, next: commit}
  commit: {type: commit, next: publish}
  publish: {type: pull_request, human_approval: true, on_reject: work}
"""


def asked(flows: Flows, **files: str) -> list[tuple[str, str]]:
    powers = flows.catalog(**files).powers(COMMIT)
    return [(f"{it.file}:{it.line}", it.key) for it in powers if "pull request" in it.value]


def test_a_pull_request_behind_the_commit(flows: Flows) -> None:
    step = flows.load(flow=FLOW).step("publish")
    assert (step.kind, step.human_approval, step.terminal) == (StepKind.PULL_REQUEST, True, True)
    assert step.on_reject == "work"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "steps: {a: {role: implementer, next: b}, b: {type: pull_request, next: c}, "
            "c: {type: commit}}\n",
            "1: steps.b.type: must come after a step that commits",
        ),
        ("steps: {a: {type: pull_request}}\n", "1: steps.a.type: must come after a step that"),
        (FLOW.replace("on_reject", "on_fail"), "4: steps.publish.on_fail: has no meaning for a st"),
    ],
)
def test_what_cannot_be_published(flows: Flows, text: str, problem: str) -> None:
    assert flows.mistakes(flow=text)[0].startswith(f"{FILE}:{problem}")


def test_a_child_makes_a_pull_request_of_a_human_gate(flows: Flows) -> None:
    parent = FLOW.replace("type: pull_request, human_approval: true", "type: human_gate")
    child = "extends: parent\nsteps: {publish: {type: pull_request}}\n"
    assert flows.load(parent=parent, flow=child).step("publish").kind == StepKind.PULL_REQUEST


def test_the_user_is_asked_before_a_project_publishes(flows: Flows) -> None:
    assert asked(flows, flow=FLOW) == [(f"{FILE}:4", "steps.publish.type")]
    assert asked(flows, flow="extends: open_source\n") == [(f"{FILE}:1", "extends")]
    assert asked(flows, flow="extends: standard\nsettings: {auto_pr: true}\n") == [
        (f"{FILE}:2", "settings.auto_pr")
    ]
    assert asked(flows) == []
    config = ".supervisor/config.yaml"
    flows.config = f"{GATES}workflow: open_source\n"
    assert asked(flows) == [(f"{config}:{flows.config.count(chr(10)) + 1}", "workflow")]
    flows.config = f"workflow: {{template: open_source, disable: [await_review]}}\n{GATES}"
    assert asked(flows) == [(f"{config}:2", "workflow.template")]


COMMAND = 'gh pr create --title "${PR_TITLE}" --body "${PR_BODY}" --draft'
INHERITED = f"""\
extends: _base
steps:
  plan: {{next: implement}}
  implement: {{next: publish}}
  publish: {{type: orchestrator_gate, command: '{COMMAND}', next: wait}}
  wait: {{type: human_gate}}
"""


def test_a_command_that_opens_a_pull_request_is_one(flows: Flows) -> None:
    loaded = flows.load(flow=INHERITED)
    assert loaded.step("publish").kind == StepKind.PULL_REQUEST
    assert not any("gh" in gate.command for gate in loaded.loaded.definition.gates.values())


def test_an_inherited_commit_comes_before_the_pull_request(flows: Flows) -> None:
    loaded = flows.load(flow=INHERITED)
    assert (loaded.step("commit").next, loaded.step("publish").next) == ("publish", "wait")
    text = "'commit' comes first, as a pull request shows what is committed"
    assert f"{FILE}:5: steps.publish: {text}" in loaded.loaded.notes


def test_a_project_asks_before_its_command_opens_one(flows: Flows) -> None:
    assert asked(flows, flow=INHERITED) == [(f"{FILE}:5", "steps.publish.type")]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("gh pr create --title Mine --body Yours --draft", "is not run: supervisor opens the"),
        (f"{COMMAND} --repo other/one", "is not run: supervisor opens the pull request itself"),
        ("gh pr create", "lacks --draft: a pull request always begins as one"),
    ],
)
def test_what_of_the_command_would_be_lost_is_said(
    flows: Flows, command: str, problem: str
) -> None:
    [mistake] = flows.mistakes(flow=INHERITED.replace(COMMAND, command))
    assert mistake.startswith(f"{FILE}:5: steps.publish.command: {problem}")


def test_a_pull_request_is_followed_as_its_step_says(flows: Flows) -> None:
    assert flows.load(flow=FLOW).step("publish").follow is None
    words = "{ci: true, reviews: false, max_rounds: 5, every: 2m, timeout: 3h}"
    step = flows.load(flow=FLOW.replace("on_reject: work", f"on_fail: work, follow: {words}"))
    assert step.step("publish").follow == FollowPolicy(
        reviews=False, max_rounds=5, every=timedelta(minutes=2), timeout=timedelta(hours=3)
    )
    assert step.step("publish").on_fail == "work"


def test_one_switch_follows_every_pull_request(flows: Flows) -> None:
    settings = "settings: {follow_pull_request: true}\n"
    assert flows.load(flow=settings + FLOW).step("publish").follow == FollowPolicy()
    mine = FLOW.replace("on_reject: work", "follow: {max_rounds: 1}")
    followed = flows.load(flow=settings + mine).step("publish").follow
    assert followed == FollowPolicy(max_rounds=1)
    off = FLOW.replace("on_reject: work", "follow: false")
    assert flows.load(flow=settings + off).step("publish").follow is None
    opened = flows.load(flow="extends: open_source\n" + settings).step("create_pr")
    assert (opened.follow, opened.next) == (FollowPolicy(), "await_review")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("follow: often", "4: steps.publish.follow: must be true, false or a mapping"),
        ("follow: {every: 1s}", "4: steps.publish.follow.every: must be at least 10s"),
        ("follow: {max_rounds: 99}", "4: steps.publish.follow.max_rounds:"),
        ("follow: {pace: 1s}", "4: steps.publish.follow.pace:"),
    ],
)
def test_a_following_that_makes_no_sense(flows: Flows, words: str, problem: str) -> None:
    text = FLOW.replace("on_reject: work", words)
    assert flows.mistakes(flow=text)[0].startswith(f"{FILE}:{problem}")


def test_only_a_pull_request_is_followed(flows: Flows) -> None:
    text = FLOW.replace("type: commit,", "type: commit, follow: true,")
    problem = "3: steps.commit.follow: has no meaning for a step"
    assert flows.mistakes(flow=text)[0].startswith(f"{FILE}:{problem}")
