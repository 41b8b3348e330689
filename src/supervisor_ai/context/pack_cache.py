"""What was made of contents before: redacted text, outlines, measures, and corrections of counts.

The key is git's name of a content, so nothing ever becomes stale. A cache can be deleted at any
time and may fail at any time: then the work is done again.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import local
from typing import Final

from msgspec import Struct

_PATIENCE_SECONDS: Final = 5
_PRIMARY_CODE: Final = 0xFF
_DAMAGED: Final = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
_AT_ONCE: Final = 500
_LARGEST: Final = 512 * 1024 * 1024
_INERTIA: Final = 0.8
_LOWEST, _HIGHEST = 0.5, 2.0
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS shown (key TEXT NOT NULL, rules TEXT NOT NULL, "
    "body TEXT NOT NULL, redactions INTEGER NOT NULL, measure TEXT NOT NULL, "
    "PRIMARY KEY (key, rules)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS corrections (model TEXT PRIMARY KEY, ratio REAL NOT NULL)",
)


class Shown(Struct, frozen=True):
    """A content as a worker may see it, and what was counted in it."""

    body: str
    redactions: int
    measure: tuple[int, ...]


class PackCache:
    """A file with what was made before; without a file it forgets everything."""

    def __init__(
        self, path: Path | None, rules: str, *, patience: float = _PATIENCE_SECONDS
    ) -> None:
        self._path = path
        self._patience = patience
        self._open_in = local()
        self._rules = rules
        """What decides how contents are shown; other rules find nothing of these."""

    def find(self, keys: Sequence[str]) -> dict[str, Shown]:
        """Return what is known of some keys."""
        found: dict[str, Shown] = {}
        with suppress(sqlite3.Error), self._open() as sql:
            for start in range(0, len(keys), _AT_ONCE):
                found |= self._some(sql, keys[start : start + _AT_ONCE])
        return found

    def keep(self, made: Iterable[tuple[str, Shown]]) -> None:
        """Keep what was made."""
        rows = [
            (key, self._rules, shown.body, shown.redactions, json.dumps(shown.measure))
            for key, shown in made
        ]
        if rows:
            with suppress(sqlite3.Error), self._open() as sql:
                sql.execute("BEGIN IMMEDIATE")
                sql.executemany("INSERT OR REPLACE INTO shown VALUES (?, ?, ?, ?, ?)", rows)
                sql.execute("COMMIT")

    def correction(self, model: str) -> float:
        """Return by how much the estimates for a model were wrong, as a factor."""
        question = "SELECT ratio FROM corrections WHERE model = ?"
        with suppress(sqlite3.Error), self._open() as sql:
            row = sql.execute(question, (model,)).fetchone()
            return _likely(float(row[0])) if row else 1.0
        return 1.0

    def learn(self, model: str, estimated: float, reported: float) -> None:
        """Move a model's correction towards what its CLI reported for an estimated text."""
        if estimated <= 0 or reported <= 0:
            return
        ratio = _likely(reported / estimated)
        statement = (
            "INSERT INTO corrections VALUES (?, ?) ON CONFLICT (model) "
            "DO UPDATE SET ratio = ratio * ? + excluded.ratio * ?"
        )
        with suppress(sqlite3.Error), self._open() as sql:
            sql.execute(statement, (model, ratio, _INERTIA, 1 - _INERTIA))

    def _some(self, sql: sqlite3.Connection, keys: Sequence[str]) -> dict[str, Shown]:
        marks = ", ".join("?" * len(keys))
        question = (
            "SELECT key, body, redactions, measure FROM shown "  # noqa: S608 - question marks only
            f"WHERE rules = ? AND key IN ({marks})"
        )
        rows = sql.execute(question, (self._rules, *keys))
        found = {key: _read(*row) for key, *row in rows}
        return {key: shown for key, shown in found.items() if shown is not None}

    @contextmanager
    def session(self) -> Iterator[None]:
        """Keep the file open for what this thread asks meanwhile."""
        self._open_in.session = True
        try:
            yield
        finally:
            self._open_in.session = False
            self._close()

    def _close(self) -> None:
        if sql := getattr(self._open_in, "sql", None):
            self._open_in.sql = None
            sql.close()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file; a damaged one is removed, so that the next use makes a new one."""
        if self._path is None:
            raise sqlite3.OperationalError("There is no file.")
        try:
            sql = getattr(self._open_in, "sql", None) or _connect(self._path, self._patience)
            self._open_in.sql = sql
            try:
                yield sql
            except BaseException:
                self._close()
                raise
            if not getattr(self._open_in, "session", False):
                self._close()
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _DAMAGED:
                self._path.unlink(missing_ok=True)
            raise


def _likely(ratio: float) -> float:
    return min(max(ratio, _LOWEST), _HIGHEST)


def _read(body: str, redactions: int, measure: str) -> Shown | None:
    """Read a row; one that makes no sense is none."""
    try:
        counts = json.loads(measure)
    except ValueError:
        return None
    is_sound = isinstance(counts, list) and all(isinstance(count, int) for count in counts)
    return Shown(body, redactions, tuple(counts)) if is_sound else None


def _connect(path: Path, patience: float) -> sqlite3.Connection:
    with suppress(OSError):
        if path.stat().st_size > _LARGEST:
            path.unlink(missing_ok=True)
    with suppress(OSError):
        path.touch(mode=0o600)
    sql = sqlite3.connect(path, timeout=patience, isolation_level=None)
    try:
        sql.execute("PRAGMA synchronous = OFF")
        for statement in _SCHEMA:
            sql.execute(statement)
    except BaseException:
        sql.close()
        raise
    return sql
