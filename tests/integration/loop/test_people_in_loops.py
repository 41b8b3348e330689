"""People and loops: what they approve, reject and edit, and what a branch refuses."""

import pytest
from tests.support.kernel import CLI, GATE
from tests.support.loop_scene import Scene, loop_definition, section, work

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    RiskLevel,
)
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.gates import GatePolicy
from supervisor_ai.domain.run.inbox_commands import EditChange
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.decisions.roles import answer_of, said_last
from supervisor_ai.drivers.loop.definition import LoopDefinition
from supervisor_ai.drivers.loop.driver import LoopDriver
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.moves.slots import Slot
from supervisor_ai.drivers.quality.events import AnswerTaken
from supervisor_ai.engine.ports.sandbox import SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply


def careful() -> LoopDefinition:
    condition = read_condition("file_count < 99")
    assert isinstance(condition, RiskCondition)
    level = ApprovalLevel(
        level=RiskLevel.HIGH,
        action=ApprovalAction.REQUIRE_APPROVAL,
        conditions=(condition,),
        match=ConditionMatch.ANY,
    )
    return replace(loop_definition(supervisors=()), approvals=ApprovalPolicy(levels=(level,)))


def test_a_change_lands_once_the_policy_has_what_it_demands() -> None:
    scene = Scene(careful())
    assert scene.drive() is RunStatus.WAITING
    assert (scene.asking.step, scene.asking.reason) == ("mark_complete", ApprovalReason.RISK)
    assert scene.approve() is RunStatus.COMPLETED
    assert len(scene.events(e.IntegrationLanded)) == 1


def test_what_a_person_rejects_goes_back_to_the_planner_with_their_words() -> None:
    scene = Scene(careful())
    scene.drive()
    scene.reject("Name it better.")
    again = scene.requests("task_planner")[1]
    assert "Attempt 1 failed (person):\nName it better." in section(again, "TASK")
    assert scene.approve() is RunStatus.COMPLETED


def test_what_a_person_edits_is_looked_at_again() -> None:
    scene = Scene(replace(careful(), gates={GATE.name: GATE}))
    scene.drive()
    asked, workspaces = scene.asking, scene.kernel.fakes.workspaces
    commit = workspaces.commit({"README": "Hello.", "mine.py": "x = 1\n"}, parent=asked.commit)
    edited = Snapshot(commit=commit, tree=workspaces.tree(commit))
    scene.send(EditChange(step=asked.step, visit=asked.visit, tree=asked.tree, edited=edited))
    assert scene.drive() is RunStatus.WAITING
    assert scene.nodes[-3:] == ["mark_complete", "qa", "mark_complete"]
    assert scene.approve() is RunStatus.COMPLETED
    assert scene.tip["mine.py"] == "x = 1\n"


def test_a_branch_that_refuses_the_work_ends_the_run() -> None:
    def meddles(scene: Scene, request: WorkerRequest) -> FakeReply:
        done = FakeReply(output=work(created=["app.py"]), files={"app.py": "ours\n"})
        workspaces = scene.kernel.fakes.workspaces
        theirs = workspaces.commit({"README": "Hello.", "app.py": "theirs\n"})
        workspaces.branches[scene.branch] = theirs
        del request
        return done

    scene = Scene(loop_implementor=meddles)
    assert scene.drive() is RunStatus.FAILED
    (failed,) = scene.events(e.RunFailed)
    assert failed.outcome.kind is OutcomeKind.REJECTED


def test_a_commit_that_cannot_be_signed_waits_for_a_person() -> None:
    scene = Scene(loop_definition(supervisors=()))
    scene.drive()
    driver, state = LoopDriver(), scene.state
    playback = scene.kernel.play(scene.run)
    at = StepName("mark_complete")
    book = replace(state.book, current=None)
    refused = e.IntegrationRefused(
        step=at,
        visit=9,
        reason="The key is locked.",
        detail=scene.kernel.world.artifacts.put("The key is locked."),
        lacks_signature=True,
    )
    for fact in (e.StepEntered(step=at, visit=9, start=state.kept.commit, feedback=()), refused):
        state = driver.evolve(replace(state, book=book), fact)
    decision = driver.decide(playback.run, state)
    (asked,) = decision.effects
    assert getattr(asked, "reason", None) == ApprovalReason.LANDING


def test_a_gate_that_asks_a_person_asks() -> None:
    def gates(spec: SandboxSpec) -> ScriptedReply:
        del spec
        return ScriptedReply(exit_code=1)

    gate = replace(GATE, policy=GatePolicy.ASK)
    scene = Scene(loop_definition(gate=gate), gates=gates)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.FINDINGS
    scene.reject("Not like this.")
    (setback,) = scene.events(k.TaskSetBack)
    assert (setback.found_by.value, scene.text(setback.feedback)) == ("person", "Not like this.")


def test_a_role_whose_agent_lacks_something_asks_a_person() -> None:
    trouble = Diagnosis(
        message="No key.", category=FailureCategory.CLI_ERROR, action=Action.ESCALATE
    )
    scene = Scene(assessor=lambda scene, request: FakeReply(diagnosis=trouble, exit_code=1))
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.BLOCKED


def test_a_fork_has_a_branch_of_its_own_and_rests_no_more() -> None:
    scene = Scene(tasks=2)
    scene.signal("pause")
    scene.drive()
    driver = LoopDriver()
    forked = driver.fork(scene.state)
    assert forked.flow.landed is None
    assert forked.pause.value == "resume"


def test_a_loop_goes_on_under_other_rules() -> None:
    scene = Scene(tasks=2)
    scene.drive()
    driver, other = LoopDriver(), loop_definition(LoopRules(max_tasks=7), supervisors=())
    assert driver.migration_problems(scene.state, other) == ()
    moved = driver.migrate(scene.state, other)
    assert (moved.rules.max_tasks, moved.book.roster.specs) == (7, ())


def test_an_answer_without_what_it_says_changes_nothing() -> None:
    scene = Scene()
    scene.drive()
    driver, state = LoopDriver(), scene.state
    succeeded = scene.events(e.AttemptSucceeded)[-1]
    entered = e.StepEntered(step=succeeded.step, visit=99, start=state.kept.commit, feedback=())
    begun = e.AttemptStarted(
        step=succeeded.step,
        visit=99,
        attempt=1,
        role="assessor",
        cli=CLI.name,
        start=state.kept.commit,
    )
    told = replace(succeeded, visit=99, attempt=1, meaning=Meaning.PASS)
    started = driver.evolve(driver.evolve(state, entered), begun)
    assert driver.evolve(started, told).book == state.book
    bare = AnswerTaken(step=succeeded.step, visit=99, attempt=1)
    assert driver.evolve(driver.evolve(started, bare), told).book == state.book


def test_what_cannot_be_is_a_bug() -> None:
    for function in (answer_of, said_last):
        with pytest.raises(InternalError):
            function(Slot())
