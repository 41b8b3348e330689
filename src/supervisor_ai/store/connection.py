"""Everything that has to be known about SQLite, and nowhere else."""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import RLock
from typing import Any, Final, TypeAlias
from weakref import WeakSet

from supervisor_ai.domain.errors import Busy, HostFailure, SupervisorError, Unavailable
from supervisor_ai.store.migrations import MIGRATIONS, Migration
from supervisor_ai.tools.file_lock import held

Sql: TypeAlias = sqlite3.Connection
"""What runs statements inside a transaction."""

Parameters: TypeAlias = Sequence[object] | Mapping[str, object]
"""The values of a statement, by place or by name."""

Row: TypeAlias = tuple[Any, ...]
"""What a statement returns: the columns' types are known to whoever wrote the statement."""

_PATIENCE: Final = timedelta(seconds=5)
_VERIFY: Final = "Look at the ledger: supervisor ledger verify"
_SPACE: Final = "Free some space on the disk and try again; nothing was lost."
_ACCESS: Final = "Make the directory and its files writable for you and try again."
_FAULTS: Final = {
    sqlite3.SQLITE_FULL: ("could not be written: the disk is full", _SPACE),
    sqlite3.SQLITE_IOERR: ("could not be read or written", "Check the disk and its free space."),
    sqlite3.SQLITE_READONLY: ("is read-only", _ACCESS),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _ACCESS),
    sqlite3.SQLITE_PERM: ("cannot be opened", _ACCESS),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _VERIFY),
    sqlite3.SQLITE_NOTADB: ("is not a database", _VERIFY),
}
_MAGIC: Final = b"SQLite format 3\0"
_NUMBER_AT: Final = 68
_HEADER: Final = 100
_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_PRIMARY_CODE: Final = 0xFF


class Connection:
    """One connection to the ledger's file, shared by all objects that speak to it.

    Threads may share it too: they take turns.
    """

    def __init__(self, sql: Sql, path: Path) -> None:
        self.path = path
        self._sql = sql
        self._turn = RLock()
        self._users = 1
        self._file = _identity(path)
        self._copy: TemporaryDirectory[str] | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        patience: timedelta = _PATIENCE,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> "Connection":
        """Open the ledger's file; make it, or bring it up to date, where necessary.

        Where its directory cannot be written, it can be read as far as it was written.
        """
        with _translated(path):
            if path.exists() and not os.access(path.parent, os.W_OK):
                with _OPENING:
                    connection = cls._to_read(path, patience, migrations)
                    _OPEN.add(connection)
                return connection
            with _OPENING:
                _create_private(path)
                connection = cls(_connect(str(path), patience), path)
                _OPEN.add(connection)
            try:
                connection._prepare(patience, migrations)
            except BaseException:
                connection.close()
                raise
        return connection

    @classmethod
    def _to_read(
        cls, path: Path, patience: timedelta, migrations: Sequence[Migration]
    ) -> "Connection":
        """Open a file beside which nothing can be made: as it is, or else a copy of it."""
        try:
            connection = cls(_connect(f"{path.resolve().as_uri()}?mode=ro", patience), path)
            if connection._is_ready(migrations):
                return connection
            connection._sql.close()
        except sqlite3.OperationalError:
            # SQLite reads a journal only with an index beside it, which it cannot make here.
            pass
        place = TemporaryDirectory(prefix="supervisor-ledger-")
        connection = cls(_connect(str(_copied(path, Path(place.name))), patience), path)
        connection._copy = place
        connection._prepare(patience, migrations)
        connection._sql.execute("PRAGMA query_only = ON")
        return connection

    @classmethod
    def shared(cls, path: Path) -> "Connection":
        """Return the connection that this process has to the file; open one where it has none."""
        with _OPENING:
            found = _opened(path)
            if found is None:
                return cls.open(path)
            found._users += 1  # noqa: SLF001 - of this class
            return found

    @classmethod
    def scratch(cls) -> "Connection":
        """Open an empty ledger that exists in memory only."""
        connection = cls(_connect(":memory:", _PATIENCE), Path(":memory:"))
        connection._migrate(MIGRATIONS)
        return connection

    def stamp(self, number: int) -> None:
        """Write a number into the file's header, where it can be read without SQLite."""
        with self._turn, _translated(self.path):
            self._sql.execute(f"PRAGMA application_id = {number:d}")
            (is_busy, *_) = self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise _locked(self.path)

    def query(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """Return all rows of a question."""
        with self._turn:
            try:
                return self._sql.execute(statement, parameters).fetchall()
            except sqlite3.Error as error:
                raise _translate(self.path, error) from error

    def transaction(self) -> AbstractContextManager[Sql]:
        """Change something, alone: all of it or nothing, on the disk when the block ends."""
        return _Block(self._sql, self._turn, self.path, "BEGIN IMMEDIATE")

    def snapshot(self) -> AbstractContextManager[Sql]:
        """Ask several questions about one moment."""
        return _Block(self._sql, self._turn, self.path, "BEGIN")

    def close(self) -> None:
        """Let go of the file, when everybody has who shares the connection."""
        with _OPENING, self._turn:
            self._users -= 1
            if self._users == 0:
                _OPEN.discard(self)
                self._sql.close()
                if self._copy is not None:
                    self._copy.cleanup()

    def _prepare(self, patience: timedelta, migrations: Sequence[Migration]) -> None:
        if self._is_ready(migrations):
            return
        # SQLite does not wait when two connections turn a new file to WAL at once.
        with _alone(self.path, patience):
            self._sql.execute("PRAGMA journal_mode = WAL")
            self._migrate(migrations)

    def _is_ready(self, migrations: Sequence[Migration]) -> bool:
        version = _version(self._sql)
        if version > len(migrations):
            raise Unavailable(
                f"The ledger {str(self.path)!r} was written by a newer version of supervisor: "
                f"its schema is {version}, this version knows {len(migrations)}.",
                hint="Upgrade supervisor and try again.",
            )
        (mode,) = self._sql.execute("PRAGMA journal_mode").fetchone()
        return bool(mode == "wal" and version == len(migrations))

    def _migrate(self, migrations: Sequence[Migration]) -> None:
        """Apply what is missing, each step in a transaction of its own."""
        for version, statements in enumerate(migrations, start=1):
            with self.transaction() as sql:
                if _version(sql) < version:
                    for statement in statements:
                        sql.execute(statement)
                    sql.execute(f"PRAGMA user_version = {version}")


class _Block:
    """A transaction in its turn: committed where its block ends well, undone where it does not.

    A class, because a generator takes three times as long and every step has one.
    """

    def __init__(self, sql: Sql, turn: RLock, path: Path, begin: str) -> None:
        self._sql = sql
        self._turn = turn
        self._path = path
        self._begin = begin

    def __enter__(self) -> Sql:
        self._turn.acquire()
        self._execute(self._begin)
        return self._sql

    def __exit__(self, kind: object, error: BaseException | None, traceback: object, /) -> None:
        if error is None:
            self._execute("COMMIT")
            self._turn.release()
        else:
            self._undo(error)

    def _execute(self, statement: str) -> None:
        try:
            self._sql.execute(statement)
        except BaseException as error:
            self._undo(error)
            raise

    def _undo(self, error: BaseException) -> None:
        try:
            if self._sql.in_transaction:
                self._sql.execute("ROLLBACK")
        finally:
            self._turn.release()
        if isinstance(error, sqlite3.Error):
            raise _translate(self._path, error) from error


_OPENING: Final = RLock()
_OPEN: Final[WeakSet[Connection]] = WeakSet()
"""What this process has open. SQLite's locks are POSIX locks, which belong to a process and go with
*any* close of the file: a file in this list is never opened except by SQLite itself."""


def _identity(path: Path) -> tuple[int, int, int] | None:
    """Name the file of a path for this process; a forked one has connections of its own."""
    try:
        found = path.stat(follow_symlinks=False)
    except OSError:
        return None
    return os.getpid(), found.st_dev, found.st_ino


def _opened(path: Path) -> Connection | None:
    """Return a connection that this process has to the file."""
    file = _identity(path)
    return next((it for it in _OPEN if file is not None and it._file == file), None)  # noqa: SLF001 - of this module


def stamp_new(path: Path, number: int) -> None:
    """Make the ledger's file, with a number in its header before anything else."""
    with _OPENING, _translated(path):
        _create_private(path)
        sql = _connect(str(path), _PATIENCE)
        try:
            sql.execute(f"PRAGMA application_id = {number:d}")
        finally:
            sql.close()


def read_stamp(path: Path) -> int | None:
    """Return the number in a file's header: 0 where it has none, None where the file is empty.

    SQLite is asked only where this process has the file open already.
    """
    with _OPENING:
        connection = _opened(path)
        if connection is not None:
            ((number,),) = connection.query("PRAGMA application_id")
            return int(number)
        with path.open("rb", buffering=0) as file:
            header = file.read(_HEADER)
    if not header:
        return None
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        return 0
    return int.from_bytes(header[_NUMBER_AT : _NUMBER_AT + 4], "big")


def _create_private(path: Path) -> None:
    """Make the file readable for nobody else; what SQLite puts beside it inherits the mode."""
    if _opened(path) is not None:
        return
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise Unavailable(
            f"The ledger {str(path)!r} cannot be opened: {error.strerror}.", hint=_ACCESS
        ) from error


def _copied(path: Path, place: Path) -> Path:
    """Copy a ledger and its journal; refuse where somebody writes it meanwhile."""
    files = (path, path.with_name(f"{path.name}-wal"))
    before = [_identity_of_content(it) for it in files]
    for file, found in zip(files, before, strict=True):
        if found is not None:
            shutil.copyfile(file, place / file.name)
    if before != [_identity_of_content(it) for it in files]:
        raise _locked(path)
    return place / path.name


def _identity_of_content(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _connect(name: str, patience: timedelta) -> Sql:
    sql = sqlite3.connect(
        name,
        timeout=patience.total_seconds(),
        isolation_level=None,
        check_same_thread=False,
        uri=name.startswith("file:"),
    )
    sql.execute("PRAGMA foreign_keys = ON")
    sql.execute("PRAGMA trusted_schema = OFF")
    sql.execute("PRAGMA synchronous = FULL")
    return sql


def _version(sql: Sql) -> int:
    (version,) = sql.execute("PRAGMA user_version").fetchone()
    return int(version)


@contextmanager
def _alone(path: Path, patience: timedelta) -> Iterator[None]:
    """Keep other processes from preparing the same file."""
    directory = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    with held(directory, patience=patience.total_seconds()) as is_alone:
        if not is_alone:
            raise _locked(path)
        yield


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(path, error) from error


def _translate(path: Path, error: sqlite3.Error) -> SupervisorError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY_CODE
    if code in _LOCKED:
        return _locked(path)
    what, hint = _FAULTS.get(code, ("cannot be used", _VERIFY))
    return HostFailure(f"The ledger {str(path)!r} {what} ({error}).", hint=hint)


def _locked(path: Path) -> Busy:
    return Busy(
        f"The ledger {str(path)!r} is locked by another process.",
        hint="Wait until it has finished, then try again.",
    )
