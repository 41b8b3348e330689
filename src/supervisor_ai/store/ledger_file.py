"""The ledger's file as it lies in a checkout: looked at before SQLite reads a byte of it."""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.ledger_binding import FoundLedger
from supervisor_ai.domain.errors import Denied, Unavailable
from supervisor_ai.store.connection import Connection, read_stamp, stamp_new
from supervisor_ai.store.files.directory import prepare_directory

LEDGER: Final = "state.db"
_FOLDERS: Final = ("artifacts", "locks", "logs")
_OF_OTHERS: Final = ("states", "letters")
"""Tables whose rows are acted on and that no event bears out."""


class StateFiles:
    """A project's state directory, seen from outside."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = directory / LEDGER

    def find(self) -> FoundLedger | None:
        """Return the ledger, or None where there is none yet."""
        for path in self._present():
            _refuse_detours(path)
        try:
            found, number = self._path.stat(), read_stamp(self._path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unavailable(
                f"The ledger {str(self._path)!r} cannot be read: {error.strerror}.",
                hint="Make the directory and its files readable for you and try again.",
            ) from error
        if number is None:
            return None
        return FoundLedger(
            path=self._path,
            number=number,
            size=found.st_size,
            changed_at=datetime.fromtimestamp(found.st_mtime, UTC),
        )

    def leftovers(self) -> tuple[str, ...]:
        """Name what lies beside the place of a ledger and belongs to one."""
        return tuple(path.name for path in self._present() if path not in self._expected)

    def make(self, number: int) -> None:
        """Make an empty ledger with a number."""
        prepare_directory(self._directory)
        stamp_new(self._path, number)

    def adopt(self, number: int) -> None:
        """Take over a ledger that somebody else made, without what nobody here asked of it."""
        prepare_directory(self._directory)
        connection = Connection.open(self._path)
        try:
            with connection.transaction() as sql:
                for table in _OF_OTHERS:
                    sql.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
            connection.stamp(number)
        finally:
            connection.close()

    @property
    def _expected(self) -> tuple[Path, ...]:
        return (self._directory, self._path)

    def _present(self) -> tuple[Path, ...]:
        """List the directory itself and everything in it that is state, links included."""
        if not os.path.lexists(self._directory):
            return ()
        _refuse_detours(self._directory)
        try:
            names = sorted(path.name for path in self._directory.iterdir())
        except OSError as error:
            raise Unavailable(
                f"The state directory {str(self._directory)!r} cannot be read: {error.strerror}.",
                hint="Make the directory readable for you and try again.",
            ) from error
        ours = (name for name in names if name.startswith(LEDGER) or name in _FOLDERS)
        return (self._directory, *(self._directory / name for name in ours))


def _refuse_detours(path: Path) -> None:
    """Refuse what is not simply there: a link leads elsewhere, a second name is open to others."""
    try:
        found = path.lstat()
    except FileNotFoundError:  # a process that ends takes its files with it
        return
    is_file = path.name.startswith(LEDGER)
    is_plain = stat.S_ISREG(found.st_mode) if is_file else stat.S_ISDIR(found.st_mode)
    if not is_plain or (is_file and found.st_nlink > 1):
        what = "a file of its own" if is_file else "a directory of its own"
        raise Denied(
            f"{str(path)!r} is not {what}: it leads elsewhere, or has a second name elsewhere.",
            hint="State is kept in real files and directories only: remove it.",
        )
