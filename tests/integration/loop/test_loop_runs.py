"""Loops in memory: the remit, node by node, with roles that act as a test says."""

import pytest
from tests.support.kernel import GATE
from tests.support.loop_scene import (
    Act,
    Scene,
    assess,
    judge,
    loop_definition,
    plan,
    section,
    sections,
    work,
)

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.briefs import TOKENS, characters
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply

ONE = ["task_planner", "implementor", "qa", "mark_complete"]


def times(*acts: Act) -> Act:
    """Act in one way after the other, and then always in the last."""
    left = list(acts)

    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        return (left.pop(0) if len(left) > 1 else left[0])(scene, request)

    return act


def says(output: str, **files: str) -> Act:
    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del scene, request
        return FakeReply(output=output, files=files)

    return act


def outcomes(scene: Scene) -> list[str]:
    return [it.outcome.value for it in scene.events(k.TaskMarked)]


def test_a_remit_goes_from_node_to_node_until_it_is_complete() -> None:
    scene = Scene(tasks=2, milestones=2)
    assert scene.drive() is RunStatus.COMPLETED
    milestone = [*ONE, *ONE, "task_planner", "run_supervisors", "assessor"]
    assert scene.nodes == ["scope_agent", *milestone, *milestone, "polish", "report"]
    (ended,) = scene.events(e.RunCompleted)
    assert ended.outcome.reason == "The remit is complete: 4 tasks completed, 2 of 2 milestones."


def test_each_task_that_qa_lets_pass_is_one_commit() -> None:
    scene = Scene(tasks=3)
    scene.drive()
    landed = [it for it in scene.events(e.IntegrationLanded) if it.step == "mark_complete"]
    assert [it.commit for it in landed] == [it.commit for it in scene.events(k.TaskMarked)]
    names = [scene.text(it.text) for it in scene.state.book.done_list]
    assert names == ["Part 1", "Part 2", "Part 3"]
    assert {name for name in scene.tip if name.startswith("part_")} == {
        *("part_3.py", "part_6.py", "part_9.py")
    }


def test_a_task_that_changes_nothing_is_done_without_a_commit() -> None:
    scene = Scene(loop_implementor=says(work()))
    assert scene.drive() is RunStatus.COMPLETED
    assert outcomes(scene) == ["done"]
    assert scene.events(e.IntegrationLanded) == []


def test_what_qa_rejects_is_planned_again_with_its_words() -> None:
    scene = Scene(loop_qa=times(says(judge("fail", "It lacks a test.")), says(judge())))
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.nodes[1:8] == [*ONE[:3], *ONE]
    again = scene.requests("task_planner")[1]
    assert "Attempt 1 failed (qa):\nIt lacks a test." in section(again, "TASK")
    (marked,) = scene.events(k.TaskMarked)
    assert (marked.attempts, marked.qa_failures, marked.outcome.value) == (2, 1, "done")


def test_a_task_is_given_up_after_three_attempts_and_nothing_of_it_is_kept() -> None:
    scene = Scene(loop_definition(LoopRules(max_tasks=1)), loop_qa=says(judge("fail", "Not so.")))
    assert scene.drive() is RunStatus.FAILED
    assert outcomes(scene) == ["failed"]
    assert scene.nodes.count("implementor") == 3
    assert scene.nodes[-4:] == ["qa", "mark_failed", "assessor", "report"]
    assert scene.branch not in scene.kernel.fakes.workspaces.branches
    assert scene.reason() == (
        "The remit is not complete after 1 task: 0 tasks completed, 0 of 1 milestones."
    )


def test_an_abort_lets_the_design_supervisor_look_before_the_assessor() -> None:
    gives_up = says(plan("abort", "There is no such service"))
    scene = Scene(task_planner=times(gives_up, Scene.plans))
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.nodes[1:5] == ["task_planner", "mark_failed", "run_supervisors", "assessor"]
    # An abort is worth 1.0, so that everybody looks.
    looks = ["code_style_supervisor", "design_supervisor", "internaliser"]
    assert scene.asked[2:5] == looks
    assert "Escalated by planner at task 1: There is no such service" in section(
        scene.requests("assessor")[0], "SUPERVISOR RUN LOG"
    )
    assert outcomes(scene) == ["aborted", "done"]


def test_a_skipped_task_is_complete_without_work() -> None:
    scene = Scene(task_planner=times(says(plan("skip", "It is there")), Scene.plans))
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.nodes[1:4] == ["task_planner", "mark_complete", "task_planner"]
    assert outcomes(scene) == ["skipped", "done"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (FakeReply(output=work(created=["a.py"])), "'a.py' is reported and is not there."),
        (
            FakeReply(output=work(created=["a.py"]), files={"a.py": ""}),
            "'a.py' is reported as created and is empty.",
        ),
    ],
)
def test_files_that_are_missing_or_empty_fail_without_a_model(reply: FakeReply, told: str) -> None:
    scene = Scene(loop_implementor=times(lambda scene, request: reply, Scene.works))
    assert scene.drive() is RunStatus.COMPLETED
    (setback,) = scene.events(k.TaskSetBack)
    assert (setback.found_by.value, scene.text(setback.feedback)) == ("files", told)
    assert scene.asked[:4] == ["scope_agent", "task_planner", "loop_implementor", "task_planner"]


@pytest.mark.parametrize("status", ["FAILED", "BLOCKED"])
def test_work_that_says_itself_that_it_is_not_done_goes_back_to_the_planner(status: str) -> None:
    act = says(work(status, blockers=["No network."]))
    scene = Scene(loop_implementor=times(act, Scene.works))
    assert scene.drive() is RunStatus.COMPLETED
    (setback,) = scene.events(k.TaskSetBack)
    assert setback.found_by.value == "worker"
    asked = scene.state.book.escalation_context
    assert [it.source for it in asked] == (["implementor"] if status == "BLOCKED" else [])


def test_a_gate_that_fails_is_heard_by_the_planner_and_qa_is_not_asked() -> None:
    verdicts = [1, 0]

    def gates(spec: SandboxSpec) -> ScriptedReply:
        del spec
        code = verdicts.pop(0) if verdicts else 0
        return ScriptedReply(exit_code=code, output=((Channel.STDOUT, b"2 failed"),))

    scene = Scene(loop_definition(gate=GATE), gates=gates)
    assert scene.drive() is RunStatus.COMPLETED
    (setback,) = scene.events(k.TaskSetBack)
    assert setback.found_by.value == "gates"
    assert "2 failed" in section(scene.requests("task_planner")[1], "TASK")
    assert scene.asked.count("loop_qa") == 1


def test_an_implementor_that_cannot_work_is_a_failed_attempt() -> None:
    broken: Act = lambda scene, request: FakeReply(output="I am done.")  # noqa: E731 - a script
    scene = Scene(loop_implementor=times(*[broken] * 4, Scene.works))
    assert scene.drive() is RunStatus.COMPLETED
    assert [it.found_by.value for it in scene.events(k.TaskSetBack)] == ["worker"]


def test_a_planner_that_cannot_answer_ends_the_run() -> None:
    scene = Scene(task_planner=says("I do not know."))
    assert scene.drive() is RunStatus.FAILED
    (failed,) = scene.events(e.RunFailed)
    assert failed.outcome.kind is OutcomeKind.WORKER_FAILED


def test_the_assessor_looks_after_five_tasks_and_supervisors_look_before_it() -> None:
    scene = Scene(tasks=5)
    scene.drive()
    marked = [at for at, node in enumerate(scene.nodes) if node == "mark_complete"]
    after_third, after_fifth = scene.nodes[marked[2] + 1], scene.nodes[marked[4] + 1 :]
    assert after_third == "run_supervisors"
    assert after_fifth[:3] == ["run_supervisors", "assessor", "task_planner"]


def test_minor_drift_drops_the_plan_and_leaves_a_hint() -> None:
    drift = says(assess("minor_drift", "Mind the API."))
    carried = says(plan(carry_forward=["Then this", "Then that"]))
    scene = Scene(
        loop_definition(LoopRules(review_interval=1), supervisors=()),
        task_planner=times(carried, Scene.plans),
        assessor=times(drift, Scene.assesses),
    )
    assert scene.drive() is RunStatus.COMPLETED
    told = section(scene.requests("task_planner")[1], "CURRENT MILESTONE")
    assert "Then this" not in told
    assert "Correction by the assessor: Mind the API." in told
    later = section(scene.requests("task_planner")[2], "CURRENT MILESTONE")
    assert "Correction" not in later


def test_what_is_carried_forward_is_shown_to_the_next_round() -> None:
    carried = says(plan(carry_forward=["Then this", "Then that"]))
    scene = Scene(task_planner=times(carried, Scene.plans))
    scene.drive()
    told = section(scene.requests("task_planner")[1], "CURRENT MILESTONE")
    assert told.endswith("Planned next, in this order:\n- Then this\n- Then that")


def test_major_divergence_scopes_anew_and_keeps_what_is_reached() -> None:
    scene = Scene(
        milestones=2,
        assessor=times(
            says(assess("milestone_complete")),
            says(assess("major_divergence", "The API is gone.")),
            Scene.assesses,
        ),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.nodes.count("scope_agent") == 2
    again = scene.requests("scope_agent")[1]
    assert "Correction by the assessor: The API is gone." in section(again, "CURRENT MILESTONE")
    # The design supervisor looks before the work is scoped anew.
    at = scene.nodes.index("scope_agent", 1)
    assert scene.nodes[at - 2 : at] == ["assessor", "run_supervisors"]
    assert len(scene.state.book.milestones) == 3
    assert scene.state.book.active_milestone_index == 3


def test_a_claim_that_is_not_believed_counts_as_a_task() -> None:
    scene = Scene(
        loop_definition(LoopRules(max_tasks=3), supervisors=()),
        task_planner=says(plan("milestone_done", "It is all there")),
        assessor=says(assess("aligned")),
    )
    assert scene.drive() is RunStatus.FAILED
    (failed,) = scene.events(e.RunFailed)
    assert failed.outcome.kind is OutcomeKind.LIMITS_EXCEEDED
    assert scene.nodes.count("task_planner") == 3


def test_the_limit_of_tasks_ends_the_loop_with_a_report() -> None:
    scene = Scene(loop_definition(LoopRules(max_tasks=2)), tasks=9)
    assert scene.drive() is RunStatus.FAILED
    assert scene.nodes[-1] == "report"
    assert outcomes(scene) == ["done", "done"]
    (written,) = scene.events(k.WorkReportWritten)
    assert "- [ ] Milestone 1" in scene.text(written.report)


def test_the_planner_is_told_in_the_order_of_the_seed() -> None:
    scene = Scene(tasks=4)
    scene.drive()
    told = sections(scene.requests("task_planner")[3])
    assert list(told) == [
        "PROJECT CONTEXT",
        "CURRENT MILESTONE",
        "COMPLETED WORK",
        "SUPERVISOR RUN LOG",
    ]
    assert told["COMPLETED WORK"].splitlines()[0] == "task_1 (done): Part 1 - Did it."


@pytest.mark.parametrize(
    ("role", "node"),
    [("task_planner", "task_planner"), ("loop_qa", "qa"), ("assessor", "assessor")],
)
def test_no_role_is_told_more_than_its_budget(role: str, node: str) -> None:
    long = "word " * 80

    def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
        done = scene.plans(request)
        return FakeReply(output=done.output.replace('"Like so."', '"' + "how " * 1400 + '"'))

    def works(scene: Scene, request: WorkerRequest) -> FakeReply:
        done = scene.works(request)
        (name,) = done.files
        return FakeReply(
            output=work(created=[name], summary=long), files={name: "x = 1  # long\n" * 9000}
        )

    scene = Scene(tasks=8, task_planner=plans, loop_implementor=works)
    scene.drive()
    for request in scene.requests(role):
        told = sum(len(text) for text in sections(request).values())
        assert told <= characters(next(it for at, it in TOKENS.items() if at == node))


def test_qa_sees_what_was_done_for_the_task_alone() -> None:
    scene = Scene(tasks=2)
    scene.drive()
    change = section(scene.requests("loop_qa")[1], "CHANGE")
    assert "The implementor reports: Did it." in change
    assert "part_6.py" in change
    assert "part_3.py" not in change


def test_a_task_that_failed_is_seen_to_before_a_milestone_is_done() -> None:
    def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
        if section(request, "TASK") and scene.asked.count("task_planner") == 2:
            return FakeReply(output=plan("milestone_done", "It is all there"))
        return scene.plans(request)

    scene = Scene(task_planner=plans, loop_qa=times(says(judge("fail", "Not so.")), says(judge())))
    assert scene.drive() is RunStatus.COMPLETED
    (failed,) = scene.events(e.AttemptFailed)
    assert "The TASK that is shown has failed" in failed.reason
    assert outcomes(scene) == ["done"]
