"""`state.md`: written from a page, read back to it, and every touch of another hand is seen."""

import hashlib
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from tests.unit.drivers.team.folder.pages import AT, EMPTY, PAGE

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.folder.model import (
    PageProblem,
    RosterEntry,
    SectionEdit,
    StateFinding,
    StateLogEntry,
    StatePage,
    TaskEntry,
)
from supervisor_ai.drivers.team.folder.state_page import render_state
from supervisor_ai.drivers.team.folder.state_reader import claimed_identity, look_at, read_state


def text_of(page: StatePage) -> str:
    return render_state(page)[0]


def hash_of(page: StatePage) -> str:
    return render_state(page)[1].snapshot_hash


def test_the_format_is_what_is_published() -> None:
    assert text_of(PAGE).replace(hash_of(PAGE), "HASH") == snapshot("""\
# Team: auth

## Recovery Instructions

Supervisor alone writes this file, from the project's ledger; an edit is noticed by its hash,
kept, and undone. Members send events instead (`supervisor team send`, or the tool
`team_send`). After a crash nothing is to be done here: the next look writes the file anew.
Where it was edited: `supervisor team reconcile auth`.

## Phase: EXECUTION

## Complexity: MEDIUM

## Ownership

- operational_state_owner: supervisor@2
- architectural_decisions_owner: tech-lead
- lead_role: decisions/staffing only
- state_lock: OPEN

## Team Roster

- lead: ACTIVE
- coder-1 (coder): ACTIVE, coding, pinged
- tech-lead: NOT_SPAWNED

## Approval Matrix

- SIMPLE: unified-reviewer
- MEDIUM: logic-reviewer + tech-lead

## Tasks

- #1: Log in — at last — IN_REVIEW (coder-1)
- #2: Log out — OPEN (unassigned)

## Active Coders: 1 (max 3)

## Event Log

- 2 earlier entries are in the ledger, up to hash \
abababababababababababababababababababababababababababababababab
- 2 | 2031-05-06T07:00:00.000000Z | STATE_OWNERSHIP_ACK | supervisor | epoch=2 | task=- | rev=- |
- 3 | 2031-05-06T07:01:00.000000Z | IN_REVIEW | coder-1 | epoch=2 | task=1 | rev=4 | a.py | b.py

## Snapshot

`{"epoch": 2, "replay_index": 3, "snapshot_hash": "HASH"}`
""")


def test_the_identity_is_the_hash_of_what_is_above_it() -> None:
    text, identity = render_state(PAGE)
    body = text[: text.index("## Snapshot")]
    assert identity.snapshot_hash == hashlib.sha256(f"{body}2 3\n".encode()).hexdigest()
    assert (identity.epoch, identity.replay_index) == (2, 3)
    assert f'"snapshot_hash": "{identity.snapshot_hash}"' in text


@pytest.mark.parametrize("page", [PAGE, EMPTY])
def test_what_is_written_is_read_back(page: StatePage) -> None:
    assert read_state(text_of(page).encode()) == page


LINES = st.from_regex(r"[!-~\u00e0-\u00ff\u2014]{1,9}( [!-~\u2014|()#:]{1,9}){0,4}", fullmatch=True)
NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,8}", fullmatch=True)
WORDS = st.from_regex(r"[A-Z][A-Z_]{0,8}", fullmatch=True)


@given(
    st.lists(st.builds(TaskEntry, id=NAMES, subject=LINES, status=WORDS, assignment=NAMES)),
    st.lists(
        st.builds(
            StateLogEntry,
            index=st.integers(0, 10**6),
            at=st.just(AT),
            event=WORDS,
            actor=NAMES,
            epoch=st.integers(0, 99),
            task=st.none() | NAMES,
            rev=st.none() | st.integers(0, 99),
            text=st.just("") | LINES,
        )
    ),
)
def test_no_subject_and_no_entry_can_forge_a_line(
    tasks: list[TaskEntry], log: list[StateLogEntry]
) -> None:
    page = replace(PAGE, tasks=tuple(tasks), log=tuple(log))
    assert read_state(text_of(page).encode()) == page


@pytest.mark.parametrize(
    "broken",
    [
        lambda: TaskEntry(id="1", subject="a\n## Tasks", status="OPEN"),
        lambda: TaskEntry(id="1", subject="x" * 401, status="OPEN"),
        lambda: TaskEntry(id="1", subject=" x", status="OPEN"),
        lambda: TaskEntry(id="1 2", subject="x", status="OPEN"),
        lambda: TaskEntry(id="1", subject="x", status="open"),
        lambda: RosterEntry(name="a b", role="coder", status="ACTIVE"),
        lambda: RosterEntry(name="a", role="coder", status="ACTIVE", wait_reason="X"),
        lambda: StateLogEntry(index=1, at=AT, event="E", actor="a", epoch=1, text="\x1b[2J"),
        lambda: replace(PAGE, team="../x"),
        lambda: replace(PAGE, lock="lock"),
    ],
)
def test_what_would_break_a_page_is_refused_before_it_is_written(broken: object) -> None:
    assert callable(broken)
    with pytest.raises(InternalError):
        broken()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("# Team: auth", "# Team auth", 1),
        ("IN_REVIEW (coder-1)", "DONE (coder-1)", 47),
        ("supervisor@2", "lead@3", 47),
        ("## Tasks", "## Jobs", 32),
        ("Log out", "Log out ", 35),
        ("coding, pinged", "coding, none", 47),
        ('"epoch": 2', '"epoch": 3', 47),
        ('"replay_index": 3', '"replay_index": 4', 47),
        ("2031-05-06T07:00:00.000000Z", "some-time", 42),
        ("2031-05-06T07:00:00.000000Z", "2031-05-06T07:00:00Z", 42),
        ("- #2: Log out", "- #../2: Log out", 35),
        ("## Event Log", "## Event Log\n\n- none", 43),
        ("\n", "\r\n", 1),
        ("## Snapshot\n", "", 45),
    ],
)
def test_a_page_that_was_touched_is_refused_with_its_line(old: str, new: str, line: int) -> None:
    text = text_of(PAGE)
    assert old in text
    found = read_state(text.replace(old, new).encode())
    assert isinstance(found, PageProblem)
    assert found.line == line


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x" * (9 << 20), b"# Team: auth\n"])
def test_what_is_no_page_is_refused(content: bytes) -> None:
    assert isinstance(read_state(content), PageProblem)


def test_the_file_as_it_was_written_is_ours() -> None:
    text = text_of(PAGE)
    look = look_at(text.encode(), text, ())
    assert (look.finding, look.edits, look.summary) == (StateFinding.OURS, (), "")


def test_a_file_that_is_gone_is_missing() -> None:
    assert look_at(None, text_of(PAGE), ()).finding is StateFinding.MISSING


def test_what_a_crash_left_is_behind_and_no_edit() -> None:
    old = text_of(EMPTY).encode()
    look = look_at(old, text_of(PAGE), {hashlib.sha256(old).hexdigest()})
    assert look.finding is StateFinding.BEHIND


def test_an_edit_is_told_section_by_section_with_its_tasks() -> None:
    text = text_of(PAGE)
    edited = text.replace("IN_REVIEW (coder-1)", "DONE (coder-1)").replace(
        "## Phase: EXECUTION", "## Phase: TEARDOWN"
    )
    edited += "\nI was here.\n"
    look = look_at(edited.encode(), text, ())
    assert look.finding is StateFinding.EDITED
    assert look.sha256 == hashlib.sha256(edited.encode()).hexdigest()
    assert look.edits == (
        SectionEdit(section="Phase", removed=("EXECUTION",), added=("TEARDOWN",)),
        SectionEdit(
            section="Tasks",
            removed=("- #1: Log in — at last — IN_REVIEW (coder-1)",),
            added=("- #1: Log in — at last — DONE (coder-1)",),
        ),
        SectionEdit(section="Snapshot", removed=(), added=("I was here.",)),
    )
    assert look.tasks == ("1",)
    assert look.summary == "Phase: +1 -1; Tasks: +1 -1; Snapshot: +1 -0"


def test_a_forged_hash_does_not_help() -> None:
    forged = text_of(replace(PAGE, tasks=PAGE.tasks[:1]))
    assert isinstance(read_state(forged.encode()), StatePage)
    look = look_at(forged.encode(), text_of(PAGE), ())
    assert look.finding is StateFinding.EDITED
    assert look.edits[0] == SectionEdit(
        section="Tasks", removed=("- #2: Log out — OPEN (unassigned)",), added=()
    )


def test_an_entry_that_was_taken_out_of_the_log_is_named_with_its_task() -> None:
    text = text_of(PAGE)
    lines = [line for line in text.split("\n") if not line.startswith("- 3 | ")]
    look = look_at("\n".join(lines).encode(), text, ())
    assert look.tasks == ("1",)
    assert look.edits[0].section == "Event Log"


def test_nothing_was_written_yet_and_there_is_a_file() -> None:
    look = look_at(b"## Tasks\n- #9: mine", None, ())
    assert look.finding is StateFinding.EDITED
    assert look.tasks == ("9",)


@pytest.mark.parametrize("piece", ["x\n", "## \n", "- #1: a — B (c)\n", "a" * 79 + "\n"])
def test_a_huge_edit_is_looked_at_soon(piece: str) -> None:
    begun = process_time()
    look = look_at((piece * 60_000).encode(), text_of(PAGE), ())
    assert look.finding is StateFinding.EDITED
    assert process_time() - begun < 10


def test_a_file_says_which_snapshot_it_is_whatever_else_stands_in_it() -> None:
    text, identity = render_state(PAGE)
    assert claimed_identity(text.replace("auth", "other").encode()) == identity
    assert claimed_identity(b"Nothing.") is None
    other = text_of(EMPTY)
    assert claimed_identity(f"{text}{other}".encode()) is None
