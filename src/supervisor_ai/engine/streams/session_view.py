"""A session, folded as far as it was read, and the only way to add to it."""

from typing import Final

from supervisor_ai.domain.ids import SessionId, session_stream
from supervisor_ai.domain.session.events import SessionEvent
from supervisor_ai.domain.session.session import SessionState, evolve
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.ledger import CachedState, EventLog, StateCache
from supervisor_ai.engine.streams.folded_stream import Fold
from supervisor_ai.engine.streams.shared_stream import SharedStream

_FOLD: Final = Fold(name="session", kind=SessionState, evolve=evolve)


class SessionView(SharedStream[SessionState, SessionEvent]):
    """The stream of a session, folded; whoever adds to it has seen all of it."""

    noun = "session"

    def __init__(
        self,
        log: EventLog,
        session: SessionId,
        cache: StateCache | None = None,
        documents: Documents | None = None,
    ) -> None:
        super().__init__(log, session_stream(session), _FOLD, cache, documents)

    @staticmethod
    def fold(session: SessionState, event: SessionEvent) -> SessionState:
        """Say how a session would stand after a fact."""
        return evolve(session, event)


def fold_session(
    log: EventLog, session: SessionId, documents: Documents, *, upto: int
) -> CachedState:
    """Fold a session's stream from its beginning, as it would be kept at a version."""
    return _FOLD.again(log, session_stream(session), documents, upto=upto)
