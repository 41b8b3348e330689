"""Steps that are linked in, taken out or must stay."""

import pytest
from tests.unit.definitions.workflows.flows import Flows

FILE = ".supervisor/workflows/flow.yaml"


@pytest.mark.parametrize(
    ("position", "path"),
    [
        ("after plan", ["plan", "new", "implement", "test", "review", "commit"]),
        ("before plan", ["new", "plan", "implement", "test", "review", "commit"]),
        ("before commit", ["plan", "implement", "test", "review", "new", "commit"]),
    ],
)
def test_a_step_stands_where_its_position_says(
    flows: Flows, position: str, path: list[str]
) -> None:
    child = f"extends: standard\nsteps:\n  new: {{role: reviewer, position: {position}}}\n"
    flow = flows.load(flow=child)
    assert flow.path == path
    assert flow.loaded.definition.workflow.initial_step == path[0]


def test_a_step_after_the_last_one_ends_the_run(flows: Flows) -> None:
    child = "extends: standard\nsteps: {tell: {type: human_gate, position: after commit}}\n"
    flow = flows.load(flow=child)
    assert flow.path[-2:] == ["commit", "tell"]
    assert (flow.step("commit").terminal, flow.step("tell").terminal) == (False, True)


def test_two_steps_behind_the_same_one_stand_in_a_row(flows: Flows) -> None:
    child = """\
extends: standard
steps:
  one: {role: reviewer, position: after test, next: review}
  two: {role: reviewer, position: after test, next: review}
"""
    assert flows.load(flow=child).path == [
        *("plan", "implement", "test", "two", "one", "review", "commit"),
    ]


def test_positions_that_lead_nowhere(flows: Flows) -> None:
    child = """\
extends: standard
steps:
  lost: {role: reviewer, position: after tset, next: commit}
  itself: {role: reviewer, position: before itself, next: commit}
  review: {position: after plan}
"""
    known = "commit, implement, lost, plan, review, test"
    assert flows.mistakes(flow=child) == [
        f"{FILE}:3: steps.lost.position: unknown step 'tset'; did you mean 'test'?",
        f"{FILE}:4: steps.itself.position: unknown step 'itself' (known: {known})",
        f"{FILE}:5: steps.review.position: moves a step that is there already",
    ]
    wrong = "extends: standard\nsteps: {a: {role: reviewer, position: near plan}}\n"
    [line] = flows.mistakes(flow=wrong)
    assert line.endswith("must be 'after STEP' or 'before STEP', found 'near plan'")


def test_what_led_to_a_disabled_step_leads_to_what_follows_it(flows: Flows) -> None:
    flow = flows.load(flow="extends: standard\ndisable: [review]\n")
    assert flow.path == ["plan", "implement", "test", "commit"]
    assert flow.arrows("test") == ("commit", "implement", None)


def test_a_disabled_last_or_first_step(flows: Flows) -> None:
    parent = (
        "steps: {a: {role: planner, next: b}, b: {role: implementer, next: c}, c: {type: commit}}\n"
    )
    assert flows.load(parent=parent, flow="extends: parent\ndisable: [a]\n").path == ["b", "c"]
    flow = flows.load(parent=parent, flow="extends: parent\ndisable: [c]\n")
    assert (flow.path, flow.step("b-guard").terminal) == (["a", "b"], True)


def test_what_cannot_be_disabled(flows: Flows) -> None:
    child = "extends: standard\ndisable: [commit, tset]\n"
    assert flows.mistakes(flow=child) == [
        f"{FILE}:2: disable[0]: disables 'commit', which builtin/workflows/_base.yaml requires",
        f"{FILE}:2: disable[1]: unknown step 'tset'; did you mean 'test'?",
    ]


def test_the_only_way_back_cannot_be_disabled(flows: Flows) -> None:
    parent = """\
steps:
  write: {role: implementer, next: check}
  check: {gate: test, next: commit, on_fail: write}
  commit: {type: commit}
"""
    assert flows.mistakes(parent=parent, flow="extends: parent\ndisable: [write]\n") == [
        f"{FILE}:2: disable[0]: disables 'write', the only way back for 'check'; "
        "change `on_fail` of 'check'"
    ]


def test_a_step_that_is_bypassed_is_unreachable(flows: Flows) -> None:
    child = "extends: standard\nsteps: {implement: {next: review}}\n"
    [line] = flows.mistakes(flow=child)
    assert line.endswith("steps.test: cannot be reached: no step leads here")
