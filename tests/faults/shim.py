"""Compiles the shim, and says what to a process that is started under it."""

import errno
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct
from tests.e2e.command import User

SOURCE: Final = Path(__file__).with_name("shim.c")
NEVER: Final = 1 << 40


def compile_shim(place: Path) -> Path:
    """Make the library."""
    library = place / "shim.so"
    flags = ("-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC")
    subprocess.run(["cc", *flags, "-o", library, SOURCE, "-ldl"], check=True)
    return library


class Fault(Struct, frozen=True):
    """Which calls fail, with what, and whether for good."""

    calls: str
    error: int
    is_sticky: bool = False


FAULTS: Final[Mapping[str, Fault]] = {
    "EIO of one write": Fault("w", errno.EIO),
    "EIO of one sync": Fault("s", errno.EIO),
    "EIO of one rename": Fault("n", errno.EIO),
    "EIO of one open": Fault("o", errno.EIO),
    "EIO of one read": Fault("r", errno.EIO),
    "ENOSPC from then on": Fault("wno", errno.ENOSPC, is_sticky=True),
    "EROFS from then on": Fault("no", errno.EROFS, is_sticky=True),
}
PLACES: Final[Mapping[str, str]] = {
    "ledger": "/.supervisor/state.db",
    "artifacts": "/.supervisor/artifacts",
    "state": "/state/",
    "git": "/.git/",
}


def failing(user: User, library: Path, fault: Fault, match: str, nth: int) -> dict[str, str]:
    """Return what makes the n-th call fail; how many there were is written to a file."""
    counter = user.home.parent / "calls"
    counter.write_bytes(bytes(8))
    under = {
        "LD_PRELOAD": str(library),
        "FAULT_ROOT": str(user.home.parent),
        "FAULT_MATCH": match,
        "FAULT_CALLS": fault.calls,
        "FAULT_ERRNO": str(fault.error),
        "FAULT_NTH": str(nth),
        "FAULT_STICKY": str(int(fault.is_sticky)),
        "FAULT_COUNTER": str(counter),
    }
    return with_git(user, under)


def with_git(user: User, under: Mapping[str, str]) -> dict[str, str]:
    """Put everything that git does under the shim too: whoever starts it hands nothing on."""
    place = user.home.parent / "bin"
    place.mkdir()
    words = " ".join(shlex.quote(f"{name}={value}") for name, value in under.items())
    (place / "git").write_text(f'#!/bin/sh\nexec env {words} {shutil.which("git")} "$@"\n')
    (place / "git").chmod(0o755)
    return {**under, "PATH": f"{place}:{user.environment['PATH']}"}


def counted(user: User) -> int:
    """Return how many calls could have failed."""
    return int.from_bytes((user.home.parent / "calls").read_bytes(), "little")
