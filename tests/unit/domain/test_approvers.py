"""Who has to agree: by the change's complexity, and by who is there to be asked."""

from datetime import timedelta

import pytest
from tests.support.kernel import Kernel
from tests.unit.domain.crew_scene import GONE, NO, OK, Reviewers, crew, driven, optional

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Gate, Step, StepKind
from supervisor_ai.domain.run.gates import Complexity, GateKind
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import Examination
from supervisor_ai.testing.fake_worker import FakeReply

MATRIX = {
    Complexity.SIMPLE: ("ann",),
    Complexity.MEDIUM: ("ann", "bob"),
    Complexity.COMPLEX: ("ann", "bob", "cid"),
}


def matrix() -> Definition:
    return crew("ann", "bob", "cid", approvers=MATRIX)


def asked_for(kernel: Kernel) -> set[str]:
    return {at.role for at in kernel.fakes.worker.requests if at.step == "review"}


def test_a_change_that_nobody_measured_needs_all_of_them() -> None:
    kernel, run = driven(matrix(), ann=[OK], bob=[OK], cid=[OK])
    assert kernel.status(run) is RunStatus.COMPLETED
    assert asked_for(kernel) == {"ann", "bob", "cid"}


@pytest.mark.parametrize("complexity", Complexity)
def test_a_measured_change_needs_those_of_its_row(complexity: Complexity) -> None:
    given = matrix()
    gate = Gate(name="size", command=(), timeout=timedelta(1), kind=GateKind.COMPLEXITY)
    step = Step(name=StepName("measure"), kind=StepKind.GATE, gate="size", next=StepName("review"))
    build = replace(given.workflow.steps[StepName("build")], next=step.name)
    steps = {**given.workflow.steps, build.name: build, step.name: step}
    given = replace(given, workflow=replace(given.workflow, steps=steps), gates={"size": gate})
    kernel = Kernel(None, Reviewers({"ann": [OK], "bob": [OK], "cid": [OK]}))
    kernel.fakes.examiner.opinion = lambda _kind, _case: Examination(complexity=complexity)
    kernel.drive(kernel.submit(given))
    assert asked_for(kernel) == set(MATRIX[complexity])


def test_a_wait_for_somebody_who_is_not_there_is_said_at_once() -> None:
    given = optional(matrix(), "bob")
    kernel, run = driven(given, ann=[OK], bob=[GONE], cid=[OK])
    assert kernel.status(run) is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.IMPOSSIBLE_WAIT
    (rests,) = kernel.events(run, e.StepQuarantined)
    assert rests.reason.startswith("IMPOSSIBLE_WAIT: 3 of the roles")
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_two_of_three_are_enough_where_two_are_asked_for() -> None:
    given = optional(crew("ann", "bob", "cid", needed=2), "bob")
    kernel, run = driven(given, ann=[OK], bob=[GONE], cid=[OK])
    assert kernel.status(run) is RunStatus.COMPLETED


def test_one_who_is_left_cannot_be_two() -> None:
    given = optional(optional(crew("ann", "bob", "cid", needed=2), "bob"), "cid")
    kernel, run = driven(given, ann=[OK], bob=[GONE], cid=[GONE])
    assert kernel.status(run) is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    words = kernel.world.artifacts.put("Find somebody.")
    kernel.send(run, "no", Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=words))
    kernel.drive(run)
    assert (
        "Find somebody."
        in [at for at in kernel.fakes.worker.requests if at.step == "build"][1].prompt
    )


def test_a_yes_in_place_of_the_missing_does_not_silence_those_who_are_there() -> None:
    given = optional(crew("ann", "bob", "cid", needed=3), "bob")
    kernel, run = driven(given, ann=[NO], bob=[GONE], cid=[OK])
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    kernel.drive(run)
    builds = [at for at in kernel.fakes.worker.requests if at.step == "build"]
    assert len(builds) == 2


LATE = {
    Complexity.SIMPLE: ("ann",),
    Complexity.MEDIUM: ("bob", "cid"),
    Complexity.COMPLEX: ("bob", "cid"),
}


def late(**changes: object) -> Definition:
    """Make a step whose first role is not needed for a change like this one."""
    return crew("ann", "bob", "cid", approvers=LATE, **changes)  # type: ignore[arg-type]


def test_a_question_waits_also_where_the_first_role_is_not_needed() -> None:
    kernel, run = driven(late(human_approval=True), bob=[OK], cid=[OK])
    assert kernel.status(run) is RunStatus.WAITING
    kernel.drive(run)
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_missing_role_is_noticed_also_where_the_first_is_not_needed() -> None:
    kernel, run = driven(optional(late(human_approval=True), "bob"), bob=[GONE], cid=[OK])
    kernel.drive(run)
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.IMPOSSIBLE_WAIT
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.WAITING
    assert kernel.events(run, e.ApprovalRequested)[-1].reason == ApprovalReason.HUMAN_GATE


def test_nobody_is_asked_while_others_still_work() -> None:
    slow = replace(OK, takes=timedelta(minutes=1))
    kernel, run = driven(optional(late(), "bob"), bob=[GONE], cid=[slow])
    types = kernel.types(run)
    assert types.index("ApprovalRequested") > types.index("AttemptSucceeded")
    (asked,) = kernel.events(run, e.ApprovalRequested)
    words = kernel.world.artifacts.put("Find somebody.")
    kernel.send(run, "no", Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=words))
    assert kernel.drive(run).status is RunStatus.WAITING


BROKEN = FakeReply(output="no answer")


def test_an_approver_that_cannot_answer_is_one_less_to_count_on() -> None:
    kernel, run = driven(late(), bob=[BROKEN], cid=[OK])
    assert kernel.status(run) is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.IMPOSSIBLE_WAIT
    kernel, run = driven(crew("ann", "bob", "cid", needed=2), ann=[OK], bob=[BROKEN], cid=[OK])
    assert kernel.status(run) is RunStatus.COMPLETED
