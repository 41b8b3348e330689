"""The `command` adapter: any program that reads a prompt and prints an answer."""

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Mount,
    OutputSink,
    Profile,
    Sandbox,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import Worker, WorkerReport, WorkerRequest
from supervisor_ai.workers.environment import worker_environment
from supervisor_ai.workers.last_words import diagnose_exit
from supervisor_ai.workers.way_out import way_out

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

    def collect(channel: Channel, chunk: bytes) -> None:
        if channel is Channel.STDOUT:
            printed.extend(chunk[: request.output_bytes - len(printed)])
        else:
            complained.extend(chunk)
            del complained[:-_COMPLAINTS]
        on_output(channel, chunk)

    spec = SandboxSpec(
        label=request.label,
        fence=request.fence,
        profile=Profile.WORKER,
        argv=argv,
        cwd=request.workspace.path,
        mounts=(*request.workspace.mounts, *mounts),
        environment=worker_environment(request, user),
        ro_paths=request.sandbox.ro_paths,
        caches=request.sandbox.caches,
        limits=request.sandbox.worker,
        egress=way_out(request, user),
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
