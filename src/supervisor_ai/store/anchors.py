"""What the ledger itself knows of its anchor: that it has one, and how far it reached."""

from typing import Final

from supervisor_ai.engine.ports.workspaces import Anchor, AnchorPoint
from supervisor_ai.store.connection import Connection, Sql

_KEEP: Final = "INSERT OR REPLACE INTO anchors (place, seq, hash) VALUES (1, ?, ?)"
_KEPT: Final = "SELECT seq, hash FROM anchors"


class RecordedAnchor:
    """An anchor whose loss is noticed, because the ledger remembers it."""

    def __init__(self, anchor: Anchor, connection: Connection) -> None:
        self._anchor = anchor
        self._connection = connection

    def write(self, point: AnchorPoint) -> None:
        """Keep the link, and remember it; a crash in between leaves an anchor that is newer."""
        self._anchor.write(point)
        with self._connection.transaction() as sql:
            sql.execute(_KEEP, (point.seq, point.hash))

    def read(self) -> AnchorPoint | None:
        """Return the newest link that was kept."""
        return self._anchor.read()


def recorded_anchor(sql: Sql) -> AnchorPoint | None:
    """Return the link that was the last to be anchored, as far as the ledger knows."""
    row = sql.execute(_KEPT).fetchone()
    return None if row is None else AnchorPoint(seq=row[0], hash=row[1])
