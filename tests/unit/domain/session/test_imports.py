"""What a file can say in a session, and what it cannot."""

import pytest

from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import Draft
from supervisor_ai.domain.session.imports import check_imported, log_imported, unknown_drafts
from supervisor_ai.domain.session.session import FileMark, SessionState, evolve, mark_name

OPENED = s.SessionOpened(team="blue", pipeline="spec-only", requirement=ArtifactHash("r"))


def session(*events: s.SessionEvent) -> SessionState:
    state = SessionState()
    for event in (OPENED, *events):
        state = evolve(state, event)
    return state


def draft(key: str, sender: str = "writer") -> Draft:
    return Draft(sender=sender, to="coordinator", kind="progress", body=ArtifactHash("b"), key=key)


@pytest.mark.parametrize(
    "kind",
    [
        *("approve", "approval_granted", "plan.reject", "checkpoint-override", "trust", "Cancel"),
        *("ApprovePlan", "team_teardown", "shutdown_request", "SHUTDOWN", "overrule"),
    ],
)
def test_a_file_decides_nothing(kind: str) -> None:
    with pytest.raises(Denied, match="proves nobody"):
        check_imported("coordinator", "supervisor", kind)


@pytest.mark.parametrize("kind", ["progress", "plan_approved", "state_update", "trusted_sources"])
def test_a_file_tells_what_was_said(kind: str) -> None:
    check_imported("coordinator", "supervisor", kind)


@pytest.mark.parametrize("sender", ["supervisor", "Supervisor"])
def test_a_file_is_not_the_supervisors_word(sender: str) -> None:
    with pytest.raises(Denied, match="'supervisor'"):
        check_imported(sender, "coordinator", "progress")


@pytest.mark.parametrize("words", [("team lead", "a", "b"), ("a", "", "b"), ("a", "b", "é")])
def test_words_are_words(words: tuple[str, str, str]) -> None:
    with pytest.raises(InvalidInput):
        check_imported(*words)


def test_each_key_is_logged_once_in_its_order() -> None:
    drafts = [draft("file:ab1"), draft("file:cd2"), draft("file:ab1"), draft("meta:writer")]
    before = session()
    logged = log_imported(before, unknown_drafts(before, drafts))
    assert [(it.number, it.key) for it in logged] == [
        (1, "file:ab1"),
        (2, "file:cd2"),
        (3, "meta:writer"),
    ]
    after = session(*logged)
    assert unknown_drafts(after, drafts) == ()
    assert [after.number_of(it.key) for it in drafts] == [1, 2, 1, 3]
    assert after.number_of("file:ab2") is after.number_of("meta:x") is None
    assert after.numbered_keys() == {1: "file:ab1", 2: "file:cd2", 3: "meta:writer"}


def test_lines_that_begin_alike_are_kept_apart() -> None:
    said = log_imported(session(), [draft("file:ab1"), draft("file:ab2")])
    assert session(*said).lines == {"ab": {"file:ab1": 1, "file:ab2": 2}}


def test_nothing_comes_into_a_session_that_is_not_open() -> None:
    with pytest.raises(Conflict):
        unknown_drafts(session(s.SessionClosed()), [])
    with pytest.raises(NotFound):
        unknown_drafts(SessionState(), [])


def test_the_newest_mark_of_a_file_counts_in_its_folder() -> None:
    marks = session(
        s.FileSynced(folder="/a", path="x", content="1", size=1),
        s.FileSynced(folder="/a", path="x", content="2", size=2, messages=7),
        s.FileSynced(folder="/b", path="x", content="3", size=3),
    ).marks
    assert marks == {
        mark_name("/a", "x"): FileMark(content="2", size=2, messages=7),
        mark_name("/b", "x"): FileMark(content="3", size=3),
    }
