"""The message bus of a session."""

import math

import pytest
from tests.unit.control.sessions.session_desk import ADA, BOSS, SessionScene, member

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.desk import (
    NewSession,
    close_session,
    open_session,
    require_session,
)
from supervisor_ai.control.sessions.members import resident
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound
from supervisor_ai.domain.ids import RunId, session_stream
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run.inbox_commands import Signal
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.structs import replace
from supervisor_ai.testing.world import fake_world

NOTE = Post(kind="note", summary="Halfway.")


def test_a_message_has_the_record_of_every_door() -> None:
    scene = SessionScene()
    said = scene.bus(member("writer")).log(
        Post(kind="progress", summary="Halfway.", data={"done": 3, "of": [6, None, True, 0.5]})
    )
    record = said.record()
    assert list(record) == ["id", "ts", "from", "to", "type", "summary", "data"]
    assert record == {
        "id": "MSG-001",
        "ts": said.ts.isoformat(),
        "from": "writer",
        "to": "coordinator",
        "type": "progress",
        "summary": "Halfway.",
        "data": {"done": 3, "of": [6, None, True, 0.5]},
    }
    assert scene.bus().read("MSG-001") == said


def test_the_last_twenty_are_listed_and_a_hundred_at_most() -> None:
    scene = SessionScene()
    bus = scene.bus(member("writer"))
    for number in range(120):
        bus.log(Post(kind="note", summary=str(number)))
    assert [it.summary for it in bus.list()] == [str(number) for number in range(100, 120)]
    assert len(bus.list(last=1000)) == 100
    assert [it.id for it in bus.list(last=2, after=118)] == ["MSG-119", "MSG-120"]
    assert bus.list(sender="nobody") == ()
    assert bus.list(kind="other") == ()
    assert bus.list(to="writer") == ()
    with pytest.raises(InvalidInput, match="no number of messages"):
        bus.list(last=0)


def test_a_state_update_adds_to_what_was_said_before() -> None:
    scene = SessionScene()
    bus = scene.bus(member("writer"))
    bus.log(Post(kind="state_update", summary="", data={"status": "busy", "score": 80}))
    bus.log(Post(kind="state_update", summary="", data={"status": "task_complete"}))
    bus.log(Post(kind="state_update", summary="nothing new"))
    assert bus.get_state("writer") == {"status": "task_complete", "score": 80}
    assert scene.bus().get_state() == {"writer": {"status": "task_complete", "score": 80}}
    with pytest.raises(NotFound, match="has said nothing"):
        bus.get_state("editor")


def test_what_was_said_is_never_unsaid() -> None:
    bus = SessionScene().bus()
    with pytest.raises(Denied, match="append-only"):
        bus.delete()
    with pytest.raises(Denied, match="append-only"):
        bus.clear()


def test_secrets_and_terminal_codes_are_not_kept() -> None:
    world = replace(fake_world(), redactor=RuleRedactor())
    secret = "ghp_" + "a1B2" * 9
    said = (
        SessionScene(world)
        .bus(member("writer"))
        .log(Post(kind="note", summary=f"\x1b[31m{secret}", data={"deep": [{secret: secret}]}))
    )
    assert secret not in str(said.record())
    assert "\x1b" not in said.summary


@pytest.mark.parametrize(
    ("post", "why"),
    [
        (Post(kind="note", summary="x" * 2001), "2001 characters"),
        (Post(kind="note", summary="", data={"x": "y" * 70_000}), "bytes; 65536"),
        (Post(kind="note", summary="", data={"x": math.nan}), "is no JSON"),
        (Post(kind="note", summary="", data={"x": {1, 2}}), "is no JSON"),
    ],
)
def test_what_is_too_much_or_no_json_is_refused(post: Post, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        SessionScene().bus(member("writer")).log(post)


def test_data_may_not_be_endlessly_deep() -> None:
    deep: object = 1
    for _ in range(30):
        deep = [deep]
    with pytest.raises(InvalidInput, match="nested more than 20"):
        SessionScene().bus(member("writer")).log(Post(kind="note", summary="", data={"x": deep}))


def test_a_broadcast_is_for_all() -> None:
    scene = SessionScene()
    assert scene.bus(member("writer")).broadcast(NOTE).to == "all"


def test_a_message_with_a_key_is_one_message() -> None:
    scene = SessionScene()
    keyed = Post(kind="note", summary="once", key="k")
    assert scene.bus(member("writer")).log(keyed) == scene.bus(member("writer")).log(keyed)
    assert scene.bus().status().messages == 1


def test_the_status_counts_by_sender_and_type() -> None:
    scene = SessionScene()
    assert scene.bus().status().newest is None
    scene.bus(member("writer")).log(NOTE)
    scene.bus(member("editor")).log(NOTE)
    status = scene.bus().status()
    assert status.by_sender == {"editor": {"note": 1}, "writer": {"note": 1}}
    assert status.newest is not None
    assert status.newest.id == "MSG-002"


@pytest.mark.parametrize("name", ["", "MSG-", "1", "MSG-0x1", "MSG-" + "9" * 12])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="no name of a message"):
        SessionScene().bus().read(name)


def test_an_unknown_message_is_not_found() -> None:
    with pytest.raises(NotFound, match="MSG-007"):
        SessionScene().bus().read("MSG-7")


def test_an_erased_message_says_so() -> None:
    scene = SessionScene()
    scene.bus(member("writer")).log(NOTE)
    [body] = [
        it.event.body
        for it in scene.world.log.read(session_stream(scene.session))
        if isinstance(it.event, s.MessageLogged)
    ]
    scene.world.artifacts.erase(body)
    assert scene.bus().read("MSG-001").summary == "[erased]"


def test_who_listens_is_woken_by_what_is_said_to_the_supervisor() -> None:
    scene = SessionScene()
    scene.bus().log(Post(kind="note", summary="too early", to="supervisor"))
    run = RunId("r1")
    scene.desk.view(scene.session).add(lambda _: (s.ResidentStarted(run=run),), ADA)
    scene.bus().log(Post(kind="note", summary="to another", to="writer"))
    assert scene.world.inbox.pending(run) == []
    scene.bus().log(Post(kind="note", summary="now", to="supervisor"))
    [letter] = scene.world.inbox.pending(run)
    assert letter.command == Signal(signal="message")


def test_the_resident_speaks_as_the_supervisor() -> None:
    scene = SessionScene()
    said = scene.bus(resident(ADA)).log(NOTE)
    assert said.sender == "supervisor"


def test_a_session_is_opened_once_and_closed_for_good() -> None:
    scene = SessionScene()
    again = NewSession(name="S1", team="blue", pipeline="spec-only", requirement="Once more.")
    with pytest.raises(InvalidInput, match="already"):
        open_session(scene.desk, again, ADA)
    close_session(scene.desk, scene.session, ADA)
    close_session(scene.desk, scene.session, ADA)
    assert scene.types() == ["SessionOpened", "SessionClosed"]
    with pytest.raises(Conflict, match="closed"):
        scene.bus().log(NOTE)


@pytest.mark.parametrize("name", ["", "a/b", "..", "x" * 65, "a b"])
def test_a_session_needs_a_name_that_can_be_typed(name: str) -> None:
    wanted = NewSession(name=name, team="blue", pipeline="spec-only", requirement="")
    with pytest.raises(InvalidInput, match="no name of a session"):
        open_session(SessionScene().desk, wanted, ADA)


def test_an_unknown_session_is_not_found() -> None:
    with pytest.raises(NotFound, match="no session 'S2'"):
        require_session(SessionScene().desk, "S2")


def test_who_only_watches_reads_everything() -> None:
    scene = SessionScene()
    scene.bus(BOSS).log(NOTE)
    guest = scene.bus(member("guest", MemberRole.OBSERVER))
    assert guest.list()[0].summary == "Halfway."
    assert guest.status().messages == 1
    assert guest.get_state() == {}


def test_many_messages_are_folded_from_what_was_kept() -> None:
    scene = SessionScene()
    bus = scene.bus(member("writer"))
    for number in range(600):
        bus.log(Post(kind="note", summary=str(number)))
    fresh = scene.desk.view(scene.session)
    assert fresh.version >= 500
    assert fresh.refresh().messages == 600


def test_whoever_coordinates_speaks_as_the_coordinator() -> None:
    scene = SessionScene()
    boss = scene.bus(member("boss", MemberRole.COORDINATOR))
    assert boss.log(NOTE).sender == "coordinator"
