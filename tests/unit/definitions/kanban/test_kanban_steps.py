"""The steps, roles and limits that a run on a kanban pins."""

import pytest
from tests.unit.definitions.kanban.board import ADAPTERS, PLACE, Board
from tests.unit.definitions.project_files import COMMIT

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Cli, StepKind
from supervisor_ai.domain.run.failures.retries import RetryMode
from supervisor_ai.domain.run.policies import policy_of
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.definition import expect_kanban
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER, READ_FILES

ROLES = ("architect", "implementor", "manager")
STEPS = (
    *("kanban", "architect", "implementor", "implementor-guard", "test"),
    *("land-task", "manager", "land-kanban"),
)


def test_the_loop_goes_round(board: Board) -> None:
    pinned = board.load()
    assert expect_kanban(pinned.definition).kanban == KanbanPolicy(place=PLACE, max_iterations=400)
    workflow = pinned.definition.workflow
    assert (workflow.name, workflow.initial_step) == ("kanban", "kanban")
    assert tuple(pinned.path) == STEPS
    assert {
        name: (step.kind, step.next, step.on_fail) for name, step in workflow.steps.items()
    } == {
        "kanban": (READ_FILES, "implementor", None),
        "architect": (StepKind.ROLE, "land-task", None),
        "implementor": (StepKind.ROLE, "implementor-guard", None),
        "implementor-guard": (StepKind.GATE, "test", "implementor"),
        "test": (StepKind.GATE, "land-task", "implementor"),
        "land-task": (StepKind.COMMIT, "manager", None),
        "manager": (StepKind.ROLE, "land-kanban", None),
        "land-kanban": (StepKind.COMMIT, "kanban", None),
    }
    assert not any(step.terminal or step.human_approval for step in workflow.steps.values())


def test_an_instruction_is_for_the_manager_alone(board: Board) -> None:
    pinned = board.load(instruction="Read the limits")
    assert expect_kanban(pinned.definition).kanban == KanbanPolicy(
        place=PLACE, instruction="Read the limits"
    )
    assert pinned.definition.workflow.initial_step == "manager"
    assert tuple(pinned.path) == STEPS
    assert (pinned.step("land-kanban").terminal, pinned.step("land-kanban").next) == (True, None)
    assert pinned.step("manager").next == "land-kanban"


def test_each_role_has_its_answer_and_its_prompt(board: Board) -> None:
    roles = board.load().definition.roles
    assert set(roles) == set(ROLES)
    assert {name: role.answer for name, role in roles.items()} == {
        "architect": OF_AGENT,
        "implementor": OF_AGENT,
        "manager": OF_MANAGER,
    }
    for role in roles.values():
        assert role.can_edit
        assert (role.context, role.continuations, role.cli) == (None, 0, "claude")


def test_the_same_is_asked_three_times_more(board: Board) -> None:
    config = (
        "retry_policies: {exact: {mode: feedback, max_attempts: 9}}\nlimits: {step_max_retries: 7}"
    )
    for definition in (board.load().definition, board.load(config).definition):
        for name in ROLES:
            step = definition.workflow.steps[StepName(name)]
            assert step.retry_policy == "exact"
            policy = policy_of(definition, step, definition.roles[name])
            assert (policy.max_attempts, policy.mode) == (4, RetryMode.SAME)


def test_who_wants_it_is_told_what_was_wrong(board: Board) -> None:
    definition = board.load("kanban: {retry: with_error}\nlimits: {step_max_retries: 7}").definition
    for name in ROLES:
        step = definition.workflow.steps[StepName(name)]
        policy = policy_of(definition, step, definition.roles[name])
        assert (step.retry_policy, policy.name) == (None, "default")
        assert (policy.max_attempts, policy.mode) == (4, RetryMode.FEEDBACK)


@pytest.mark.parametrize("config", ["", "limits: {step_max_retries: 9}\n"])
@pytest.mark.parametrize("rounds", [1, 10_000])
def test_rounds_end_a_kanban_and_not_steps(board: Board, config: str, rounds: int) -> None:
    pinned = board.load(
        f"{config}kanban: {{max_iterations: {rounds}, gates: [test, lint]}}\n"
        "gates: {lint: {command: lint}}\n"
    )
    assert expect_kanban(pinned.definition).kanban.max_iterations == rounds
    # Every gate sends the work back as often as it may, one after the other, in every round.
    backs = 3 + 2 * (9 if config else 3)
    longest = rounds * (len(pinned.path) + backs * 4) + 1
    assert pinned.definition.limits.workflow_max_steps >= longest


def test_who_allows_more_steps_has_them(board: Board) -> None:
    limits = board.load(
        "limits: {workflow_max_steps: 10000}\nkanban: {max_iterations: 1}"
    ).definition.limits
    assert limits.workflow_max_steps == 10000


def test_a_manager_without_a_model(board: Board) -> None:
    for pinned in (
        board.load("kanban: {manager: builtin}\n", cli="codex"),
        board.load(manager="builtin", cli="codex"),
    ):
        role = pinned.definition.roles["manager"]
        assert (role.template, role.cli, role.fallback) == ("{{ task }}", "builtin", ())
        assert (role.answer, role.can_edit) == (OF_MANAGER, True)
        assert not role.instructions
        assert pinned.definition.clis == {
            "builtin": Cli(name="builtin", adapter="mechanical_manager"),
            "codex": Cli(name="codex", adapter="codex"),
        }
        assert pinned.definition.roles["architect"].cli == "codex"
    assert (
        board.load("kanban: {manager: builtin}\n", manager="model").definition.roles["manager"].cli
        == "claude"
    )


def test_no_model_is_needed_at_all(board: Board) -> None:
    config = """\
kanban: {manager: builtin}
clis: {mine: {adapter: command, command: [agent]}}
roles: {architect: {cli: mine}, implementor: {cli: mine}}
"""
    definition = board.load(config).definition
    assert {cli.adapter for cli in definition.clis.values()} == {"command", "mechanical_manager"}
    assert not any(cli.egress or cli.broker for cli in definition.clis.values())


def test_the_manager_without_a_model_is_nobody_s_agent(board: Board) -> None:
    assert "CLI 'mechanical_manager'" in board.refusal(
        "roles: {architect: {cli: mechanical_manager}}"
    )
    config = "clis: {mine: {adapter: mechanical_manager}}"
    assert board.refusal(config).splitlines()[1] == (
        "  .supervisor/config.yaml:2: clis.mine.adapter: is no agent to choose; "
        "write `kanban: {manager: builtin}`"
    )
    own = """\
clis: {builtin: {adapter: command, command: [agent]}}
roles: {architect: {cli: builtin}}
"""
    assert board.load(own).definition.roles["architect"].cli == "builtin"
    assert "'builtin' was chosen for the role 'architect'" in board.refusal(own, manager="builtin")
    assert "mechanical_manager" in ADAPTERS


def test_who_goes_on_and_what_it_costs_is_as_for_every_run(board: Board) -> None:
    config = "fallback: [codex]\nbudgets: {run: 5k tokens}\nbreaker: {failures: 9}\n"
    pinned = board.load(config)
    usual = board.catalog(config).load(COMMIT, workflow=None, cli=None)
    assert pinned.definition.roles["implementor"].fallback == ("codex",)
    assert pinned.definition.budgets == usual.definition.budgets != {}
    assert pinned.definition.breaker == usual.definition.breaker
    assert pinned.definition.sandbox == usual.definition.sandbox
    assert pinned.loaded.powers == usual.powers != ()


def test_what_makes_no_sense_is_refused(board: Board) -> None:
    assert "'human' was asked for, but there is 'model'" in board.refusal(manager="human")
    with pytest.raises(InvalidInput, match="is in no folder"):
        board.load(place=KanbanPlace(file="0-kanban.md"))
    told = board.refusal("roles: {architect: {allowed_tools: [read_file]}}")
    assert "'architect' may use read_file only" in told


def test_a_workflow_file_cannot_read_kanbans(board: Board) -> None:
    for step in ("{type: kanban}", "{gate_type: kanban}"):
        board.write({"workflows/own.yaml": f"steps:\n  a: {step}\n"})
        told = board.refusal()
        assert ".supervisor/workflows/own.yaml:2: steps.a." in told
        assert "found 'kanban'" in told
    board.write({"workflows/own.yaml": "steps: {kanban: {role: planner}}\n"})
    assert board.load().definition.workflow.name == "kanban"
