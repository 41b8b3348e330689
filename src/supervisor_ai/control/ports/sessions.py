"""Port of queries about sessions: the read models that the ledger keeps beside the events."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, RunId, SessionId


class SessionRow(Struct, frozen=True, kw_only=True):
    """A session as lists show it."""

    id: SessionId
    team: str
    pipeline: str
    requirement: ArtifactHash
    supervision: bool
    folder: str | None
    resident: RunId | None
    opened_at: datetime
    closed_at: datetime | None


class MessageRow(Struct, frozen=True, kw_only=True):
    """A message, with the name of what it says."""

    number: int
    sender: str
    to: str
    kind: str
    body: ArtifactHash
    logged_at: datetime


class MessageFilter(Struct, frozen=True, kw_only=True):
    """Which messages are asked for; the newest ones."""

    last: int
    sender: str | None = None
    to: str | None = None
    kind: str | None = None
    after: int = 0
    """Only those with higher numbers."""


class SessionQueries(Protocol):
    """What can be asked about sessions."""

    def sessions(self) -> Sequence[SessionRow]:
        """Return all sessions, the newest first."""
        ...

    def messages(self, session: SessionId, wanted: MessageFilter) -> Sequence[MessageRow]:
        """Return the newest messages that fit, oldest first."""
        ...

    def message(self, session: SessionId, number: int) -> MessageRow | None:
        """Return one message."""
        ...

    def counts(self, session: SessionId) -> Sequence[tuple[str, str, int]]:
        """Count the messages of each sender by type."""
        ...


class NoSessions:
    """Knows no session."""

    def sessions(self) -> Sequence[SessionRow]:
        """Return none."""
        return ()

    def messages(self, session: SessionId, wanted: MessageFilter) -> Sequence[MessageRow]:
        """Return none."""
        del session, wanted
        return ()

    def message(self, session: SessionId, number: int) -> MessageRow | None:
        """Return none."""
        del session, number
        return None

    def counts(self, session: SessionId) -> Sequence[tuple[str, str, int]]:
        """Return none."""
        del session
        return ()
