"""Waiting for the end of processes and for the last of their words."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from typing_extensions import override

from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd
from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds
from supervisor_ai.sandboxes.processes.live_process import Hold, end_all, end_every
from supervisor_ai.sandboxes.processes.process_io import ProcessIo


class Stubborn(Hold):
    """A hold on a process that nothing ends yet."""

    @override
    def kill(self) -> None:
        """Leave it alive."""


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_no_number_of_cancellations_leaves_a_process_behind(
    sleeper: subprocess.Popen[bytes],
) -> None:
    async def scenario() -> None:
        ending = asyncio.create_task(end_all([Stubborn.on_child(sleeper.pid)]))
        for _ in range(3):
            await asyncio.wait([ending], timeout=0.01)
            ending.cancel()
            await asyncio.wait([ending], timeout=0.01)
            assert not ending.done()
        sleeper.kill()
        await asyncio.wait([ending])
        assert ending.cancelled()

    asyncio.run(scenario())


def test_a_cancelled_search_goes_on_until_nothing_is_found() -> None:
    async def scenario(waiting: list[subprocess.Popen[bytes]]) -> None:
        found = 0

        def find() -> list[Hold]:
            nonlocal found
            found += 1
            ending.cancel()
            return [Hold.on_child(waiting.pop().pid)] if waiting else []

        ending = asyncio.create_task(end_every(find))
        await asyncio.wait([ending])
        assert ending.cancelled()
        assert (found, waiting) == (4, [])

    with ExitStack() as stack:
        sleepers = (subprocess.Popen(["sleep", "600"]) for _ in range(3))
        asyncio.run(scenario([stack.enter_context(sleeper) for sleeper in sleepers]))


def test_what_is_left_in_a_pipe_is_heard_up_to_the_cap() -> None:
    async def scenario(most: int) -> tuple[SandboxEnd, bytes]:
        heard = bytearray()
        with InheritedFds() as files:
            pipe = files.pipe()
            os.write(pipe.theirs, b"x" * 5000)
            channels = {pipe.ours: Channel.STDOUT}
            conversation = ProcessIo(channels, lambda _, piece: heard.extend(piece), most)
            end = conversation.hear_rest(SandboxEnd.TIMED_OUT)
        return end, bytes(heard)

    assert asyncio.run(scenario(5000)) == (SandboxEnd.TIMED_OUT, b"x" * 5000)
    assert asyncio.run(scenario(4999)) == (SandboxEnd.OUTPUT_CAPPED, b"x" * 4999)
