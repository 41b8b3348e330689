"""The `command` adapter: any program that reads a prompt and prints an answer."""

import asyncio
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from supervisor_ai.control.queries.complaints import telling_line
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import BROWSING_TOOLS
from supervisor_ai.domain.run.failures.diagnosis import Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import stripped
from supervisor_ai.engine.ports.sandbox import (
    BrokerRoute,
    Channel,
    Egress,
    Mount,
    OutputSink,
    Profile,
    Sandbox,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import Worker, WorkerReport, WorkerRequest
from supervisor_ai.workers.environment import expand, worker_environment
from supervisor_ai.workers.output.causes import Table, Testimony
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.output.judgement import judge

_COMPLAINTS: Final = 16 << 10
"""So much is kept of what it says on stderr."""


class CommandWorker:
    """Starts the configured command in the sandbox, once per attempt."""

    def __init__(self, sandbox: Sandbox, environment: Mapping[str, str]) -> None:
        self._sandbox = sandbox
        self._environment = environment

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Start the agent, give it the prompt and wait for its end."""
        command = request.cli.command
        if command and _is_elsewhere(command[0], request.program):
            return _missing(command[0])
        export = Mount(source=request.program, target=request.program)
        return await run_agent(
            self._sandbox,
            request,
            on_output,
            argv=_arguments(command, request.program),
            mounts=(export,),
            user=self._environment,
        )


def command_worker(sandbox: Sandbox, environment: Mapping[str, str]) -> Worker:
    """Make a worker that starts any command."""
    return CommandWorker(sandbox, environment)


async def run_agent(
    sandbox: Sandbox,
    request: WorkerRequest,
    on_output: OutputSink,
    *,
    argv: tuple[str, ...],
    mounts: tuple[Mount, ...],
    user: Mapping[str, str],
) -> WorkerReport:
    """Run an agent in its workspace and collect what it prints on stdout."""
    printed, complained = bytearray(), bytearray()

    def collect(channel: Channel, chunk: bytes) -> "asyncio.Future[None] | None":
        if channel is Channel.STDOUT:
            printed.extend(chunk[: request.output_bytes - len(printed)])
        else:
            complained.extend(chunk)
            del complained[:-_COMPLAINTS]
        return on_output(channel, chunk)

    spec = SandboxSpec(
        label=request.label,
        fence=request.fence,
        profile=Profile.WORKER,
        argv=argv,
        cwd=request.workspace.path,
        mounts=(*request.workspace.mounts, *mounts),
        not_installed=request.workspace.distributions,
        environment=worker_environment(request, user),
        ro_paths=request.sandbox.ro_paths,
        caches=request.sandbox.caches,
        limits=request.sandbox.worker,
        egress=egress_request(request, user),
        stdin=request.prompt.encode(errors="replace"),
        timeout=request.timeout,
        output_bytes=request.output_bytes,
    )
    result = await sandbox.run(spec, collect)
    output, errors = printed.decode(errors="replace"), complained.decode(errors="replace")
    report = WorkerReport(result=result, output=output, usage=result.usage)
    if result.end is not SandboxEnd.EXITED or not result.exit_code:
        return report
    diagnosis = diagnose_exit(result.exit_code, output, errors, datetime.now(UTC))
    return replace(report, diagnosis=diagnosis)


def _arguments(command: tuple[str, ...], program: Path) -> tuple[str, ...]:
    """Point relative paths at the export of the base commit, never at the workspace."""
    # A first word without a slash is looked for on the PATH.
    first = [word if "/" not in word else _exported(word, program) for word in command[:1]]
    return (*first, *(_exported(word, program) for word in command[1:]))


def _exported(word: str, program: Path) -> str:
    option, sign, path = word.partition("=") if word.startswith("-") else ("", "", word)
    found = _find(path, program)
    return word if found is None else f"{option}{sign}{found}"


def _find(name: str, program: Path) -> Path | None:
    """Find what a relative path names in the export."""
    inside = os.path.normpath(name)
    is_inside = name and inside != "." and not inside.startswith(("/", "../"))
    if not is_inside or not os.path.lexists(program / inside):
        return None
    found = program / inside
    if not _leads_inside(found, program):
        raise InvalidInput(
            f"The command names {name!r}, which is a link that leads out of the repository.",
            hint="Put the file itself into the repository.",
        )
    return found


def _leads_inside(found: Path, program: Path) -> bool:
    try:
        return found.resolve().is_relative_to(program.resolve())
    except RuntimeError:  # a link that leads to itself
        return False


def _is_elsewhere(first: str, program: Path) -> bool:
    """Tell whether the program itself would be looked for in the workspace."""
    return "/" in first and not first.startswith("/") and _find(first, program) is None


def _missing(first: str) -> WorkerReport:
    reason = f"The command {first!r} cannot be started: the base commit has no such file."
    result = SandboxResult(end=SandboxEnd.COMMAND_MISSING, exit_code=None, reason=reason)
    return WorkerReport(result=result, output="")


_TAIL: Final = 2_000
_NO_NETWORK: Final = re.compile(
    r"name resolution|resolve host|getaddrinfo|EAI_AGAIN|\bENOTFOUND|ENETUNREACH|ECONNREFUSED"
    r"|network is unreachable|connection refused",
    re.IGNORECASE,
)
_HOW_TO_REACH: Final = (
    " It seems to need the network. A worker reaches only what its list allows:"
    " `egress: [host:port]` at its CLI or its role, in the configuration."
)


def diagnose_exit(code: int, stdout: str, stderr: str, now: datetime) -> Diagnosis:
    """Say why it ended with such a code, first in the line that tells most.

    What it prints on stdout is its answer, and may speak of any error in the world; it counts only
    where there is nothing else.
    """
    stdout, stderr = stripped(stdout), stripped(stderr)
    said = stderr if stderr.strip() else stdout
    evidence = ProcessEvidence(exit_code=code, stdout="", stderr=said, now=now)
    found = judge(Testimony(), evidence, Table()).diagnosis
    needs_network = _NO_NETWORK.search(said[-_TAIL:]) is not None
    telling = telling_line(said)
    first = f"The worker exited with code {code}{f': {telling}' if telling else '.'}"
    first += _HOW_TO_REACH if needs_network else ""
    tail = "\n".join(filter(str.strip, (stdout[-_TAIL:], stderr[-_TAIL:])))
    message = f"{first}\n\nThe end of its output:\n{tail}" if tail else first
    if needs_network:
        return replace(found, message=message, category=FailureCategory.NETWORK, action=None)
    return replace(found, message=message)


def egress_request(request: WorkerRequest, user: Mapping[str, str]) -> Egress | None:
    """Gather the ways out of an attempt; None where there are none at all."""
    broker = request.cli.broker
    if broker is None and not request.egress and request.door is None:
        return None
    return Egress(
        on_refusal=request.on_refusal,
        allow=request.egress,
        broker=_route(request, user),
        broker_variables=(broker.base_url,) if broker else (),
        tokens=request.tokens,
        cost_cap=request.cost_cap,
        members=request.door.socket if request.door else None,
    )


def _route(request: WorkerRequest, user: Mapping[str, str]) -> BrokerRoute | None:
    broker = request.cli.broker
    if broker is None:
        return None
    name, _, value = broker.header.partition(": ")
    return BrokerRoute(
        upstream=broker.upstream,
        paths=broker.paths,
        header=name,
        secret="" if request.login else expand(request, value, user),
        is_local=broker.is_local,
        login=request.login.headers if request.login else None,
        # Whoever is allowed everything is still not allowed to let others reach any host for it.
        web_tools=tuple(sorted(BROWSING_TOOLS.intersection(request.allowed_tools or ()))),
    )
