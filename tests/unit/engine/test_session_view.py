"""The only way to add to a session: whoever adds has seen all of it."""

import threading

import pytest

from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope
from supervisor_ai.domain.errors import Busy
from supervisor_ai.domain.ids import ArtifactHash, SessionId, session_stream
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.engine.ports.ledger import Batch
from supervisor_ai.engine.streams.session_view import SessionView, fold_session
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.ledger_harness import StillClock, batch
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

TRANSACTION = threading.Lock()
S1 = SessionId("S1")
STREAM = session_stream(S1)
ADA = Actor(kind=ActorKind.USER, id="ada", via="test")
DOCUMENTS = ArtifactDocuments(MemoryArtifacts())
OPENED = s.SessionOpened(team="blue", pipeline="spec-only", requirement=ArtifactHash("r"))


class RacedLedger(MemoryLedger):
    """A ledger in which somebody else is faster for a while."""

    races = 0

    def append(self, batch_: Batch) -> tuple[Envelope, ...]:  # type: ignore[explicit-override]
        with TRANSACTION:
            if self.races:
                self.races -= 1
                super().append(batch(STREAM, self.version(), said(self.version())))
            return super().append(batch_)

    def version(self) -> int:
        return len(list(self.read(STREAM)))


def said(number: int) -> s.MessageLogged:
    body = ArtifactHash("b")
    return s.MessageLogged(number=number, sender="a", to="b", kind="note", body=body)


def one_more(session: SessionState) -> tuple[s.SessionEvent, ...]:
    return (said(session.messages + 1),)


def opened(ledger: MemoryLedger) -> SessionView:
    ledger.append(batch(STREAM, 0, OPENED))
    return SessionView(ledger, S1, ledger, DOCUMENTS)


@pytest.fixture
def ledger() -> RacedLedger:
    return RacedLedger(StillClock(), is_alive=lambda _: True)


def test_who_was_slower_decides_again(ledger: RacedLedger) -> None:
    view = opened(ledger)
    ledger.races = 3
    (added,) = view.add(one_more, ADA)
    assert added.event == said(4)
    assert view.state.messages == 4


def test_who_is_always_slower_gives_up(ledger: RacedLedger) -> None:
    view = opened(ledger)
    ledger.races = 1_000
    with pytest.raises(Busy):
        view.add(one_more, ADA)


def test_what_leads_to_nothing_adds_nothing(ledger: RacedLedger) -> None:
    view = opened(ledger)
    assert view.add(lambda _: (), ADA) == ()
    assert ledger.version() == 1


def test_what_was_kept_is_where_the_next_one_begins(ledger: RacedLedger) -> None:
    view = opened(ledger)
    for _ in range(600):
        view.add(one_more, ADA)
    again = SessionView(ledger, S1, ledger, DOCUMENTS)
    assert 500 <= again.version <= 601
    assert again.refresh() == view.state
    kept = ledger.load(STREAM, fold=fold_session(ledger, S1, DOCUMENTS, upto=0).fold)
    assert kept is not None
    assert kept == fold_session(ledger, S1, DOCUMENTS, upto=kept.version)


def test_threads_share_a_view(ledger: RacedLedger) -> None:
    view = opened(ledger)
    start = threading.Barrier(4)

    def work() -> None:
        start.wait()
        for _ in range(25):
            view.add(one_more, ADA)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for it in workers:
        it.start()
    for it in workers:
        it.join()
    said_by_all = [it.event for it in ledger.read(STREAM, after=1)]
    assert said_by_all == [said(number) for number in range(1, 101)]
