"""Programs that act for the user, with the user's own keys: git that pushes, `gh` and `glab`."""

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from msgspec import Struct

from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.programs import find_program, search_path

PATIENCE: Final = timedelta(minutes=5)
_READ: Final = 16 << 20
"""So many bytes of what a program says are looked at: hundreds of the longest comments."""
_GRACE_SECONDS: Final = 2.0
_PASSED: Final = re.compile(
    r"HOME|USER|LOGNAME|TMPDIR|SUDO_UID|GNUPGHOME|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS"
    r"|XDG_(CONFIG|DATA|STATE|CACHE)_HOME|XDG_RUNTIME_DIR|SSL_CERT_(FILE|DIR)"
    r"|GIT_SSH_VARIANT|GIT_SSL_\w+|GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)"
    r"|(?i:(http|https|all|no)_proxy)|(GH|GITHUB)_(ENTERPRISE_)?TOKEN|GH_(HOST|REPO|CONFIG_DIR)"
    r"|GITLAB_(TOKEN|ACCESS_TOKEN|HOST|URI|API_HOST)|GL_HOST|GLAB_CONFIG_DIR"
)
_SSH: Final = ("GIT_SSH", "GIT_SSH_COMMAND")
"""They name a program: a path from the top of the checkout is the repository's own."""
_HARMLESS: Final = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "push.followTags": "false",
    "push.recurseSubmodules": "no",
}
_QUIET: Final = {
    "LC_ALL": "C.UTF-8",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GH_PROMPT_DISABLED": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "GH_PAGER": "cat",
    "NO_PROMPT": "1",
    "GLAB_PAGER": "cat",
    "GLAB_CHECK_UPDATE": "false",
    "GLAB_SEND_TELEMETRY": "false",
    "NO_COLOR": "1",
}


class ProgramEnding(StrEnum):
    """How a program ended."""

    EXITED = "exited"
    MISSING = "missing"
    """There is no such program, or it cannot be started."""
    TIMED_OUT = "timed_out"


class Ended(Struct, frozen=True, kw_only=True):
    """What a program said until it ended."""

    ending: ProgramEnding
    code: int = -1
    output: str = ""
    complaint: str = ""

    @property
    def is_success(self) -> bool:
        """Tell whether the program says that it did what was asked."""
        return self.ending is ProgramEnding.EXITED and self.code == 0

    @property
    def words(self) -> str:
        """Return all that it said, as text that is harmless to show."""
        return "\n".join(filter(None, (self.output.strip(), self.complaint.strip())))


class UserPrograms(Struct, frozen=True, kw_only=True):
    """Starts programs in the user's checkout: no question, no hook, and an end in any case."""

    directory: Path
    environment: Mapping[str, str]
    """The user's; of it, only what finds and opens the user's keys is passed on."""
    patience: timedelta = PATIENCE

    async def run(self, *command: str, stdin: str = "") -> Ended:
        """Run a program to its end; who cancels it ends it, with all that it started."""
        program = find_program(command[0], self.environment.get("PATH"))
        if program is None:
            return Ended(ending=ProgramEnding.MISSING)
        with _files(stdin) as files:
            try:
                process = self._start((program, *command[1:]), files)
            except OSError as error:
                return Ended(ending=ProgramEnding.MISSING, complaint=str(error))
            ending = await _end(process, self.patience)
            return Ended(
                ending=ending,
                code=process.returncode,
                output=_said(files[1]),
                complaint=_said(files[2]),
            )

    def _start(
        self, command: tuple[str, ...], files: Sequence[IO[bytes]]
    ) -> subprocess.Popen[bytes]:
        stdin, stdout, stderr = files
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=self.directory,
            env=self._surroundings(),
            start_new_session=True,
        )

    def _surroundings(self) -> Mapping[str, str]:
        passed = {name: it for name, it in self.environment.items() if _PASSED.fullmatch(name)}
        settings = {"GIT_CONFIG_COUNT": str(len(_HARMLESS))}
        for number, (key, value) in enumerate(_HARMLESS.items()):
            settings[f"GIT_CONFIG_KEY_{number}"] = key
            settings[f"GIT_CONFIG_VALUE_{number}"] = value
        path = {"PATH": search_path(self.environment.get("PATH"))}
        return {**passed, **dict(_connection(self.environment)), **path, **_QUIET, **settings}


def _connection(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pass on how the user wants to connect, unless that depends on where git stands."""
    for name in _SSH:
        words = environment.get(name, "").split()
        if words and (words[0].startswith("/") or "/" not in words[0]):
            yield name, environment[name]


@contextmanager
def _files(stdin: str) -> Iterator[Sequence[IO[bytes]]]:
    """Open files for the three streams: no pipe that a lasting grandchild could keep open."""
    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile()) for _ in range(3)]
        files[0].write(stdin.encode(errors="replace"))
        files[0].seek(0)
        yield files


async def _end(process: subprocess.Popen[bytes], patience: timedelta) -> ProgramEnding:
    waiting = asyncio.ensure_future(asyncio.to_thread(process.wait))
    try:
        await asyncio.wait_for(asyncio.shield(waiting), patience.total_seconds())
    except TimeoutError:
        return ProgramEnding.TIMED_OUT
    finally:
        if not waiting.done():
            await _stop(process.pid, waiting)
    return ProgramEnding.EXITED


async def _stop(group: int, waiting: asyncio.Future[int]) -> None:
    """End a program and what it started; git takes its locks away if it is asked kindly."""
    try:
        _signal(group, signal.SIGTERM)
        await asyncio.wait([waiting], timeout=_GRACE_SECONDS)
    finally:
        _signal(group, signal.SIGKILL)
    await waiting


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def _said(file: IO[bytes]) -> str:
    """Read the end of what was said: there a program says why it failed."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - _READ))
    return plain(file.read(_READ).decode(errors="replace"))
