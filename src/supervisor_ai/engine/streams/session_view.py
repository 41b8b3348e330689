"""A session, folded as far as it was read, and the only way to add to it."""

from collections.abc import Callable, Sequence
from typing import Final

from supervisor_ai.domain.envelope import Actor, Envelope, NewEvent
from supervisor_ai.domain.errors import Busy, StaleVersion
from supervisor_ai.domain.ids import SessionId, session_stream
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.session.events import SessionEvent
from supervisor_ai.domain.session.session import SessionState, evolve
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.ledger import (
    Batch,
    CachedState,
    EventLog,
    StateCache,
    StreamAppend,
)
from supervisor_ai.engine.streams.folded_stream import Fold, FoldedStream

_FOLD: Final = Fold(name="session", kind=SessionState, evolve=evolve)
_RACES: Final = 50
_KEEP_EVERY: Final = 500

Decide = Callable[[SessionState], Sequence[SessionEvent]]
"""Says what follows from how the session stands."""
Letters = Callable[[SessionState, Sequence[SessionEvent]], Sequence[InboxCommand]]
"""Says which runs have to hear of what is added."""


def _no_letters(session: SessionState, events: Sequence[SessionEvent]) -> Sequence[InboxCommand]:
    del session, events
    return ()


class SessionView(FoldedStream[SessionState]):
    """The stream of a session, folded; whoever adds to it has seen all of it."""

    def __init__(
        self,
        log: EventLog,
        session: SessionId,
        cache: StateCache | None = None,
        documents: Documents | None = None,
    ) -> None:
        super().__init__(log, session_stream(session), _FOLD, cache, documents)

    def add(
        self, decide: Decide, actor: Actor, letters: Letters = _no_letters
    ) -> tuple[Envelope, ...]:
        """Record what follows from how the session stands; others may be faster, then again."""
        for _ in range(_RACES):
            session, version = self.read_on()
            events = tuple(decide(session))
            if not events:
                return ()
            new = tuple(NewEvent(event=event, actor=actor) for event in events)
            append = StreamAppend(stream=self._stream, expected=version, events=new)
            sent = tuple(letters(session, events))
            try:
                added = self._log.append(Batch(appends=(append,), sent=sent))
            except StaleVersion:
                continue
            self.refresh()
            self.keep(every=_KEEP_EVERY)
            return added
        raise Busy("Others add to the session without a pause.", hint="Try again.")

    @staticmethod
    def fold(session: SessionState, event: SessionEvent) -> SessionState:
        """Say how a session would stand after a fact."""
        return evolve(session, event)


def fold_session(
    log: EventLog, session: SessionId, documents: Documents, *, upto: int
) -> CachedState:
    """Fold a session's stream from its beginning, as it would be kept at a version."""
    return _FOLD.again(log, session_stream(session), documents, upto=upto)
