import asyncio
from datetime import timedelta
from pathlib import Path

from supervisor_ai.engine.ports.sandbox import Profile, SandboxEnd, SandboxSpec
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox

SPEC = SandboxSpec(
    label="run-1/step",
    profile=Profile.WORKER,
    argv=("agent", "--print"),
    cwd=Path("/work"),
    mounts=(),
    timeout=timedelta(minutes=5),
    output_bytes=100,
)


def test_time_passes_only_through_the_given_sleep() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    replies = iter([timedelta(minutes=4), timedelta(hours=1), timedelta()])
    sandbox = ScriptedSandbox(lambda _: ScriptedReply(takes=next(replies)), sleep=sleep)

    async def scenario() -> list[SandboxEnd]:
        return [(await sandbox.run(SPEC, lambda *_: None)).end for _ in range(3)]

    ends = asyncio.run(scenario())
    assert ends == [SandboxEnd.EXITED, SandboxEnd.TIMED_OUT, SandboxEnd.EXITED]
    assert slept == [240.0, 300.0]


def test_it_remembers_what_it_was_asked() -> None:
    sandbox = ScriptedSandbox(lambda _: None)
    asyncio.run(sandbox.run(SPEC, lambda *_: None))
    assert sandbox.specs == [SPEC]


def test_it_claims_to_be_usable() -> None:
    probe = asyncio.run(ScriptedSandbox(lambda _: None).probe())
    assert probe.is_usable
    assert probe.backend == "scripted"
