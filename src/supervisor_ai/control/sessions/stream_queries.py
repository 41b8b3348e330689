"""Answers to what is asked about a session, read from its stream."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from supervisor_ai.control.ports.sessions import MessageFilter, MessageRow, SessionRow
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import SessionId, session_stream
from supervisor_ai.domain.session.events import MessageLogged
from supervisor_ai.engine.ports.ledger import EventLog


class StreamQueries(Struct, frozen=True, kw_only=True):
    """Reads messages from the events themselves: for who follows one session from its beginning."""

    log: EventLog

    def sessions(self) -> Sequence[SessionRow]:
        """Name no session: whoever reads one stream knows which."""
        return ()

    def messages(self, session: SessionId, wanted: MessageFilter) -> Sequence[MessageRow]:
        """Return the newest messages that fit, oldest first."""
        return [row for row in self._all(session) if _fits(row, wanted)][-wanted.last :]

    def message(self, session: SessionId, number: int) -> MessageRow | None:
        """Return one message."""
        return next((row for row in self._all(session) if row.number == number), None)

    def counts(self, session: SessionId) -> Sequence[tuple[str, str, int]]:
        """Count the messages of each sender by type."""
        found = Counter((row.sender, row.kind) for row in self._all(session))
        return [(*which, number) for which, number in sorted(found.items())]

    def _all(self, session: SessionId) -> Iterator[MessageRow]:
        for envelope in self.log.read(session_stream(session)):
            event = envelope.event
            if isinstance(event, MessageLogged):
                yield message_row(envelope, event)


def message_row(envelope: Envelope, event: MessageLogged) -> MessageRow:
    """Return a message as it was logged."""
    return MessageRow(
        number=event.number,
        sender=event.sender,
        to=event.to,
        kind=event.kind,
        body=event.body,
        logged_at=envelope.recorded_at,
    )


def _fits(row: MessageRow, wanted: MessageFilter) -> bool:
    pairs = ((wanted.sender, row.sender), (wanted.to, row.to), (wanted.kind, row.kind))
    return row.number > wanted.after and all(it is None or it == there for it, there in pairs)
