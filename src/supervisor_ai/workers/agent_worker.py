"""The adapters of the agents that are commands of their own, like Claude Code and Codex."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import Broker
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, OutputSink, Sandbox, SandboxEnd
from supervisor_ai.engine.ports.workers import UsageSeen, WorkerReport, WorkerRequest
from supervisor_ai.tools.threads import finish_in_thread
from supervisor_ai.workers.command import run_agent
from supervisor_ai.workers.launch.home import found_covers, furnished
from supervisor_ai.workers.launch.launcher import AgentLaunch, Launcher
from supervisor_ai.workers.launch.order import LaunchOrder, order_of
from supervisor_ai.workers.launch.profile import Addition
from supervisor_ai.workers.output.dialect import CliDialect
from supervisor_ai.workers.output.evidence import ProcessEvidence

_NEVER_BEGAN: Final = frozenset({SandboxEnd.COMMAND_MISSING, SandboxEnd.SANDBOX_FAILED})
_A_MINUTE: Final = timedelta(minutes=1)
_STDERR_BYTES: Final = 1 << 20
_SCHEMA: Final = "--json-schema"
"""What a user's command or a role's flags may add: a schema that the answer has to fill."""


class AgentWorker:
    """Starts one CLI in the sandbox, once per attempt, and judges what it left behind."""

    def __init__(
        self,
        dialect: CliDialect,
        launcher: Launcher,
        sandbox: Sandbox,
        environment: Mapping[str, str],
        *,
        order_of: Callable[[WorkerRequest], LaunchOrder] = order_of,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._dialect = dialect
        self._launcher = launcher
        self._sandbox = sandbox
        self._environment = environment
        self._order_of = order_of
        self._now = now

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Start the agent, give it the prompt and wait for its end."""
        if self._sandbox.name == "none":
            raise _no_sandbox(request)
        launch = self._launcher.plan(self._order_of(request), *self._login_words(request))
        covers = found_covers(request.workspace.path, launch.covers)
        audience = _Audience(self._dialect, request, on_output)
        argv = (*self._program(request), *launch.words)
        with furnished(launch.files, covers) as mounts:
            report = await run_agent(
                self._sandbox,
                self._told(request, launch),
                audience.hear,
                argv=argv,
                mounts=mounts,
                user=self._environment,
            )
        return await finish_in_thread(self._judged, report, audience.complaints, argv)

    def _login_words(self, request: WorkerRequest) -> Iterator[Addition]:
        """Let the CLI believe that it holds the login with which its requests go out."""
        form = self._launcher.profile.login
        if request.login is not None and form is not None and form.broker.placeholder:
            held = {form.broker.placeholder: form.placeholder}
            yield Addition(words=form.words, environment=held)

    def _broker(self, request: WorkerRequest) -> Broker | None:
        profile, login = self._launcher.profile, request.login
        if login is None or profile.login is None:
            return _completed(request.cli.broker, profile.broker)
        own = replace(profile.login.broker, placeholder=None)
        return replace(own, upstream=login.upstream, is_local=login.is_local)

    def _told(self, request: WorkerRequest, launch: AgentLaunch) -> WorkerRequest:
        """Add the CLI's own variables below the user's, and a way to its model if it has none."""
        cli = request.cli
        told = replace(
            cli,
            environment={**launch.environment, **cli.environment},
            broker=self._broker(request),
        )
        return replace(request, cli=told)

    def _program(self, request: WorkerRequest) -> tuple[str, ...]:
        command = request.cli.command or (self._launcher.profile.program,)
        if "/" in command[0] and not Path(command[0]).is_absolute():
            raise InvalidInput(
                f"The command {command[0]!r} of the CLI {request.cli.name!r} would be looked for "
                "in the workspace, where a worker could have put it.",
                hint="Name it by its absolute path, or without a path.",
            )
        return command

    def _judged(self, report: WorkerReport, complaints: str, argv: Sequence[str]) -> WorkerReport:
        result = report.result
        if result.end in _NEVER_BEGAN:
            return replace(report, output="")
        conclusion = self._dialect.conclude(
            ProcessEvidence(
                exit_code=result.exit_code,
                stdout=report.output,
                stderr=complaints,
                now=self._now(),
                end=result.end,
                has_schema=any(word.partition("=")[0] == _SCHEMA for word in argv),
            )
        )
        return WorkerReport(
            result=result,
            output=conclusion.text,
            usage=_larger(conclusion.usage, result.usage),
            diagnosis=_timed(conclusion.diagnosis, result.reset_at, self._now()),
        )


class _Audience:
    """Passes the output on, tells what it shows and keeps the end of what was complained about."""

    def __init__(self, dialect: CliDialect, request: WorkerRequest, on_output: OutputSink) -> None:
        self._reader = dialect.reader()
        self._observe = request.on_observation
        self._pass_on = on_output
        self._complaints = bytearray()
        # Whoever watches is told what the records say, never shown the records or warnings.
        self._observe(UsageSeen(usage=NO_USAGE))

    @property
    def complaints(self) -> str:
        return self._complaints.decode(errors="replace")

    def hear(self, channel: Channel, chunk: bytes) -> "asyncio.Future[None] | None":
        pause = self._pass_on(channel, chunk)
        if channel is Channel.STDERR:
            self._complaints.extend(chunk)
            del self._complaints[:-_STDERR_BYTES]
        for observation in self._reader.feed(channel, chunk):
            self._observe(observation)
        return pause


def _completed(given: Broker | None, own: Broker | None) -> Broker | None:
    """Take another service where the user names one, and ask there what this CLI asks anywhere."""
    if given is None or own is None or given.paths:
        return given or own
    return replace(own, upstream=given.upstream, header=given.header, is_local=given.is_local)


def _larger(said: Usage, seen: Usage) -> Usage:
    """Believe neither side that it was less: the CLI says one thing, the broker saw another."""
    incoming = max(seen, said, key=lambda it: (it.tokens_in, not it.estimated))
    outgoing = max(seen, said, key=lambda it: (it.tokens_out, not it.estimated))
    is_short = seen.tokens_in > said.tokens_in or seen.tokens_out > said.tokens_out
    is_guessed_price = said.cost > 0 and (said.estimated or is_short)
    return Usage(
        tokens_in=incoming.tokens_in,
        tokens_out=outgoing.tokens_out,
        cost=said.cost,
        estimated=incoming.estimated or outgoing.estimated or is_guessed_price,
        cache_read=incoming.cache_read,
        cache_write=incoming.cache_write,
    )


def _timed(diagnosis: Diagnosis, reset_at: datetime | None, now: datetime) -> Diagnosis:
    """Let a limit end when the upstream's headers say so, where the CLI does not pass that on.

    Some pass on the minute alone; whoever came back at its beginning would be too early.
    """
    if diagnosis.category is not FailureCategory.LIMIT or reset_at is None or reset_at <= now:
        return diagnosis
    said = diagnosis.reset_at
    if said is not None and not said < reset_at < said + _A_MINUTE:
        return diagnosis
    waits = diagnosis.action is Action.RETRY_SAME
    return replace(diagnosis, reset_at=reset_at, action=Action.PARK if waits else diagnosis.action)


def _no_sandbox(request: WorkerRequest) -> InvalidInput:
    return InvalidInput(
        f"The CLI {request.cli.name!r} needs a sandbox: without one its key, its settings and the "
        "code that a repository brings along cannot be kept apart.",
        hint="Leave `--sandbox none` out.",
    )
