"""Waiting for the end of processes and for the last of their words."""

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack

import pytest
from tests.support.processes import PATIENCE
from typing_extensions import override

from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd
from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds
from supervisor_ai.sandboxes.processes.live_process import Hold, end_all, end_every
from supervisor_ai.sandboxes.processes.process_io import ProcessDeadline, ProcessIo


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


IDLE = 0.05
Scenario = Callable[["asyncio.Task[SandboxEnd]", int], Awaitable[None]]


class Sink:
    """Takes what comes, and asks for a pause after each piece."""

    def __init__(self) -> None:
        self.heard = 0
        self.pauses: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()

    def __call__(self, channel: Channel, piece: bytes) -> asyncio.Future[None]:
        del channel
        self.heard += len(piece)
        pause: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.pauses.put_nowait(pause)
        return pause


async def listen(sink: Sink, sleeper: int, scenario: Scenario) -> SandboxEnd:
    """Listen to somebody who has said something and never says anything again."""
    with InheritedFds() as files:
        pipe = files.pipe()
        os.write(pipe.theirs, b"x" * 5000)
        hold = Hold.on_child(sleeper)
        files.callback(hold.close)
        talk = ProcessIo({pipe.ours: Channel.STDOUT}, sink, 1 << 20)
        deadline = asyncio.get_running_loop().time() + PATIENCE
        patience = ProcessDeadline(deadline=deadline, silence=IDLE)
        listening = asyncio.create_task(talk.listen(hold, patience))
        await scenario(listening, pipe.theirs)
        return await listening


def test_a_command_whose_output_nobody_can_take_waits_and_is_not_called_silent(
    sleeper: subprocess.Popen[bytes],
) -> None:
    sink = Sink()

    async def scenario(listening: "asyncio.Task[SandboxEnd]", pipe: int) -> None:
        for size in (5000, 10_000):
            pause = await sink.pauses.get()
            os.write(pipe, b"x" * 5000)
            await asyncio.wait([listening], timeout=3 * IDLE)
            # Nothing more is read, whatever there is, and nobody has lost patience.
            assert (sink.heard, listening.done()) == (size, False)
            pause.set_result(None)
        (await sink.pauses.get()).set_result(None)

    # Only now is it the command that says nothing.
    assert asyncio.run(listen(sink, sleeper.pid, scenario)) is SandboxEnd.IDLE


class FailingSink(Sink):
    """Says only after a while that it cannot take any more."""

    @override
    def __call__(self, channel: Channel, piece: bytes) -> asyncio.Future[None]:
        pause = super().__call__(channel, piece)
        asyncio.get_running_loop().call_soon(pause.set_exception, LookupError("full"))
        return pause


def test_a_sink_that_fails_while_it_is_waited_for_ends_the_command(
    sleeper: subprocess.Popen[bytes],
) -> None:
    async def scenario(listening: "asyncio.Task[SandboxEnd]", pipe: int) -> None:
        del pipe
        await asyncio.wait([listening])

    with pytest.raises(LookupError, match="full"):
        asyncio.run(listen(FailingSink(), sleeper.pid, scenario))
