"""Attending to a command in a container, from its first moment to the words about its end."""

import asyncio
from collections.abc import Callable

from msgspec import Struct

from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import OutputSink, SandboxEnd, SandboxResult, SandboxSpec
from supervisor_ai.sandboxes.containers.command_files import CommandFiles
from supervisor_ai.sandboxes.containers.container import Container
from supervisor_ai.sandboxes.containers.control_channel import InitReport
from supervisor_ai.sandboxes.containers.run_as import ContainerUser
from supervisor_ai.sandboxes.egress.egress_session import EgressSession
from supervisor_ai.sandboxes.outcome import command_missing, ended, limit_exceeded, sandbox_failed
from supervisor_ai.sandboxes.processes.process_io import ProcessDeadline, ProcessIo
from supervisor_ai.sandboxes.resource_limits.guard import Guard


class ContainerSession(Struct, frozen=True, kw_only=True):
    """Attends one command whose container has been started; nothing of it outlives this."""

    spec: SandboxSpec
    container: Container
    wiring: CommandFiles
    guard: Guard
    guest: ContainerUser
    how_to_show: Callable[[], str]
    """What helps who misses the command inside."""

    async def attend(self, on_output: OutputSink) -> SandboxResult:
        """Let the command run; when this returns, or is cancelled, the container is gone."""
        conversation = ProcessIo(self.wiring.channels, on_output, self.spec.output_bytes)
        try:
            way_out = EgressSession(self.spec.egress, self.wiring.way_out, conversation.settle)
        except BaseException:
            await self._end()
            raise
        try:
            end = await self._listen(conversation)
        finally:
            try:
                await self._end()
            finally:
                await way_out.close()
        result = await self._judge(conversation.hear_rest(end), way_out)
        return replace(
            result,
            limits=self.guard.hardness,
            usage=way_out.usage,
            reset_at=way_out.reset_at,
        )

    async def _listen(self, conversation: ProcessIo) -> SandboxEnd:
        patience = ProcessDeadline.of(self.spec)
        try:
            async with asyncio.timeout_at(patience.deadline):
                keeper = await self.container.admit(self.wiring.control)
        except TimeoutError:
            return SandboxEnd.TIMED_OUT
        if keeper is None:
            return SandboxEnd.SANDBOX_FAILED
        self.guest.bound(keeper.process.pid, self.spec.limits)
        self.guard.admit(keeper.process.pid)
        self.wiring.hand_over()
        async with self.guard.on_duty(conversation.settle):
            return await conversation.listen(keeper, patience)

    async def _end(self) -> None:
        self.wiring.control.refuse()
        await self.container.end()
        # Whoever waits for what was never handed over learns that it will not be.
        self.wiring.files.hand_over()

    async def _judge(self, end: SandboxEnd, way_out: EgressSession) -> SandboxResult:
        report = self.wiring.control.read()
        if end is SandboxEnd.SANDBOX_FAILED:
            return sandbox_failed(self.container.complaint)
        limit = await self._exceeded(end, report)
        if limit is None and end is SandboxEnd.EXITED:
            if missing := way_out.missing or (None if way_out.is_open else report.missing):
                return command_missing(self.spec, missing, f" {self.how_to_show()}")
            if why := _failure(report, way_out):
                return sandbox_failed(why)
        if limit:
            return limit_exceeded(self.spec, limit)
        return ended(end, self.spec, report.exit_code, usage=way_out.usage)

    async def _exceeded(self, end: SandboxEnd, report: InitReport) -> str | None:
        # A container without groups of its own sees those of others, and what was killed there.
        has_groups = self.guard.hardness is Hardness.HARD
        if has_groups and end is SandboxEnd.EXITED and report.exit_code and report.exceeded:
            return report.exceeded[0]
        return await self.guard.judge(end, report.exit_code)


def _failure(report: InitReport, way_out: EgressSession) -> str | None:
    if report.exit_code is None:
        return report.failed or report.missing or "the container was killed"
    return way_out.failure
