"""Folded states, so that a long run resumes quickly; only a cache."""

from typing import Final

from supervisor_ai.domain.ids import StreamId
from supervisor_ai.engine.ports.ledger import CachedState
from supervisor_ai.store.connection import Connection

_LOAD: Final = "SELECT version, state FROM states WHERE stream = ? AND fold = ?"
_SAVE: Final = """
    INSERT INTO states (stream, fold, version, state) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET version = excluded.version, state = excluded.state
    WHERE excluded.version >= version
"""


class SqliteStateCache:
    """Keeps the newest state of each stream and folding code."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def load(self, stream: StreamId, *, fold: str) -> CachedState | None:
        """Return the newest state that the same folding code made."""
        for version, state in self._connection.query(_LOAD, (stream, fold)):
            return CachedState(version=version, fold=fold, state=state)
        return None

    def save(self, stream: StreamId, cached: CachedState) -> None:
        """Keep a state, unless a newer one is there."""
        with self._connection.transaction() as sql:
            sql.execute(_SAVE, (stream, cached.fold, cached.version, cached.state))
