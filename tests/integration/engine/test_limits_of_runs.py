"""Where a run stops by itself: retries, steps, time."""

from datetime import timedelta

from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import flow, stop, work

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Limits, StepKind
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

DONE = says(AnswerKind.IMPLEMENTATION)


def build(request: WorkerRequest) -> FakeReply:
    return FakeReply(output=DONE, files={"built.txt": f"visit {request.visit}"})


def fails(spec: SandboxSpec) -> ScriptedReply:
    del spec
    return ScriptedReply(exit_code=1)


def test_a_deadline_ends_the_run_and_keeps_what_there_is(open_kernel: OpenKernel) -> None:
    def slow(request: WorkerRequest) -> FakeReply:
        return replace(build(request), takes=timedelta(minutes=30))

    kernel = open_kernel(slow)
    limit = timedelta(minutes=10)
    run = kernel.submit(flow(work("build"), limits=Limits(workflow_timeout=limit)))
    assert kernel.drive(run).status is RunStatus.FAILED
    (ended,) = kernel.events(run, e.RunFailed)
    assert ended.outcome.kind is OutcomeKind.LIMITS_EXCEEDED
    first, last = kernel.envelopes(run)[0], kernel.envelopes(run)[-1]
    assert limit <= last.recorded_at - first.recorded_at < limit + timedelta(seconds=1)
    assert f"refs/supervisor/{run}/build/1.1.1" in kernel.fakes.workspaces.refs


def test_a_run_does_not_visit_steps_for_ever(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build, fails)
    gate = replace(stop("test", StepKind.GATE), on_fail=StepName("build"), max_retries=99)
    run = kernel.submit(flow(work("build"), gate, limits=Limits(workflow_max_steps=7)))
    assert kernel.drive(run).status is RunStatus.FAILED
    (ended,) = kernel.events(run, e.RunFailed)
    assert ended.outcome.kind is OutcomeKind.LIMITS_EXCEEDED
    assert len(kernel.events(run, e.StepEntered)) == 7


def test_a_failed_gate_goes_back_with_its_output(open_kernel: OpenKernel) -> None:
    def mended(spec: SandboxSpec) -> ScriptedReply:
        if spec.label.split("/")[2] == "2":
            return ScriptedReply()
        return ScriptedReply(output=((Channel.STDOUT, b"1 failed"),), exit_code=1)

    kernel = open_kernel(build, mended)
    gate = replace(stop("test", StepKind.GATE), on_fail=StepName("build"))
    run = kernel.submit(flow(work("build"), gate, stop("commit", StepKind.COMMIT)))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    verdicts = [ended.verdict for ended in kernel.events(run, e.GateEnded)]
    assert verdicts == [Verdict.FAILED, Verdict.PASSED]
    first, second = kernel.fakes.worker.requests
    assert "1 failed" not in first.prompt
    assert "1 failed" in second.prompt
    assert second.workspace.start == kernel.events(run, e.AttemptSucceeded)[0].snapshot.commit


def test_a_worker_is_tried_as_often_as_its_step_allows(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(lambda _request: FakeReply(output="no json"))
    run = kernel.submit(flow(replace(work("build"), max_retries=2)))
    assert kernel.drive(run).status is RunStatus.FAILED
    assert len(kernel.events(run, e.AttemptFailed)) == 3
    (ended,) = kernel.events(run, e.RunFailed)
    assert ended.outcome.kind is OutcomeKind.WORKER_FAILED


def test_a_worker_that_takes_too_long_failed(open_kernel: OpenKernel) -> None:
    def slow(request: WorkerRequest) -> FakeReply:
        is_first = request.attempt == 1
        return FakeReply(output=DONE, takes=timedelta(hours=1) if is_first else timedelta())

    kernel = open_kernel(slow)
    run = kernel.submit(flow(replace(work("build"), timeout=timedelta(minutes=1))))
    assert kernel.drive(run).status is RunStatus.RUNNING
    kernel.fakes.clock.advance(timedelta(minutes=5))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert failed.reason == "The worker was out of time."
