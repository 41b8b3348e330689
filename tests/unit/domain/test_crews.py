"""Several roles at one step, and steps that a person signs off."""

from datetime import timedelta

import pytest
from tests.support.kernel import Kernel, flow, stop, work
from tests.unit.domain.crew_scene import (
    BUILD,
    BUILT,
    GONE,
    NO,
    OK,
    Reviewers,
    crew,
    driven,
    optional,
)

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, Step, StepKind, StepWord
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, FeedbackKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import Reading
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply

BUSY = FakeReply(
    diagnosis=Diagnosis(
        message="Limit.", category=FailureCategory.LIMIT, action=Action.PARK, reset_at=None
    )
)


def outcome(kernel: Kernel, run: RunId) -> OutcomeKind:
    (failed,) = kernel.events(run, e.RunFailed)
    return failed.outcome.kind


def test_all_roles_work_at_the_same_time_and_all_must_agree() -> None:
    kernel, run = driven(crew("ann", "bob"), ann=[OK], bob=[OK])
    assert kernel.status(run) is RunStatus.COMPLETED
    types = [name for name in kernel.types(run) if name.startswith("Attempt")]
    assert types[2:] == ["AttemptStarted", "AttemptStarted", "AttemptSucceeded", "AttemptSucceeded"]
    started = kernel.events(run, e.AttemptStarted)[1:]
    assert [(at.role, at.slot) for at in started] == [("ann", 1), ("bob", 2)]


def test_what_all_who_reject_say_goes_back() -> None:
    kernel, run = driven(crew("ann", "bob", "cid"), ann=[NO, OK], bob=[OK], cid=[NO, OK])
    assert kernel.status(run) is RunStatus.COMPLETED
    back = kernel.events(run, e.StepEntered)[2].feedback
    assert [(told.kind, told.source) for told in back] == [
        (FeedbackKind.REVIEW, "ann"),
        (FeedbackKind.REVIEW, "cid"),
    ]


@pytest.mark.parametrize(
    ("needed", "answers", "passes"),
    [
        (None, [OK, NO, OK], False),
        (2, [OK, NO, OK], True),
        (2, [OK, NO, NO], False),
        (1, [NO, NO, OK], True),
    ],
)
def test_agreement_is_counted(
    needed: int | None, answers: list[FakeReply], *, passes: bool
) -> None:
    given = crew("ann", "bob", "cid", needed=needed, max_retries=0)
    ann, bob, cid = answers
    kernel, run = driven(given, ann=[ann], bob=[bob], cid=[cid])
    assert (kernel.status(run) is RunStatus.COMPLETED) is passes


def test_each_role_is_tried_again_by_itself() -> None:
    garbled = FakeReply(output="what?")
    kernel, run = driven(crew("ann", "bob"), ann=[garbled, OK], bob=[OK])
    assert kernel.status(run) is RunStatus.COMPLETED
    attempts = [(at.role, at.slot, at.attempt) for at in kernel.events(run, e.AttemptStarted)[1:]]
    assert sorted(attempts) == [("ann", 1, 1), ("ann", 1, 2), ("bob", 2, 1)]


def test_one_role_that_fails_for_good_ends_the_run() -> None:
    garbled = FakeReply(output="what?")
    slow = replace(OK, takes=timedelta(hours=1))
    kernel, run = driven(crew("ann", "bob"), ann=[garbled], bob=[slow])
    assert outcome(kernel, run) is OutcomeKind.WORKER_FAILED
    assert len(kernel.events(run, e.AttemptCancelled)) == 1


def test_one_that_waits_for_a_limit_does_not_stop_the_others() -> None:
    kernel, run = driven(crew("ann", "bob"), ann=[BUSY, OK], bob=[OK])
    assert kernel.status(run) is RunStatus.WAITING
    assert len(kernel.events(run, e.AttemptSucceeded)) == 2
    kernel.fakes.clock.advance(timedelta(days=1))
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_role_that_can_be_missed_is_not_counted() -> None:
    given = optional(crew("ann", "bob"), "ann")
    kernel, run = driven(given, ann=[GONE], bob=[OK])
    assert kernel.status(run) is RunStatus.COMPLETED
    assert kernel.events(run, e.StepSkipped) == []
    kernel, run = driven(optional(given, "bob"), ann=[GONE], bob=[GONE])
    assert kernel.status(run) is RunStatus.COMPLETED
    (skipped,) = kernel.events(run, e.StepSkipped)
    assert skipped.reason == "Gone."


def test_a_person_is_asked_about_one_role_at_a_time() -> None:
    kernel, run = driven(crew("ann", "bob"), ann=[GONE, OK], bob=[GONE, OK])
    assert kernel.status(run) is RunStatus.WAITING
    for number in (1, 2):
        asked = kernel.events(run, e.ApprovalRequested)
        assert [at.slot for at in asked] == [1, 2][:number]
        kernel.send(run, f"yes {number}", approve(kernel, run))
        kernel.drive(run)
    assert kernel.status(run) is RunStatus.COMPLETED


def test_others_go_on_while_a_person_is_asked() -> None:
    late = replace(OK, takes=timedelta(minutes=5))
    kernel, run = driven(crew("ann", "bob"), ann=[GONE, OK], bob=[late])
    assert kernel.status(run) is RunStatus.WAITING
    assert len(kernel.events(run, e.AttemptSucceeded)) == 2
    kernel.send(run, "no", reject(kernel, run))
    kernel.drive(run)
    assert outcome(kernel, run) is OutcomeKind.BLOCKED


def test_a_crew_survives_the_death_of_its_owner() -> None:
    class Killed(BaseException):
        pass

    def dies(request: WorkerRequest) -> FakeReply:
        if request.role == "bob" and request.attempt == 1:
            raise Killed
        return OK if request.role in {"ann", "bob"} else BUILT

    kernel = Kernel(None, dies)
    run = kernel.submit(crew("ann", "bob"))
    with pytest.raises(Killed):
        kernel.drive(run)
    assert kernel.drive(run).status is RunStatus.COMPLETED


# People


def approve(kernel: Kernel, run: RunId) -> Approve:
    asked = kernel.events(run, e.ApprovalRequested)[-1]
    return Approve(step=asked.step, visit=asked.visit, tree=asked.tree)


def reject(kernel: Kernel, run: RunId) -> Reject:
    asked = kernel.events(run, e.ApprovalRequested)[-1]
    note = kernel.world.artifacts.put("No.")
    return Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)


def signed(kind: StepWord) -> Definition:
    step = work("x") if kind == StepKind.ROLE else stop("x", kind)
    return flow(work("build"), replace(step, human_approval=True, on_reject=BUILD))


@pytest.mark.parametrize("kind", [StepKind.ROLE, StepKind.GATE, StepKind.COMMIT])
def test_a_step_is_signed_off(kind: StepWord) -> None:
    replies = {AnswerKind.IMPLEMENTATION: [replace(BUILT, files={"a": "1"})]}
    kernel, run = driven(signed(kind), **replies)
    assert kernel.status(run) is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.HUMAN_GATE
    assert kernel.events(run, e.IntegrationLanded) == []
    kernel.send(run, "yes", approve(kernel, run))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.ApprovalRequested)) == 1


@pytest.mark.parametrize("kind", [StepKind.ROLE, StepKind.GATE, StepKind.COMMIT])
def test_a_step_that_a_person_refuses_goes_back(kind: StepWord) -> None:
    kernel, run = driven(signed(kind))
    kernel.send(run, "no", reject(kernel, run))
    assert kernel.drive(run).status is RunStatus.WAITING
    entered = kernel.events(run, e.StepEntered)[2]
    assert (entered.step, entered.feedback[0].kind) == (BUILD, FeedbackKind.PERSON)
    kernel.send(run, "yes", approve(kernel, run))
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_step_that_nobody_did_is_signed_off_all_the_same() -> None:
    given = optional(crew("ann", "bob", human_approval=True), "ann")
    kernel, run = driven(optional(given, "bob"), ann=[GONE], bob=[GONE])
    assert kernel.status(run) is RunStatus.WAITING
    kernel.send(run, "yes", approve(kernel, run))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.StepSkipped)) == 1


def test_what_judges_nothing_is_done_again_when_a_person_refuses_it() -> None:
    step = replace(work("build"), human_approval=True)
    kernel, run = driven(flow(step))
    kernel.send(run, "no", reject(kernel, run))
    assert kernel.drive(run).status is RunStatus.WAITING
    again = kernel.events(run, e.StepEntered)[1]
    assert (again.step, again.feedback[0].kind) == (BUILD, FeedbackKind.PERSON)


def test_a_step_has_words_of_its_own() -> None:
    step: Step = replace(work("build"), instructions="Write the test first.")
    kernel = Kernel(None, Reviewers({}))
    kernel.drive(kernel.submit(flow(step)))
    (request,) = kernel.fakes.worker.requests
    assert "Write the test first." in request.prompt


def test_a_gate_can_be_mere_advice() -> None:
    def red(spec: SandboxSpec) -> ScriptedReply:
        del spec
        return ScriptedReply(output=((Channel.STDOUT, b"red"),), exit_code=1)

    given = flow(work("build"), stop("test", StepKind.GATE))
    gates = {name: replace(gate, is_advisory=True) for name, gate in given.gates.items()}
    kernel = Kernel(None, Reviewers({}), red)
    run = kernel.submit(replace(given, gates=gates))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.verdict.value == "warned"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [("3 passed in 0.1s", "passed"), ("2 passed in 0.1s", "failed"), ("fine", "failed")],
)
def test_a_gate_can_want_so_many_tests(said: str, verdict: str) -> None:
    def runner(spec: SandboxSpec) -> ScriptedReply:
        del spec
        return ScriptedReply(output=((Channel.STDOUT, said.encode()),))

    given = flow(work("build"), stop("test", StepKind.GATE))
    gates = {name: replace(gate, min_tests=3) for name, gate in given.gates.items()}
    kernel = Kernel(None, Reviewers({}), runner)
    counts = {f"{number} passed": Reading(tool="pytest", tests=number) for number in (2, 3)}
    kernel.fakes.examiner.readings.update(counts)
    run = kernel.submit(replace(given, gates=gates))
    kernel.drive(run)
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.verdict.value == verdict
