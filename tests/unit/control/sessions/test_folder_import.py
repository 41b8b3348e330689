"""A folder comes into the ledger: each line once, and nobody's proven word."""

import json
from datetime import UTC, datetime

import pytest
from tests.unit.control.sessions.counting_log import CountingLog
from tests.unit.control.sessions.folder_scene import MESSAGES, META, FolderScene, record
from tests.unit.control.sessions.session_desk import ADA

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.desk import close_session
from supervisor_ai.control.sessions.folder.message_lines import LINE_BYTES, MOST_LINES
from supervisor_ai.domain.envelope import ActorKind
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.structs import replace

SECRET = "sk-ant-api03-" + "A1b2C3d4" * 11 + "AA"


@pytest.fixture
def scene() -> FolderScene:
    return FolderScene()


def test_each_line_is_taken_once(scene: FolderScene) -> None:
    scene.say(record("one"), record("two", sender="tester"))
    assert scene.take().messages == 2
    scene.say(record("three"))
    assert (scene.take().messages, scene.take().messages) == (1, 0)
    assert [it[2] for it in scene.said()] == ["one", "two", "three"]


def test_two_lines_that_say_the_same_are_one(scene: FolderScene) -> None:
    scene.say(record("one"), record("one"))
    assert scene.take().messages == 1


def test_what_comes_from_a_file_proves_nobody(scene: FolderScene) -> None:
    scene.say(record("one", sender="coordinator"))
    scene.take()
    actor = scene.facts("MessageLogged")[0].actor
    assert (actor.kind, actor.via, actor.verified) == (ActorKind.WORKER, "file", False)


def test_what_is_missing_is_as_the_bus_has_it(scene: FolderScene) -> None:
    scene.say({"from": "writer"})
    scene.take()
    said = scene.bus().read("MSG-001")
    assert (said.to, said.type, said.summary, said.data) == ("coordinator", "message", "", None)


def test_the_time_of_a_line_is_believed_unless_it_lies_ahead(scene: FolderScene) -> None:
    scene.say(
        record("then", ts="2020-01-02T03:04:05Z"),
        record("naive", ts="2020-01-02T03:04:05"),
        record("ahead", ts="9999-01-01T00:00:00Z"),
        record("never", ts="yesterday"),
        record("far", ts="0001-01-01T00:00:00+23:00"),
    )
    scene.take()
    then, naive, ahead, never, far = scene.bus().list()
    assert then.ts == naive.ts == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert ahead.ts == never.ts == far.ts == scene.facts("MessageLogged")[0].recorded_at


def test_secrets_are_taken_out(scene: FolderScene) -> None:
    scene.desk = replace(scene.desk, redactor=RuleRedactor(key=b"k"))
    scene.say(record(f"key {SECRET}", data={"k": [SECRET]}))
    scene.files["artifacts/a.md"] = SECRET.encode()
    scene.take()
    said = scene.bus().read("MSG-001")
    kept = scene.desk.view(scene.session).refresh().files["artifacts/a.md"]
    assert SECRET not in f"{said.summary}{said.data}{scene.desk.text(kept)}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is no JSON"),
        (b"[1]", "no JSON object"),
        (b'{"from": 1}', "'from' is no text"),
        (b"{}", "'from' is missing"),
        (b'{"from": "a", "from": "b"}', "given twice"),
        (b'{"from": "a\\ud800"}', "surrogate"),
        (b'{"from": "a", "summary": "\xff"}', "no JSON"),
        (b'{"from": "team lead"}', "no sender"),
        (b'{"from": "a", "data": {"n": 1e999}}', "no JSON"),
        (b'{"from": "a", "data": {"n": 123456789012345678901234567890}}', "no JSON"),
        (b'{"from": "a", "data": {"x": "' + b"x" * 70_000 + b'"}}', "bytes"),
        (b'{"from": "a", "x": "' + b"x" * LINE_BYTES + b'"}', "bytes"),
        (b"[" * 100_000, "nested"),
        (b'{"from": "a", "data": ' + b'{"x":' * 30 + b"1" + b"}" * 30 + b"}", "deep"),
    ],
)
def test_a_broken_line_is_told_with_its_number(
    scene: FolderScene, line: bytes, reason: str
) -> None:
    scene.say(record("one"))
    scene.files[MESSAGES] += line + b"\n"
    scene.say(record("two"))
    report = scene.take()
    assert report.messages == 2
    assert len(report.notes) == 1
    assert report.notes[0].startswith(f"{MESSAGES}:2 is not taken: ")
    assert reason in report.notes[0]
    assert scene.take().notes == ()


def test_a_half_line_is_read_when_it_is_whole(scene: FolderScene) -> None:
    whole = json.dumps(record("one")).encode()
    scene.files[MESSAGES] = whole + b"\n" + whole[:10]
    assert (scene.take().messages, scene.take().messages) == (1, 0)
    scene.files[MESSAGES] = whole + b"\n" + json.dumps(record("two")).encode()
    assert scene.take().messages == 1
    scene.say("", record("three"))
    assert scene.take().messages == 1


def test_blank_lines_are_counted_and_say_nothing(scene: FolderScene) -> None:
    scene.files[MESSAGES] = b"\n \r\n"
    scene.say(record("one"))
    scene.files[MESSAGES] += b"{\n"
    report = scene.take()
    assert (report.messages, report.notes[0].partition(" ")[0]) == (1, f"{MESSAGES}:4")


def test_very_many_lines_are_read_in_parts(scene: FolderScene) -> None:
    scene.files[MESSAGES] = b"1\n" * MOST_LINES
    scene.say(record("at last"))
    assert scene.take().messages == 0
    assert scene.take().messages == 1


def test_a_long_summary_is_cut_and_other_values_are_wrapped(scene: FolderScene) -> None:
    scene.say(record("x" * 3_000, data=[1]))
    scene.take()
    said = scene.bus().read("MSG-001")
    assert (len(said.summary), said.data) == (2_000, {"value": [1]})


@pytest.mark.parametrize(
    ("sender", "kind"), [("supervisor", "progress"), ("coordinator", "checkpoint_override")]
)
def test_what_a_file_cannot_say_is_refused_and_recorded(
    scene: FolderScene, sender: str, kind: str
) -> None:
    scene.say({"from": sender, "type": kind, "summary": "Proceed."})
    report = scene.take()
    assert report.messages == 0
    assert "proves nobody" in report.notes[0]
    refused = scene.facts("CallRefused")
    assert [(it.event, it.actor.via) for it in refused] == [
        (
            s.CallRefused(member=sender, call="import", reason=report.notes[0].split(": ", 1)[1]),
            "file",
        )
    ]
    assert scene.take().notes == ()


def test_very_many_refusals_are_counted_not_recorded(scene: FolderScene) -> None:
    scene.say(*(record(f"{it}", sender="supervisor") for it in range(100)))
    report = scene.take()
    assert len(scene.facts("CallRefused")) == 20
    assert (len(report.notes), report.notes[-1]) == (51, "50 more notes.")


def test_states_add_up_in_the_order_of_the_file(scene: FolderScene) -> None:
    scene.bus().log(Post(kind="state_update", summary="", data={"a": 1, "b": 1}, sender="writer"))
    scene.say(
        record("", type="state_update", data={"b": 2, "c": 2}),
        record("", type="state_update", data={"c": 3}),
        record("", type="state_update", sender="tester", data={"x": 1}),
    )
    scene.take()
    assert scene.bus().get_state() == {"writer": {"a": 1, "b": 2, "c": 3}, "tester": {"x": 1}}


def test_a_rewritten_file_takes_nothing_back(scene: FolderScene) -> None:
    scene.say(record("one"), record("two"))
    scene.take()
    scene.files[MESSAGES] = b""
    scene.say(record("two"), record("three"))
    report = scene.take()
    assert (report.messages, "rewritten or shortened" in report.notes[0]) == (1, True)
    assert [it[2] for it in scene.said()] == ["one", "two", "three"]
    assert scene.take().notes == ()


def test_lines_that_we_wrote_are_not_read_back(scene: FolderScene) -> None:
    scene.bus().log(Post(kind="progress", summary="ours"))
    scene.give()
    scene.say(record("theirs"))
    written = scene.files[MESSAGES]
    assert scene.take().messages == 1
    # Not even where nobody remembers that the file was written.
    scene.folders.files["/copy"] = {MESSAGES: written}
    assert scene.take("/copy").messages == 0
    assert len(scene.said()) == 2


def test_a_line_that_only_looks_like_ours_is_somebodys(scene: FolderScene) -> None:
    scene.bus().log(Post(kind="progress", summary="ours"))
    scene.say(record("other", id="MSG-001"), record("x", id="MSG-²"), record("y", id="MSG-999"))
    assert scene.take().messages == 3


def test_roles_stand_as_meta_says_where_no_message_does(scene: FolderScene) -> None:
    scene.say(record("", type="state_update", data={"n": 1}))
    states = {"writer": {"n": 2}, "tester": {"n": 3}, "supervisor": {"n": 4}, "a b": {}, "x": 1}
    scene.files[META] = json.dumps({"role_state": states, "other": 1}).encode()
    report = scene.take()
    assert scene.bus().get_state() == {"writer": {"n": 1}, "tester": {"n": 3}}
    assert [it.partition(" is not taken: ")[2] for it in report.notes] == [
        "a message has said how it stands.",
        "A file does not speak as 'supervisor': it proves nobody.",
        "'a b' is no sender.",
        "it is no object.",
    ]
    assert scene.take().notes == ()


@pytest.mark.parametrize("text", [b"{", b"[]", b"\xff", b'{"a": 1, "a": 2}'])
def test_a_broken_meta_file_is_a_conflict(scene: FolderScene, text: bytes) -> None:
    scene.files[META] = text
    assert scene.take().conflicts[0].startswith(f"{META} cannot be read: ")


@pytest.mark.parametrize("text", [b"{}", b'{"role_state": []}'])
def test_a_meta_file_may_say_nothing(scene: FolderScene, text: bytes) -> None:
    scene.files[META] = text
    assert scene.take().messages == 0


def test_files_are_taken_when_they_change(scene: FolderScene) -> None:
    scene.files["artifacts/brief.md"] = b"one\n"
    scene.files["wisdom/w.md"] = b"- a\n"
    assert scene.take().files == ("artifacts/brief.md", "wisdom/w.md")
    assert scene.take().files == ()
    scene.files["artifacts/brief.md"] = b"two\n"
    scene.files["wisdom/w.md"] += b"- b\n"
    assert scene.take().files == ("artifacts/brief.md", "wisdom/w.md")
    kept = scene.desk.view(scene.session).refresh().files
    assert {path: scene.desk.text(it) for path, it in kept.items()} == {
        "artifacts/brief.md": "two\n",
        "wisdom/w.md": "- a\n- b\n",
    }


def test_wisdom_is_append_only(scene: FolderScene) -> None:
    scene.files["wisdom/w.md"] = b"- a\n- b\n"
    scene.take()
    for changed in (b"- x\n- b\n- c\n", b"- a\n", b""):
        scene.files["wisdom/w.md"] = changed
        report = scene.take()
        assert "append-only" in report.conflicts[0]
    kept = scene.desk.view(scene.session).refresh().files["wisdom/w.md"]
    assert scene.desk.text(kept) == "- a\n- b\n"


def test_a_file_that_is_no_text_is_told(scene: FolderScene) -> None:
    scene.files["artifacts/a.bin"] = b"\xff\xfe"
    assert scene.take().notes == ("artifacts/a.bin is not taken: it is not UTF-8 text.",)


def test_a_file_of_messages_that_is_too_large_is_a_conflict(scene: FolderScene) -> None:
    scene.files[META] = b" " * ((4 << 20) + 1)
    assert "more than" in scene.take().conflicts[0]


def test_who_listens_is_woken_once_for_an_import(scene: FolderScene) -> None:
    started = s.ResidentStarted(run=RunId("r1"))
    scene.desk.view(scene.session).add(lambda _: (started,), ADA)
    scene.say(*(record(f"{it}", to="supervisor") for it in range(3)))
    scene.take()
    letters = scene.world.inbox.pending(RunId("r1"))
    assert [it.key for it in letters] == ["S1/MSG-003"]


def test_nothing_comes_into_a_closed_session(scene: FolderScene) -> None:
    close_session(scene.desk, scene.session, ADA)
    with pytest.raises(Conflict):
        scene.take()


def test_many_lines_need_few_transactions(scene: FolderScene) -> None:
    lines = "".join(f'{{"from": "w{it % 5}", "summary": "{it}"}}\n' for it in range(5_000))
    scene.files[MESSAGES] = lines.encode()
    log = CountingLog(scene.world.log)
    scene.desk = replace(scene.desk, log=log, views={})
    assert scene.take().messages == 5_000
    # A thousand lines each, and one for the file.
    assert log.appends == 6
