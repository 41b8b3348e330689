"""What is asked about sessions: the tables say what the stream says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.control.sessions.session_desk import ADA, SessionScene, member

from supervisor_ai.control.ports.sessions import MessageFilter, NoSessions
from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.desk import close_session, list_sessions
from supervisor_ai.control.sessions.stream_queries import StreamQueries
from supervisor_ai.control.sessions.tasks import NewTask
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.world import fake_world

NAMES = ["writer", "editor"]
KINDS = ["note", "error"]
WORD = st.sampled_from([None, "writer", "editor", "nobody"])


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    world = fake_world()
    ledger = open_ledger(
        tmp_path, clock=world.clock, processes=world.processes, anchor=world.anchor
    )
    yield ledger
    ledger.close()


def scene_on(ledger: SqliteLedger) -> SessionScene:
    world = replace(fake_world(), log=ledger.events, cache=ledger.cache)
    scene = SessionScene(world)
    scene.desk = replace(scene.desk, queries=ledger.sessions)
    return scene


@pytest.fixture
def scene(ledger: SqliteLedger) -> SessionScene:
    scene = scene_on(ledger)
    for number in range(30):
        sender = member(NAMES[number % 2])
        post = Post(kind=KINDS[number % 3 == 0], summary=str(number), to=NAMES[number % 3 == 1])
        scene.bus(sender).log(post)
    return scene


def test_tables_and_stream_agree(scene: SessionScene) -> None:
    stream = StreamQueries(log=scene.world.log)

    @given(
        last=st.integers(1, 40),
        sender=WORD,
        to=WORD,
        kind=st.sampled_from([None, *KINDS]),
        after=st.integers(0, 40),
    )
    def agree(last: int, sender: str | None, to: str | None, kind: str | None, after: int) -> None:
        wanted = MessageFilter(last=last, sender=sender, to=to, kind=kind, after=after)
        here = scene.desk.queries.messages(scene.session, wanted)
        assert list(here) == list(stream.messages(scene.session, wanted))

    agree()
    assert list(scene.desk.queries.counts(scene.session)) == list(stream.counts(scene.session))
    for number in (0, 1, 30, 31):
        asked = (scene.session, number)
        assert scene.desk.queries.message(*asked) == stream.message(*asked)


def test_sessions_are_listed_with_who_listens(scene: SessionScene, ledger: SqliteLedger) -> None:
    run = RunId("r1")
    view = scene.desk.view(scene.session)
    view.add(lambda _: (s.ResidentStarted(run=run),), ADA)
    assert [row.resident for row in list_sessions(scene.desk)] == [run]
    view.add(lambda _: (s.ResidentStopped(run=run),), ADA)
    close_session(scene.desk, scene.session, ADA)
    [row] = ledger.sessions.sessions()
    assert (row.id, row.resident, row.team) == ("S1", None, "blue")
    assert row.closed_at is not None
    assert StreamQueries(log=ledger.events).sessions() == ()


def test_the_tables_can_be_made_again(scene: SessionScene, ledger: SqliteLedger) -> None:
    scene.tasks().add(NewTask(task="A", subject="Write it.", owner="writer"))
    scene.desk.view(scene.session).add(
        lambda _: (
            s.MemberAdded(member="writer", role=MemberRole.WORKER, token=""),
            s.MemberRemoved(member="writer"),
        ),
        ADA,
    )
    assert ledger.care.verify().faults == ()
    ledger.care.rebuild()
    assert ledger.care.verify().faults == ()


def test_who_knows_no_session_says_so() -> None:
    nobody, name = NoSessions(), SessionId("S1")
    assert nobody.sessions() == ()
    assert nobody.messages(name, MessageFilter(last=1)) == ()
    assert nobody.message(name, 1) is None
    assert nobody.counts(name) == ()
