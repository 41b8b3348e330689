"""What the ledger itself knows of its anchor: that it has one, and how far it reached."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.session.events import FileSynced, SessionClosed
from supervisor_ai.engine.ports.workspaces import Anchor, AnchorPoint
from supervisor_ai.store.connection import Connection, Sql

_KEEP: Final = "INSERT OR REPLACE INTO anchors (place, seq, hash) VALUES (1, ?, ?)"
_KEPT: Final = "SELECT seq, hash FROM anchors"
_LINK: Final = "SELECT seq, hash FROM events WHERE seq = ?"
_NEWEST: Final = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"
_EVERY: Final = 50
_MILESTONES: Final = (SessionClosed, FileSynced)
"""Facts after which others rely on what a session holds."""


class RecordedAnchor:
    """An anchor whose loss is noticed, because the ledger remembers it."""

    def __init__(self, anchor: Anchor, connection: Connection) -> None:
        self._anchor = anchor
        self._connection = connection
        self._is_fresh = True

    def write(self, point: AnchorPoint) -> None:
        """Keep the link, and remember it; a crash in between leaves an anchor that is newer."""
        with self._connection.transaction() as sql:
            known = recorded_anchor(sql)
            # Another process was faster, or events are gone: neither is to be forgotten.
            if known is None or known.seq <= point.seq:
                self._keep(sql, point)

    def follow(self, before: int, added: Sequence[Envelope]) -> None:
        """Anchor each fiftieth event, milestones, and what an earlier process left behind."""
        is_first, self._is_fresh = self._is_fresh, False
        is_due = before // _EVERY < added[-1].seq // _EVERY
        is_due = is_due or any(isinstance(it.event, _MILESTONES) for it in added)
        if not (is_due or (is_first and before)):
            return
        # The events are recorded, whatever becomes of the anchor; the next one that is due goes on.
        with suppress(SupervisorError), self._connection.transaction() as sql:
            known = recorded_anchor(sql)
            if is_due or before > (known.seq if known else 0):
                self._extend(sql, known)

    def _extend(self, sql: Sql, known: AnchorPoint | None) -> None:
        """Anchor the head, unless the anchor of before is gone or shows that events are."""
        kept = self._anchor.read()
        is_there = known is None or (kept is not None and kept.seq >= known.seq)
        if is_there and (kept is None or _point(sql, _LINK, kept.seq) == kept):
            newest = _point(sql, _NEWEST)
            if newest is not None:
                self._keep(sql, newest)

    def _keep(self, sql: Sql, point: AnchorPoint) -> None:
        self._anchor.write(point)
        sql.execute(_KEEP, (point.seq, point.hash))

    def read(self) -> AnchorPoint | None:
        """Return the newest link that was kept."""
        return self._anchor.read()


def recorded_anchor(sql: Sql) -> AnchorPoint | None:
    """Return the link that was the last to be anchored, as far as the ledger knows."""
    return _point(sql, _KEPT)


def _point(sql: Sql, question: str, *words: int) -> AnchorPoint | None:
    row = sql.execute(question, words).fetchone()
    return None if row is None else AnchorPoint(seq=row[0], hash=row[1])
