"""Answers to what people ask about sessions, from the tables beside the events."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.control.ports.sessions import MessageFilter, MessageRow, SessionRow
from supervisor_ai.domain.ids import ArtifactHash, RunId, SessionId
from supervisor_ai.store.codec import moment
from supervisor_ai.store.connection import Connection, Row

_SESSIONS: Final = """
    SELECT session, team, pipeline, requirement, supervision, folder, resident, opened_at, closed_at
    FROM sessions ORDER BY seq DESC
"""
_COLUMNS: Final = "SELECT number, sender, recipient, kind, body, logged_at FROM messages"
_MESSAGE: Final = f"{_COLUMNS} WHERE session = ? AND number = ?"
_MESSAGES: Final = f"""
    {_COLUMNS} WHERE session = :session AND number > :after
        AND (:sender IS NULL OR sender = :sender) AND (:to IS NULL OR recipient = :to)
        AND (:kind IS NULL OR kind = :kind)
    ORDER BY number DESC LIMIT :last
"""
_COUNTS: Final = """
    SELECT sender, kind, count(*) FROM messages WHERE session = ?
    GROUP BY sender, kind ORDER BY sender, kind
"""


class SqliteSessionQueries:
    """Reads the tables of sessions and messages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def sessions(self) -> Sequence[SessionRow]:
        """Return all sessions, the newest first."""
        return [_session(row) for row in self._connection.query(_SESSIONS, ())]

    def messages(self, session: SessionId, wanted: MessageFilter) -> Sequence[MessageRow]:
        """Return the newest messages that fit, oldest first."""
        asked = {
            "session": session,
            "after": wanted.after,
            "sender": wanted.sender,
            "to": wanted.to,
            "kind": wanted.kind,
            "last": wanted.last,
        }
        rows = self._connection.query(_MESSAGES, asked)
        return [_message(row) for row in reversed(list(rows))]

    def message(self, session: SessionId, number: int) -> MessageRow | None:
        """Return one message."""
        rows = self._connection.query(_MESSAGE, (session, number))
        return next((_message(row) for row in rows), None)

    def counts(self, session: SessionId) -> Sequence[tuple[str, str, int]]:
        """Count the messages of each sender by type."""
        rows = self._connection.query(_COUNTS, (session,))
        return [(sender, kind, number) for sender, kind, number in rows]


def _session(row: Row) -> SessionRow:
    name, team, pipeline, requirement, supervision, folder, resident, opened, closed = row
    return SessionRow(
        id=SessionId(name),
        team=team,
        pipeline=pipeline,
        requirement=ArtifactHash(requirement),
        supervision=bool(supervision),
        folder=folder,
        resident=None if resident is None else RunId(resident),
        opened_at=moment(opened),
        closed_at=None if closed is None else moment(closed),
    )


def _message(row: Row) -> MessageRow:
    number, sender, to, kind, body, logged = row
    return MessageRow(
        number=number,
        sender=sender,
        to=to,
        kind=kind,
        body=ArtifactHash(body),
        logged_at=moment(logged),
    )
