"""A sandbox that runs nothing: a script says what each command prints and how it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Finding,
    OutputSink,
    Probe,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.outcome import check_words, command_missing, ended, sandbox_failed


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """What a command prints at once, how long it then takes, and its exit code."""

    output: tuple[tuple[Channel, bytes], ...] = ()
    takes: timedelta = timedelta()
    exit_code: int = 0


Script = Callable[[SandboxSpec], ScriptedReply | None]
"""Returns what the command does, or None if there is no such command."""


class ScriptedSandbox:
    """Follows a script; remembers in `specs` what it was asked to run."""

    def __init__(
        self, script: Script, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self.specs: list[SandboxSpec] = []
        self._script = script
        self._sleep = sleep
        self._live: dict[asyncio.Event, SandboxSpec] = {}

    @property
    def name(self) -> str:
        """Name the backend, as the ledger records it."""
        return "scripted"

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        """Say what the script has for the command, and take the time that it says."""
        check_words(spec)
        self.specs.append(spec)
        reply = self._script(spec)
        if reply is None:
            return command_missing(spec, "No such file or directory")
        killed = asyncio.Event()
        self._live[killed] = spec
        try:
            if _speak(reply, spec.output_bytes, on_output):
                return ended(SandboxEnd.OUTPUT_CAPPED, spec, None)
            await self._pass_time(min(reply.takes, spec.timeout), killed)
        finally:
            del self._live[killed]
        return _end(reply, spec, is_killed=killed.is_set())

    async def reap(self, prefix: str, *, before: int) -> int:
        """End the commands that take their time, whose label begins so and whose fence is lower."""
        found = [
            killed
            for killed, spec in self._live.items()
            if spec.label.startswith(prefix) and spec.fence < before
        ]
        for killed in found:
            killed.set()
        return len(found)

    async def probe(self) -> Probe:
        """Claim what has to be claimed: nothing runs, so nothing can escape."""
        finding = Finding(name="a command is confined", holds=True, detail="Nothing is run.")
        return Probe(backend=self.name, version="", findings=(finding,))

    async def _pass_time(self, time: timedelta, killed: asyncio.Event) -> None:
        if not time:
            return
        waits = [
            asyncio.ensure_future(self._sleep(time.total_seconds())),
            asyncio.ensure_future(killed.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def _speak(reply: ScriptedReply, most: int, on_output: OutputSink) -> bool:
    """Pass the output on and tell whether it was too much."""
    for channel, piece in reply.output:
        if most > 0 and piece:
            on_output(channel, piece[:most])
        most -= len(piece)
    return most < 0


def _end(reply: ScriptedReply, spec: SandboxSpec, *, is_killed: bool) -> SandboxResult:
    if is_killed:
        return sandbox_failed("it was killed")
    is_late = reply.takes > spec.timeout
    return ended(SandboxEnd.TIMED_OUT if is_late else SandboxEnd.EXITED, spec, reply.exit_code)
