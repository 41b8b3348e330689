"""What a live command has used is told from its processes, whatever it says itself."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from tests.integration.sandboxes.busy_program import BUSY
from tests.support.plain_machine import plain_environment

from supervisor_ai.engine.ports.sandbox import Channel, Profile, SandboxSpec
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox


def spec(place: Path, program: str) -> SandboxSpec:
    return SandboxSpec(
        label="run-1/step",
        profile=Profile.EXECUTOR,
        argv=(sys.executable, "-c", program),
        cwd=place,
        mounts=(),
        timeout=timedelta(seconds=60),
        output_bytes=1 << 20,
    )


def test_the_time_of_all_its_processes_is_added_up_while_it_runs(tmp_path: Path) -> None:
    sandbox = UnsandboxedSandbox(state=tmp_path, environment=plain_environment())

    async def scenario() -> None:
        begun = asyncio.Event()

        def hear(channel: Channel, piece: bytes) -> None:
            del channel, piece
            begun.set()

        assert await sandbox.cpu_time("run-1/step") is None
        task = asyncio.create_task(sandbox.run(spec(tmp_path, BUSY), hear))
        await begun.wait()
        used = await sandbox.cpu_time("run-1/step")
        assert used is not None
        assert used >= timedelta(seconds=0.5)
        assert await sandbox.cpu_time("run-2/step") is None
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(scenario())
