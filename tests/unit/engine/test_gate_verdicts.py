"""What a gate's command means: only a command that worked can pass or fail."""

from datetime import timedelta

import pytest
from tests.support.kernel import GATE, Kernel, flow, stop, work

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.judgement import verdict
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult
from supervisor_ai.testing.fake_sandbox import ScriptedReply

TESTED = flow(
    work("build"), replace(stop("test", StepKind.GATE), on_fail=StepName("build"), max_retries=0)
)


@pytest.mark.parametrize(
    ("end", "exit_code", "expected"),
    [
        (SandboxEnd.EXITED, 0, Verdict.PASSED),
        (SandboxEnd.EXITED, 1, Verdict.FAILED),
        (SandboxEnd.TIMED_OUT, None, Verdict.FAILED),
        (SandboxEnd.OUTPUT_CAPPED, None, Verdict.FAILED),
        (SandboxEnd.COMMAND_MISSING, None, Verdict.NOT_RUN),
        (SandboxEnd.SANDBOX_FAILED, None, Verdict.NOT_RUN),
    ],
)
def test_an_end_has_a_verdict(end: SandboxEnd, exit_code: int | None, expected: Verdict) -> None:
    result = SandboxResult(end=end, exit_code=exit_code, reason="")
    assert verdict(result) is expected


def test_a_missing_command_ends_the_run_without_a_verdict_on_the_work() -> None:
    kernel = Kernel(None, gates=lambda _spec: None)
    run = kernel.submit(TESTED)
    assert kernel.drive(run).status is RunStatus.FAILED
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.verdict is Verdict.NOT_RUN
    assert ended.exit_code is None
    assert "No such file" in ended.reason
    (failed,) = kernel.events(run, e.RunFailed)
    assert failed.outcome.kind is OutcomeKind.GATE_FAILED


def test_a_gate_that_takes_too_long_has_failed() -> None:
    late = ScriptedReply(takes=GATE.timeout + timedelta(seconds=1))
    kernel = Kernel(None, gates=lambda _spec: late)
    run = kernel.submit(TESTED)
    kernel.drive(run)
    assert kernel.events(run, e.GateEnded)[0].verdict is Verdict.FAILED
    assert kernel.fakes.workspaces.open_paths == ()
