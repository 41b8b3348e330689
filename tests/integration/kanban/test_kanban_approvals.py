"""Runs on a kanban under an approval policy: the work for a task is asked about, its files not."""

from tests.support.kanban_scene import (
    FILE,
    FIRST,
    SECOND,
    Scene,
    Told,
    kanban_definition,
    kanban_text,
    task_text,
)
from tests.support.kernel import GATE

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    RiskLevel,
)
from supervisor_ai.domain.run.inbox_commands import Comment, EditChange
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeFacts, FactsCase
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_examiner import FakeExaminer
from supervisor_ai.testing.fake_worker import FakeReply

CODE = "app.py"


def level(name: RiskLevel, action: ApprovalAction, text: str) -> ApprovalLevel:
    condition = read_condition(text)
    assert isinstance(condition, RiskCondition)
    return ApprovalLevel(
        level=name, action=action, conditions=(condition,), match=ConditionMatch.ANY
    )


POLICY = ApprovalPolicy(
    levels=(
        level(RiskLevel.HIGH, ApprovalAction.REQUIRE_APPROVAL, "changes_auth_code"),
        level(RiskLevel.LOW, ApprovalAction.AUTO_APPROVE, "file_count < 10"),
    )
)


class CodeReader(FakeExaminer):
    """Knows of a change whether it touches the code."""

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self._scene = scene

    async def facts(self, case: FactsCase) -> ChangeFacts:  # type: ignore[explicit-override]
        """Compare two commits."""
        self.asked_facts.append(case)
        files = self._scene.kernel.fakes.workspaces.files
        before, after = files(case.base), files(case.head)
        changed = [path for path in after if after[path] != before.get(path)]
        return ChangeFacts(
            facts=(
                Fact(name="file_count", value=len(changed)),
                Fact(name="changes_auth_code", value=CODE in changed),
                Fact(name="changes_supervisor_settings", value=False),
            )
        )


def build(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
    done = scene.work(request, told)
    number = len(scene.kernel.fakes.worker.requests)
    return replace(done, files={**done.files, CODE: f"x = {number}\n"})


def under(policy: ApprovalPolicy | None) -> Scene:
    definition = replace(kanban_definition(gate=GATE), approvals=policy)
    scene = Scene(definition, implementor=build)
    scene.kernel.fakes.examiner = CodeReader(scene)
    scene.kernel.world = scene.kernel.process()
    return scene


def assessed(scene: Scene) -> list[tuple[str, str]]:
    found = scene.kernel.events(scene.run, e.ChangeAssessed)
    return [(it.step, it.assessment.level.value) for it in found]


def test_the_work_for_a_task_is_asked_about_and_the_files_of_the_kanban_are_not() -> None:
    scene = under(POLICY)
    assert scene.drive() is RunStatus.WAITING
    asked = scene.asking
    assert (asked.step, asked.reason) == ("land-task", ApprovalReason.RISK)
    assert assessed(scene) == [("land-task", "low_risk"), ("land-task", "high_risk")]
    assert CODE not in scene.tip
    assert scene.approve() is RunStatus.COMPLETED
    assert scene.tip[CODE].startswith("x = ")
    assert "phase: complete" in scene.tip[FILE]
    steps = [it.step for it in scene.kernel.events(scene.run, e.AssessmentStarted)]
    assert set(steps) == {"land-task"}, "what the Manager writes is nobody's change"


def test_without_a_policy_nobody_is_asked() -> None:
    scene = under(None)
    assert scene.drive() is RunStatus.COMPLETED
    assert assessed(scene) == []


def test_a_task_is_assessed_by_what_was_done_for_it_alone() -> None:
    scene = under(POLICY)
    scene.drive()
    cases = scene.kernel.fakes.examiner.asked_facts
    files = scene.kernel.fakes.workspaces.files
    last = cases[-1]
    changed = {
        path for path in files(last.head) if files(last.head)[path] != files(last.base).get(path)
    }
    assert changed == {CODE, SECOND}, "the task before it has landed by itself"


def test_a_rejected_task_begins_again_with_the_words_and_the_comments() -> None:
    scene = under(POLICY)
    scene.drive()
    asked = scene.asking
    text = scene.kernel.world.artifacts.put("Say why it is one.")
    comment = Comment(
        step=asked.step, visit=asked.visit, tree=asked.tree, file=CODE, line=1, text=text
    )
    quote = scene.kernel.world.artifacts.put("x = 0")
    removed = replace(comment, side=LineSide.OLD, line=2, quote=quote)
    scene.kernel.send(scene.run, "comment", comment)
    scene.kernel.send(scene.run, "removed", removed)
    assert scene.reject() is RunStatus.WAITING
    last = scene.kernel.fakes.worker.requests[-1]
    assert last.role == "implementor"
    assert "No." in last.prompt
    assert "Say why it is one." in last.prompt
    assert f"1 {CODE}:1: Say why it is one." in last.prompt
    assert f"2 {CODE}:-2: Say why it is one. (old line: x = 0)" in last.prompt
    again = scene.asking
    assert again.tree != asked.tree
    assert CODE not in scene.tip
    assert scene.approve() is RunStatus.COMPLETED


def test_what_a_person_edits_is_looked_at_again_and_asked_about() -> None:
    scene = under(POLICY)
    scene.drive()
    asked, workspaces = scene.asking, scene.kernel.fakes.workspaces
    made = workspaces.commit(
        {**workspaces.files(asked.commit), CODE: "x = 'mine'\n"}, parent=asked.commit
    )
    edited = Snapshot(commit=made, tree=workspaces.tree(made))
    command = EditChange(step=asked.step, visit=asked.visit, tree=asked.tree, edited=edited)
    gates = len(scene.kernel.events(scene.run, e.GateEnded))
    scene.kernel.send(scene.run, "edit", command)
    assert scene.drive() is RunStatus.WAITING
    assert len(scene.kernel.events(scene.run, e.GateEnded)) == gates + 1
    assert scene.asking.tree == edited.tree
    assert scene.approve() is RunStatus.COMPLETED
    assert scene.tip[CODE] == "x = 'mine'\n"


def test_a_task_that_changes_nothing_but_its_file_lands_by_itself() -> None:
    files = {FILE: kanban_text(FIRST, FIRST), FIRST: task_text("Architect")}
    definition = replace(kanban_definition(), approvals=POLICY)
    scene = Scene(definition, files=files)
    scene.kernel.fakes.examiner = CodeReader(scene)
    scene.kernel.world = scene.kernel.process()
    assert scene.drive() is RunStatus.COMPLETED
    assert assessed(scene) == [("land-task", "low_risk")]
