"""Reviews that go round in circles rest until a person decides."""

import pytest
from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.gates import Concern
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.review_loops import Round, Rounds, find_review_loop, record_round
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

POLICY = LoopPolicy()
A = Concern(file="f1", words=(1, 2, 3, 4))
A_AGAIN = Concern(file="f1", words=(1, 2, 3, 9))
ELSEWHERE = Concern(file="f2", words=(1, 2, 3, 4))
NOWHERE = Concern(file="", words=(1, 2, 3, 4))
OTHER = Concern(file="f1", words=(7, 8, 9))
SILENT = Concern(file="f1", words=())


def rounds(*concerns: tuple[Concern, ...]) -> Rounds:
    return tuple(Round(visit=number, concerns=at) for number, at in enumerate(concerns, start=1))


@pytest.mark.parametrize(
    ("said", "is_loop"),
    [
        (rounds((A,), (A,), (A,)), True),
        (rounds((A,), (OTHER, A_AGAIN), (A,)), True),
        (rounds((A,), (NOWHERE,), (A,)), True),
        (rounds((SILENT,), (SILENT,), (SILENT,)), True),
        (rounds((A,), (A,)), False),
        (rounds((A,), (ELSEWHERE,), (A,)), False),
        (rounds((A, OTHER), (OTHER,), (A,)), False),
        (rounds((A,), (), (A,)), False),
        (rounds(), False),
    ],
)
def test_the_same_finding_in_three_rounds_is_a_loop(said: Rounds, *, is_loop: bool) -> None:
    assert (find_review_loop(said, POLICY) is not None) is is_loop


def new(number: int) -> Concern:
    return Concern(file=str(number), words=(number,))


def test_ever_new_findings_are_a_loop_too() -> None:
    said = rounds((new(1),), (new(2),), (new(3),), (new(4),))
    assert "not fewer" in (find_review_loop(said, POLICY) or "")
    assert find_review_loop(said[1:], POLICY) is None


def test_fewer_findings_are_progress() -> None:
    said = rounds((new(1), new(2)), (new(3), new(4)), (new(5),), (new(6),))
    assert find_review_loop(said, POLICY) is None


def test_reviewers_of_one_visit_speak_in_one_round() -> None:
    said = record_round(record_round((), 1, (A,)), 1, (OTHER,))
    assert said == (Round(visit=1, concerns=(A, OTHER)),)
    assert len(record_round(said, 2, ())) == 2


class Stubborn:
    """Objects to the same thing as often as it is asked, until it has had enough."""

    def __init__(self, times: int) -> None:
        self.times, self.built = times, 0

    def __call__(self, request: WorkerRequest) -> FakeReply:
        if request.role != AnswerKind.REVIEW:
            self.built += 1
            done = says(AnswerKind.IMPLEMENTATION)
            return FakeReply(output=done, files={"x": f"version {self.built}"})
        self.times -= 1
        if self.times < 0:
            return FakeReply(output=says(AnswerKind.REVIEW))
        issue = {"file": "a.py", "severity": "major", "message": "The lock is never released."}
        return FakeReply(output=says(AnswerKind.REVIEW, "CHANGES_REQUESTED", issues=[issue]))


def quarantined(times: int = 3) -> tuple[Kernel, RunId]:
    review = replace(work("review", AnswerKind.REVIEW), on_reject=StepName("build"))
    kernel = Kernel(None, Stubborn(times))
    run = kernel.submit(flow(work("build"), review))
    assert kernel.drive(run).status is RunStatus.WAITING
    return kernel, run


def test_a_review_that_gets_nowhere_rests_until_a_person_decides() -> None:
    kernel, run = quarantined()
    (rests,) = kernel.events(run, e.StepQuarantined)
    assert "the same thing in 3 rounds" in rests.reason
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.REVIEW_LOOP
    assert asked.question is not None
    assert "never released" in kernel.world.artifacts.get(asked.question)


def test_a_person_can_overrule_the_reviewers() -> None:
    kernel, run = quarantined()
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_person_can_tell_the_worker_and_the_counting_begins_anew() -> None:
    kernel, run = quarantined(times=5)
    (asked,) = kernel.events(run, e.ApprovalRequested)
    words = kernel.world.artifacts.put("Use a context manager.")
    kernel.send(run, "no", Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=words))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.StepQuarantined)) == 1
    prompts = [at.prompt for at in kernel.fakes.worker.requests if at.step == "build"]
    assert "Use a context manager." in prompts[3]
