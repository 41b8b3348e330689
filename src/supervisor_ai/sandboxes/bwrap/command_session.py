"""One command in bubblewrap from its start to its result: output, limits, egress, exit code."""

import asyncio
from collections.abc import Callable

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import OutputSink, SandboxEnd, SandboxResult, SandboxSpec
from supervisor_ai.sandboxes.bwrap.bwrap_errors import Overture, exec_failure
from supervisor_ai.sandboxes.bwrap.start import SandboxRoom, Started
from supervisor_ai.sandboxes.egress.egress_session import EgressSession
from supervisor_ai.sandboxes.outcome import (
    command_missing,
    ended,
    limit_exceeded,
    sandbox_failed,
)
from supervisor_ai.sandboxes.processes.live_process import Hold
from supervisor_ai.sandboxes.processes.process_io import ProcessDeadline, ProcessIo


class BwrapSession:
    """Attends one command that waits for admission; `how_to_show` helps who misses it inside."""

    def __init__(
        self, started: Started, spec: SandboxSpec, room: SandboxRoom, how_to_show: Callable[[], str]
    ) -> None:
        self._containment = started.containment
        self._channels = started.channels
        self._spec = spec
        self._room = room
        self._how_to_show = how_to_show

    async def attend(self, on_output: OutputSink) -> SandboxResult:
        """Let the command run; when this returns, or is cancelled, nothing of it is left."""
        overture = Overture(on_output)
        conversation = ProcessIo(self._channels, overture, self._spec.output_bytes)
        ours, theirs = self._room.files.socket() if self._spec.egress else (None, -1)
        try:
            way_out = EgressSession(self._spec.egress, ours, conversation.settle)
        except BaseException:
            await self._containment.end()
            raise
        try:
            end = await self._listen(conversation, way_out, theirs)
        finally:
            try:
                await self._containment.end()
            finally:
                # Whoever waits for what was never handed over learns that it will not be.
                self._room.files.hand_over()
                await way_out.close()
        result = await self._judge(conversation.hear_rest(end), overture, way_out)
        return replace(
            result,
            limits=self._room.guard.hardness,
            usage=way_out.usage,
            reset_at=way_out.reset_at,
        )

    async def _listen(
        self, conversation: ProcessIo, way_out: EgressSession, reply: int
    ) -> SandboxEnd:
        patience = ProcessDeadline.of(self._spec)
        guard = self._room.guard

        async def is_ready(inner: Hold) -> bool:
            self._room.tenant.bound(inner.process.pid, self._spec.limits)
            guard.admit(inner.process.pid)
            if way_out.is_open:
                self._room.tenant.listen(inner.process.pid, inner.fileno(), reply)
                self._room.files.hand_over()
                await way_out.decided()
            return way_out.failure is None

        try:
            async with asyncio.timeout_at(patience.deadline):
                await self._containment.admit(is_ready)
        except TimeoutError:
            return SandboxEnd.TIMED_OUT
        if way_out.failure is not None:
            return SandboxEnd.EXITED
        async with guard.on_duty(conversation.settle):
            return await conversation.listen(self._containment.outer, patience)

    async def _judge(
        self, end: SandboxEnd, overture: Overture, way_out: EgressSession
    ) -> SandboxResult:
        code = self._containment.exit_code
        if limit := await self._room.guard.judge(end, code):
            overture.release()
            return limit_exceeded(self._spec, limit)
        if end is SandboxEnd.EXITED and (code is None or way_out.failure):
            return self._not_run(overture.complaint or way_out.failure)
        overture.release()
        return ended(end, self._spec, code, usage=way_out.usage)

    def _not_run(self, complaint: str | None) -> SandboxResult:
        if why := exec_failure(complaint or ""):
            return self._missing(why)
        return sandbox_failed(complaint or "bubblewrap was killed")

    def _missing(self, why: str) -> SandboxResult:
        return command_missing(self._spec, why, f" {self._how_to_show()}")
