"""Processes that tests start: each has an owner that ends it, however the test ends."""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

PATIENCE: Final = 300.0
"""Seconds to wait for something that will come; long, because a busy machine is no fault."""
MARK: Final = "TESTS_OF_PROCESS"
"""What every process that was started by a test has in its environment."""
_TRACKER: Final = "multiprocessing.resource_tracker"
"""Python's own companion of a process that has started others: it ends with that process."""
_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Have the kernel kill this process when the one that started it ends."""
    _LIBC.prctl(_PDEATHSIG, signal.SIGKILL)
    # A shell that runs the tests in the background has told them to ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Owned(subprocess.Popen[str]):
    """A process with text streams that does not outlive a block that it breaks, nor its parent."""

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        super().__init__(
            command,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=True,
            preexec_fn=die_with_parent,
        )

    def __exit__(  # type: ignore[explicit-override]
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for the end, and bring it about where nobody waits any more."""
        if error is not None:
            self.kill()
        super().__exit__(kind, error, trace)


def mark() -> None:
    """Mark what is started from now on as this process's."""
    os.environ[MARK] = str(os.getpid())


def survivors() -> Iterator[tuple[int, str]]:
    """Return the marked processes that are alive, with their commands."""
    wanted = f"{MARK}={os.getpid()}".encode()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            is_marked = wanted in (place / "environ").read_bytes().split(b"\0")
            command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if is_marked and command and _TRACKER not in command:
            yield int(place.name), command


def require_no_survivors(patience: float) -> None:
    """Fail where a process that was started by a test does not end; end it."""
    deadline = time.monotonic() + patience
    while found := dict(survivors()):
        if time.monotonic() > deadline:
            for pid in found:
                os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"Processes that tests started are left: {found}")
        time.sleep(0.1)
