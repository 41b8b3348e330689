"""The `command` adapter: any program that reads a prompt and prints an answer."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Mount,
    OutputSink,
    Profile,
    Sandbox,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import Worker, WorkerReport, WorkerRequest
from supervisor_ai.workers.environment import worker_environment


class CommandWorker:
    """Starts the configured command in the sandbox, once per attempt."""

    def __init__(self, sandbox: Sandbox, environment: Mapping[str, str]) -> None:
        self._sandbox = sandbox
        self._environment = environment

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Start the agent, give it the prompt and wait for its end."""
        argv = tuple(_arguments(request.cli.command, request.program))
        export = Mount(source=request.program, target=request.program)
        return await run_agent(
            self._sandbox,
            request,
            on_output,
            argv=argv,
            mounts=(export,),
            environment=worker_environment(request, self._environment),
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
    environment: Mapping[str, str],
) -> WorkerReport:
    """Run an agent in its workspace and collect what it prints on stdout."""
    printed = bytearray()

    def collect(channel: Channel, chunk: bytes) -> None:
        if channel is Channel.STDOUT:
            printed.extend(chunk[: request.output_bytes - len(printed)])
        on_output(channel, chunk)

    spec = SandboxSpec(
        label=request.label,
        profile=Profile.WORKER,
        argv=argv,
        cwd=request.workspace.path,
        mounts=(*request.workspace.mounts, *mounts),
        environment=environment,
        ro_paths=request.ro_paths,
        stdin=request.prompt.encode(),
        timeout=request.timeout,
        output_bytes=request.output_bytes,
    )
    result = await sandbox.run(spec, collect)
    return WorkerReport(result=result, output=printed.decode(errors="replace"))


def _arguments(command: tuple[str, ...], program: Path) -> list[str]:
    """Point relative paths at the export of the base commit, never at the workspace."""
    first, *rest = command
    head = _inside(program, first) if "/" in first else first
    return [head, *(_inside(program, argument) for argument in rest)]


def _inside(program: Path, argument: str) -> str:
    path = PurePosixPath(argument)
    if argument.startswith("-") or path.is_absolute() or ".." in path.parts:
        return argument
    found = program / path
    if not argument or not found.exists():
        return argument
    if not found.resolve().is_relative_to(program.resolve()):
        raise InvalidInput(
            f"The command names {argument!r}, which is a link that leads out of the repository.",
            hint="Put the file itself into the repository.",
        )
    return str(found)
