"""The ends that a script can have besides an exit code."""

import asyncio
from datetime import timedelta
from pathlib import Path

from supervisor_ai.domain.run.definition import WORKER_LIMITS
from supervisor_ai.domain.run.values import EgressRefusal, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Egress,
    Profile,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox

REFUSAL = EgressRefusal(host="evil.test", port=443, reason="host-not-listed")
SPEC = SandboxSpec(
    label="run-1/step",
    profile=Profile.WORKER,
    argv=("agent",),
    cwd=Path("/work"),
    mounts=(),
    timeout=timedelta(minutes=5),
    output_bytes=100,
    limits=replace(WORKER_LIMITS, idle_timeout=timedelta(minutes=1)),
)


def play(reply: ScriptedReply, spec: SandboxSpec = SPEC) -> SandboxResult:
    async def sleep(_: float) -> None:
        """Let time pass."""

    sandbox = ScriptedSandbox(lambda _: reply, sleep=sleep)
    return asyncio.run(sandbox.run(spec, lambda *_: None))


def test_who_is_silent_for_too_long_is_idle() -> None:
    result = play(ScriptedReply(takes=timedelta(minutes=2)))
    assert result.end is SandboxEnd.IDLE
    assert "`sandbox.limits.worker.idle_timeout`" in result.reason


def test_time_may_run_out_before_the_silence_is_too_long() -> None:
    hurried = replace(SPEC, timeout=timedelta(seconds=5))
    assert play(ScriptedReply(takes=timedelta(hours=1)), hurried).end is SandboxEnd.TIMED_OUT


def test_a_limit_ends_a_command() -> None:
    result = play(ScriptedReply(limit="memory"))
    assert (result.end, result.exit_code) == (SandboxEnd.LIMIT_EXCEEDED, None)
    assert "`sandbox.limits.worker.memory`" in result.reason


def test_refusals_are_told_where_somebody_listens() -> None:
    told: list[EgressRefusal] = []
    reply = ScriptedReply(refusals=(REFUSAL,))
    play(reply)
    play(reply, replace(SPEC, egress=Egress(on_refusal=told.append)))
    assert told == [REFUSAL]


def test_who_spends_too_much_is_cut_off() -> None:
    reply = ScriptedReply(usage=Usage(tokens_in=6, tokens_out=4))
    ends = []
    for tokens in (None, 11, 10):
        result = play(reply, replace(SPEC, egress=Egress(on_refusal=print, tokens=tokens)))
        assert result.usage == reply.usage
        ends.append(result.end)
    assert ends == [SandboxEnd.EXITED, SandboxEnd.EXITED, SandboxEnd.CUT_OFF]
