"""Performing a gate: its command, in a sandbox without network, on a snapshot."""

from typing import assert_never

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.counted_tests import count_tests
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.events import GateEnded
from supervisor_ai.domain.run.status import FailureCategory, Verdict
from supervisor_ai.engine.effects.operation import Operation
from supervisor_ai.engine.effects.site import Site, gate_plan, set_up
from supervisor_ai.engine.ports.sandbox import (
    BEYOND_LIMITS,
    Profile,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.engine.transcript import Transcript


async def perform_gate(effect: RunGate, operation: Operation) -> GateEnded:
    """Run the command on the snapshot's files and say what it means."""
    workspace = await operation.world.workspaces.open(
        operation.run.id,
        operation.key,
        fence=operation.epoch,
        start=effect.snapshot,
        plan=gate_plan(effect),
    )
    site = Site(operation=operation, effect=effect, workspace=workspace, attempt=None)
    transcript = operation.transcript(effect.step, None)
    try:
        result = await set_up(site) or await _run(effect, operation, workspace, transcript)
        await operation.world.workspaces.close(workspace)
        return _judge(effect, operation, result, transcript)
    finally:
        transcript.abandon()


async def _run(
    effect: RunGate, operation: Operation, workspace: Workspace, transcript: Transcript
) -> SandboxResult:
    spec = SandboxSpec(
        label=operation.key,
        fence=operation.epoch,
        profile=Profile.EXECUTOR,
        argv=effect.gate.command,
        cwd=workspace.path,
        mounts=workspace.mounts,
        environment=workspace.environment,
        ro_paths=effect.sandbox.ro_paths,
        caches=effect.sandbox.caches,
        limits=effect.sandbox.executor,
        timeout=effect.gate.timeout,
        output_bytes=effect.output_bytes,
    )
    return await operation.world.sandbox.run(spec, transcript.write)


def _judge(
    effect: RunGate, operation: Operation, result: SandboxResult, transcript: Transcript
) -> GateEnded:
    output = transcript.finish()
    found, reason = _counted(effect, operation, result, output)
    is_advice = effect.gate.is_advisory and found is not Verdict.PASSED
    return GateEnded(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        gate=effect.gate.name,
        verdict=Verdict.WARNED if is_advice else found,
        reason=reason,
        output=output,
        exit_code=result.exit_code,
        category=FailureCategory.RESOURCE if result.end in BEYOND_LIMITS else None,
        limits=result.limits,
    )


def _counted(
    effect: RunGate, operation: Operation, result: SandboxResult, output: ArtifactHash
) -> tuple[Verdict, str]:
    """Judge the command, and whether it ran as many tests as are wanted."""
    found, least = verdict(result), effect.gate.min_tests
    if found is not Verdict.PASSED or least is None:
        return found, _reason(result)
    counted = count_tests(operation.world.artifacts.get(output))
    if counted is not None and counted >= least:
        return found, f"{_reason(result)} It ran {counted} tests."
    ran = "no test that can be counted" if counted is None else f"{counted}"
    return Verdict.FAILED, f"At least {least} tests are wanted; it ran {ran}."


def verdict(result: SandboxResult) -> Verdict:
    """Judge a command; one that did not work at all neither passed nor failed."""
    match result.end:
        case SandboxEnd.EXITED:
            return Verdict.PASSED if result.exit_code == 0 else Verdict.FAILED
        case (
            SandboxEnd.TIMED_OUT
            | SandboxEnd.IDLE
            | SandboxEnd.OUTPUT_CAPPED
            | SandboxEnd.LIMIT_EXCEEDED
            | SandboxEnd.CUT_OFF
        ):
            return Verdict.FAILED
        case SandboxEnd.COMMAND_MISSING | SandboxEnd.SANDBOX_FAILED:
            return Verdict.NOT_RUN
        case _:
            assert_never(result.end)


def _reason(result: SandboxResult) -> str:
    if result.end is SandboxEnd.EXITED:
        return f"The command exited with code {result.exit_code}."
    return result.reason
