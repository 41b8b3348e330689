"""A checkpoint in the file of a workflow."""

from pathlib import Path

import pytest
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import GATES, Flows

from supervisor_ai.control.ports.definitions import Loaded
from supervisor_ai.domain.ids import SessionId, StepName
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.drivers.checkpoint.commands.wishes import SpecFile, WantedSupervisor
from supervisor_ai.drivers.checkpoint.decisions.definition import expect_resident
from supervisor_ai.drivers.checkpoint.decisions.settings import SupervisionSettings
from supervisor_ai.drivers.checkpoint.decisions.workflow_step import particulars_of
from supervisor_ai.drivers.checkpoint.kinds import JUDGE
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import WantedKanban

FLOW = """\
steps:
  plan: {role: planner, next: supervise}
  supervise:
    type: checkpoint
    options: %s
    on_reject: plan
    next: commit
  commit: {type: commit}
"""
USUAL = "{checkpoint: CHECKPOINT-003}"
OWN = """
      checkpoint: CHECKPOINT-007
      scope: [plan]
      checks:
        - plan_graph
        - ask: Is every risk named?
          id: risks"""


@pytest.fixture
def flows(tmp_path: Path) -> Flows:
    return Flows(tmp_path / "user")


def supervise(flows: Flows, options: str = USUAL, more: str = "") -> Step:
    return flows.load(flow=f"{FLOW % options}{more}").step("supervise")


def test_a_built_in_checkpoint_brings_its_checks_and_who_judges(flows: Flows) -> None:
    step = supervise(flows)
    own = particulars_of(step)
    assert own.checkpoint == "CHECKPOINT-003"
    assert {"plan_graph", "execution_method", "role_errors"} <= {it.id for it in own.checks}
    assert own.scope == ()
    assert own.off == ""
    assert step.role == JUDGE
    role = flows.load(flow=FLOW % USUAL).loaded.definition.roles[JUDGE]
    assert not role.writes
    assert role.is_optional


def test_own_checks_and_a_scope_are_taken(flows: Flows) -> None:
    own = particulars_of(supervise(flows, OWN))
    assert [it.id for it in own.checks] == ["plan_graph", "risks"]
    assert own.checks[1].question == "Is every risk named?"
    assert own.scope == ("plan",)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("{checkpoint: CHECK-1}", "`checkpoint` must be CHECKPOINT-001 to -999"),
        ("{checkpoint: CHECKPOINT-042}", "needs `checks`, or as `checkpoint` one of"),
        ("{checks: []}", "`checks` must be a list of 1 to 100 checks"),
        ("{checks: [plan_graf]}", "plan_graf"),
        ("{checks: [plan_graph, plan_graph]}", "'plan_graph' is there twice"),
        ("{checkpoint: CHECKPOINT-001, scope: plan}", "`scope` must be a list of steps"),
        ("{checkpoint: CHECKPOINT-001, scope: [1]}", "`scope` must be a list of steps"),
        ("{checkpoint: CHECKPOINT-001, enabled: 3}", "`enabled` must be true or false"),
        ("{checkpoint: CHECKPOINT-001, scopes: [a]}", "'scopes'"),
    ],
)
def test_mistakes_are_told(flows: Flows, options: str, problem: str) -> None:
    assert any(problem in line for line in flows.mistakes(flow=FLOW % options))


def test_options_mean_nothing_elsewhere(flows: Flows) -> None:
    text = (
        "steps:\n  plan: {role: planner, options: {a: 1}, next: commit}\n  commit: {type: commit}"
    )
    assert any("has no meaning" in line for line in flows.mistakes(flow=text))


def test_a_workflow_can_switch_supervision_off(flows: Flows) -> None:
    off = particulars_of(supervise(flows, more="settings: {supervision: false}\n")).off
    assert off == "Supervision is switched off in the workflow."
    assert particulars_of(supervise(flows, more="settings: {supervision: true}\n")).off == ""
    named = particulars_of(supervise(flows, "{checkpoint: CHECKPOINT-001, enabled: false}"))
    assert named.off == "Supervision is switched off in the workflow."


def test_the_config_can_switch_supervision_or_the_judge_off(flows: Flows) -> None:
    flows.config = f"{GATES}supervision: false\n"
    assert particulars_of(supervise(flows)).off == "Supervision is switched off in the config."
    flows.config = f"{GATES}supervision: {{judge: false}}\n"
    assert not particulars_of(supervise(flows)).judge


def test_the_config_says_what_holds(flows: Flows) -> None:
    section = flows.catalog().section(COMMIT, "supervision")
    assert section == SupervisionSettings(enabled=True, judge=True)
    flows.config = "supervision: 3\n"
    assert any("must be true, false or a mapping" in it for it in flows.mistakes(flow=FLOW % USUAL))


def resident(flows: Flows, *, spec: SpecFile | None = None, is_alone: bool = False) -> Loaded:
    wanted = WantedSupervisor(session=SessionId("S1"), spec=spec, is_alone=is_alone)
    return flows.catalog().resolve_for("checkpoint", COMMIT, wanted)


def test_a_resident_supervisor_has_a_step_for_each_checkpoint(flows: Flows) -> None:
    pinned = expect_resident(resident(flows).definition)
    assert list(pinned.workflow.steps) == [
        "session",
        "CHECKPOINT-001",
        "CHECKPOINT-002",
        "CHECKPOINT-003",
    ]
    assert pinned.workflow.steps[StepName("CHECKPOINT-001")].role == JUDGE
    assert pinned.limits.workflow_timeout is None
    assert pinned.residence.session == "S1"


def test_own_checkpoints_are_added(flows: Flows) -> None:
    text = (
        "---\nrole: supervisor\nprefix: CHECKPOINT\nextends: builtin\n---\n"
        "## CHECKPOINT-004: Before the release\n\n- artifact_exists: release.md\n"
    )
    pinned = resident(flows, spec=SpecFile(file="supervisor.md", text=text)).definition
    assert "CHECKPOINT-004" in pinned.workflow.steps
    assert "CHECKPOINT-001" in pinned.workflow.steps


@pytest.mark.parametrize("config", ["supervision: {judge: false}\n", ""])
def test_nobody_judges_where_nobody_is_wanted(flows: Flows, config: str) -> None:
    flows.config = config
    pinned = resident(flows, is_alone=not config).definition
    assert pinned.roles == {}
    assert pinned.workflow.steps[StepName("CHECKPOINT-001")].role is None


def test_a_kanban_makes_the_checkpoints_of_the_default_workflow(flows: Flows) -> None:
    flows.config = f"{GATES}workflow: flow\n"
    wanted = WantedKanban(place=KanbanPlace(file="tasks/0-kanban.md"), cli="claude")
    found = flows.catalog(flow=FLOW % USUAL).resolve_for("kanban", COMMIT, wanted).definition
    step = found.workflow.steps[StepName("supervise")]
    assert step.on_reject == "implementor"
    assert step.next == "land-task"
    assert step.role == JUDGE
    assert particulars_of(step).checkpoint == "CHECKPOINT-003"
