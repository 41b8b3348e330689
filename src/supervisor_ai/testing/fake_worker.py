"""A worker without a process: a function says what each attempt prints, writes and takes."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.run.failures.diagnosis import Diagnosis
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.engine.ports.sandbox import Channel, OutputSink, SandboxEnd, SandboxResult
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest


class FakeReply(Struct, frozen=True, kw_only=True):
    """What an attempt does: it changes files, takes its time, prints and ends."""

    output: str = ""
    stderr: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    takes: timedelta = timedelta()
    exit_code: int = 0
    usage: Usage = NO_USAGE
    diagnosis: Diagnosis | None = None
    end: SandboxEnd = SandboxEnd.EXITED
    prompt_tokens: int | None = None


NONCE: Final = "{{nonce}}"
"""What a worker fills with the nonce of its attempt."""

FakeScript = Callable[[WorkerRequest], FakeReply]
WriteFile = Callable[[WorkerRequest, str, str], None]
Sleep = Callable[[float], Awaitable[None]]


class FakeWorker:
    """Follows a script; remembers in `requests` what it was asked."""

    def __init__(
        self, script: FakeScript, *, write: WriteFile | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.requests: list[WorkerRequest] = []
        self._script = script
        self._write = write or write_into_workspace
        self._sleep = sleep

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Do what the script says, within the time that the attempt has."""
        self.requests.append(request)
        reply = self._script(request)
        output = reply.output.replace(NONCE, request.nonce)
        for name, text in reply.files.items():
            self._write(request, name, text)
        await self._sleep(min(reply.takes, request.timeout).total_seconds())
        for channel, text in ((Channel.STDERR, reply.stderr), (Channel.STDOUT, output)):
            if text:
                on_output(channel, text.encode())
        return WorkerReport(
            result=_result(reply, request),
            output=output,
            usage=reply.usage,
            diagnosis=reply.diagnosis,
            prompt_tokens=reply.prompt_tokens,
        )


def answering(answer: Mapping[str, object]) -> str:
    """Return the output of a worker that says only its answer, with the nonce of its attempt."""
    return f"```json\n{json.dumps({'nonce': NONCE, **answer})}\n```\n"


def write_into_workspace(request: WorkerRequest, name: str, text: str) -> None:
    """Write a file where a real worker would."""
    path = request.workspace.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _result(reply: FakeReply, request: WorkerRequest) -> SandboxResult:
    if reply.takes > request.timeout:
        reason = "The worker was out of time."
        return SandboxResult(end=SandboxEnd.TIMED_OUT, exit_code=None, reason=reason)
    reason = f"The worker ended with exit code {reply.exit_code}."
    return SandboxResult(end=reply.end, exit_code=reply.exit_code, reason=reason)
