"""A sandbox that runs nothing: a script says what each command prints and how it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from msgspec import Struct

from supervisor_ai.domain.run.values import NO_USAGE, EgressRefusal, Hardness, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    LimitFinding,
    OutputSink,
    Probe,
    ProbeFinding,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.outcome import (
    check_words,
    command_missing,
    ended,
    limit_exceeded,
    sandbox_failed,
)


class ScriptedReply(Struct, frozen=True, kw_only=True):
    """What a command tries and prints at once, how long it then takes, and how it ends."""

    output: tuple[tuple[Channel, bytes], ...] = ()
    takes: timedelta = timedelta()
    exit_code: int = 0
    refusals: tuple[EgressRefusal, ...] = ()
    """Ways out that it tries in vain; without an egress nobody is told."""
    usage: Usage = NO_USAGE
    """What it spends through the broker; more than it may, and it is cut off."""
    limit: str | None = None
    """The limit that ends it, by its name in the limits of a command."""


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
            _try_ways_out(reply, spec)
            if _speak(reply, spec.output_bytes, on_output):
                return ended(SandboxEnd.OUTPUT_CAPPED, spec, None)
            await self._pass_time(min(reply.takes, *_patience(spec)), killed)
        finally:
            del self._live[killed]
        result = _end(reply, spec, is_killed=killed.is_set())
        return replace(result, limits=Hardness.HARD, usage=reply.usage)

    async def cpu_time(self, label: str) -> timedelta | None:
        """Say that nothing was used: nothing runs."""
        del label
        return timedelta()

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
        finding = ProbeFinding(name="a command is confined", holds=True, detail="Nothing is run.")
        names = ("memory", "processes", "cpus", "file_size", "disk", "disk_files")
        limits = (
            LimitFinding(name=name, hardness=Hardness.HARD, detail="Nothing is used.")
            for name in names
        )
        return Probe(backend=self.name, version="", findings=(finding,), limits=tuple(limits))

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


def _try_ways_out(reply: ScriptedReply, spec: SandboxSpec) -> None:
    if spec.egress is not None:
        for refusal in reply.refusals:
            spec.egress.on_refusal(refusal)


def _patience(spec: SandboxSpec) -> list[timedelta]:
    return [time for time in (spec.timeout, spec.limits.idle_timeout) if time is not None]


def _end(reply: ScriptedReply, spec: SandboxSpec, *, is_killed: bool) -> SandboxResult:
    if is_killed:
        return sandbox_failed("it was killed")
    if reply.takes > min(_patience(spec)):
        is_silent = min(_patience(spec)) < spec.timeout
        return ended(SandboxEnd.IDLE if is_silent else SandboxEnd.TIMED_OUT, spec, None)
    if reply.limit:
        return limit_exceeded(spec, reply.limit)
    end = SandboxEnd.CUT_OFF if _is_spent(reply, spec) else SandboxEnd.EXITED
    return ended(end, spec, reply.exit_code, usage=reply.usage)


def _is_spent(reply: ScriptedReply, spec: SandboxSpec) -> bool:
    if spec.egress is None:
        return False
    tokens, cap = spec.egress.tokens, spec.egress.cost_cap
    spent = reply.usage.tokens_in + reply.usage.tokens_out
    return (tokens is not None and spent >= tokens) or (
        cap is not None and cap.price.of(reply.usage) >= cap.limit
    )
