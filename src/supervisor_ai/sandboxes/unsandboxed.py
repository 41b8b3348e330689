"""No sandbox at all, for a user who has asked for exactly that."""

import asyncio
import errno
import os
import subprocess
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Final

from supervisor_ai.engine.ports.sandbox import (
    UNSANDBOXED,
    Channel,
    OutputSink,
    Probe,
    ProbeFinding,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.outcome import (
    KILLED,
    check_words,
    command_missing,
    describe,
    ended,
    sandbox_failed,
)
from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds, Pipe
from supervisor_ai.sandboxes.processes.live_process import (
    Hold,
    end_every,
    find_marked,
    find_session,
    holds_on,
)
from supervisor_ai.sandboxes.processes.process_io import ProcessDeadline, ProcessIo
from supervisor_ai.sandboxes.processes.register import ProcessRegister, RegisterEntry
from supervisor_ai.sandboxes.resource_limits.limit_findings import no_limits
from supervisor_ai.sandboxes.standard_files import TEMPORARY
from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain, find_toolchain
from supervisor_ai.tools.programs import find_program

_MARK: Final = "SUPERVISOR_MARK"


class UnsandboxedSandbox:
    """Runs commands as the user, with the user's files and network.

    Mounts do not exist here: a command sees the host, and nothing at a place of its own. Time,
    output and processes are bounded as elsewhere, but a process that leaves its session and
    clears its environment stays behind.
    """

    def __init__(self, *, state: Path, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._home = Path(environment.get("HOME") or Path.home())
        self._register = ProcessRegister(state / "processes")

    @property
    def name(self) -> str:
        """Name the backend, as the ledger records it."""
        return UNSANDBOXED

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        """Run the command and pass its output on as it comes."""
        check_words(spec)
        with self._register.entry(spec.label, fence=spec.fence) as entry, InheritedFds() as files:
            output, errors = files.pipe(), files.pipe()
            channels = {output.ours: Channel.STDOUT, errors.ours: Channel.STDERR}
            conversation = ProcessIo(channels, on_output, spec.output_bytes)
            variables = self._variables(spec, entry)
            program = _program(spec, variables["PATH"])
            if program is None:
                return command_missing(spec, os.strerror(errno.ENOENT))
            try:
                process = _start(program, spec, variables, files.file(spec.stdin), (output, errors))
            except OSError as error:
                return _not_run(spec, error)
            return await _attend(process, entry, conversation, spec)

    async def cpu_time(self, label: str) -> timedelta | None:
        """Say what the live command of this label has used so far."""
        return await asyncio.to_thread(self._register.cpu_time, label)

    async def reap(self, prefix: str, *, before: int) -> int:
        """Kill what still lives of commands whose label begins so; return how many there were."""
        return await self._register.reap(prefix, before=before)

    async def probe(self) -> Probe:
        """Admit that nothing is enforced."""
        finding = ProbeFinding(
            name="a worker is held back", holds=False, detail="There is no sandbox around it."
        )
        return Probe(
            backend=self.name,
            version="",
            findings=(finding,),
            limits=no_limits(),
            remedy="Use bubblewrap: leave `--sandbox none` out",
        )

    @cached_property
    def _toolchain(self) -> Toolchain:
        return find_toolchain(self._environment, self._home)

    def _variables(self, spec: SandboxSpec, entry: RegisterEntry) -> dict[str, str]:
        return {
            "PATH": self._toolchain.search_path([Path("/")]),
            "HOME": os.fspath(self._home),
            "TMPDIR": TEMPORARY,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **self._toolchain.environment,
            **spec.environment,
            _MARK: entry.mark,
        }


def _program(spec: SandboxSpec, path: str) -> str | None:
    """Find what a word without a slash stands for; any other is looked for from the workspace."""
    return spec.argv[0] if "/" in spec.argv[0] else find_program(spec.argv[0], path)


def _start(
    program: str,
    spec: SandboxSpec,
    variables: Mapping[str, str],
    stdin: int,
    told: tuple[Pipe, Pipe],
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        spec.argv,
        executable=program,
        stdin=stdin,
        stdout=told[0].theirs,
        stderr=told[1].theirs,
        cwd=spec.cwd,
        env=variables,
        start_new_session=True,
    )


async def _attend(
    process: subprocess.Popen[bytes],
    entry: RegisterEntry,
    conversation: ProcessIo,
    spec: SandboxSpec,
) -> SandboxResult:
    hold = Hold.on_child(process.pid)
    try:
        entry.write(hold.process)
        end = await conversation.listen(hold, ProcessDeadline.of(spec))
    finally:
        try:
            await end_every(lambda: _find_strays(process.pid, entry.mark))
        finally:
            process.wait()
            hold.close()
    code = process.returncode
    return ended(conversation.hear_rest(end), spec, code if code >= 0 else KILLED - code)


def _find_strays(leader: int, mark: str) -> list[Hold]:
    return holds_on({*find_marked([mark])[mark], *find_session(leader)})


def _not_run(spec: SandboxSpec, error: OSError) -> SandboxResult:
    if error.filename == os.fspath(spec.cwd):
        return sandbox_failed(describe(error))
    return command_missing(spec, error.strerror or str(error))
