"""This machine: its clock, its processes, its chance."""

import errno
import os
import secrets
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import Process

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_CONSONANTS: Final = "bcdfghjkmnpqrstvwxyz"
"""Without vowels no word comes about by chance."""
_SYLLABLE: Final = 4
_SYLLABLES: Final = 3
_TIME_CHARACTERS: Final = 7
_CHANCE_CHARACTERS: Final = 4
_EPOCH: Final = 1_700_000_000
_NO_BOOT: Final = "unknown"


class SystemClock:
    """The machine's clocks."""

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        return datetime.now(UTC)

    def boottime(self) -> float:
        """Return seconds since the machine started, sleep included; never set back."""
        clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
        return time.clock_gettime(clock)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        import asyncio

        await asyncio.sleep(seconds)


class SystemIds:
    """Names made of the time and of chance."""

    def run_id(self) -> RunId:
        """Make a run's name: a letter, chance so that names differ at once, then the time."""
        seconds = int(time.time()) - _EPOCH
        chance = secrets.randbits(5 * _CHANCE_CHARACTERS)
        return RunId(f"r{_digits(chance, _CHANCE_CHARACTERS)}{_digits(seconds, _TIME_CHARACTERS)}")

    def nonce(self) -> str:
        """Make a word that nobody can guess, of a form that redaction leaves alone."""
        return "-".join(
            "".join(secrets.choice(_CONSONANTS) for _ in range(_SYLLABLE))
            for _ in range(_SYLLABLES)
        )


def _digits(number: int, count: int) -> str:
    return "".join(_ALPHABET[(number >> 5 * place) & 31] for place in reversed(range(count)))


class SystemProcesses:
    """Processes of this machine, told apart beyond the reuse of their numbers.

    Where there is no /proc (macOS) the number alone has to do; a lease ends there all the same.
    """

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc

    def current(self) -> Process:
        """Identify this process."""
        pid = os.getpid()
        return Process(boot=self.boot(), pid=pid, started=self._start_of(pid) or 0)

    def is_alive(self, process: Process) -> bool:
        """Tell whether exactly this process still exists."""
        if process.boot != self.boot():
            return False
        if process.boot == _NO_BOOT:
            return _exists(process.pid)
        return self._start_of(process.pid) == process.started

    def boot(self) -> str:
        """Name the time since the machine was started."""
        try:
            return (self._proc / "sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return _NO_BOOT

    def _start_of(self, pid: int) -> int | None:
        """Return when a process began, in ticks since the boot; None for the dead and undead."""
        try:
            stat = (self._proc / str(pid) / "stat").read_bytes()
        except OSError:
            return None
        # The name in parentheses may itself contain spaces and parentheses.
        state, *fields = stat.rpartition(b")")[2].split()
        return None if state in {b"Z", b"X"} else int(fields[18])


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno != errno.ESRCH
    return True
