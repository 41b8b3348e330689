"""The files of a ledger: real ones, for nobody else's eyes, and none of a run that is unknown."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from supervisor_ai.control.ports.queries import FaultKind, LedgerFault
from supervisor_ai.domain.ids import RunId

_FILES: Final = ("state.db", "state.db-wal", "state.db-shm")
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def file_faults(directory: Path) -> Iterator[LedgerFault]:
    """Name files that are links or something else, or that others can read or write."""
    for path in (directory / name for name in _FILES):
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(found.st_mode):
            yield _fault(path, "is not a regular file", "Put the file itself there.")
        elif found.st_mode & _OTHERS:
            yield _fault(path, "can be used by others", f"chmod 600 {str(path)!r}")


def driven_runs(locks: Path) -> frozenset[RunId]:
    """Return the runs that were locked here and not given back."""
    names = [path.name for path in locks.glob("*.*")]
    return frozenset(RunId(unquote(name.rpartition(".")[0])) for name in names)


def lost_run(run: RunId) -> LedgerFault:
    """Tell of a run that was driven here, but of which no event is left.

    A run is recorded before it is locked: if its events are gone, so is the newest part of the
    ledger, and no anchor may have been made of it yet.
    """
    return LedgerFault(
        kind=FaultKind.EVENT,
        where=f"run {run!r}",
        message=f"Run {run!r} was driven here, but the ledger has no event of it.",
        hint="Events were lost: restore the ledger (`state.db` and `state.db-wal`).",
    )


def read_only(path: Path) -> int:
    """Open a file that must be itself and no link, without waiting for a writer."""
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _fault(path: Path, what: str, hint: str) -> LedgerFault:
    message = f"The file {str(path)!r} {what}."
    return LedgerFault(kind=FaultKind.FILE, where=str(path), message=message, hint=hint)
