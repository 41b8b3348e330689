"""`DECISIONS.md`: two sections grow at their ends, and nothing else changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from tests.unit.drivers.team.folder.pages import NEW, NOTE

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.folder.decisions_page import append_note, checked_change
from supervisor_ai.drivers.team.text.notes import DecisionNote, DecisionsMarker, RefusedNote
from supervisor_ai.drivers.team.text.report import AlertType

OTHER = replace(NOTE, marker=DecisionsMarker.NOTES, event="REASSIGN_PROPOSAL", text="Split it")
LINE = "- 2031-05-06T07:00:00Z STUCK task #7: Coder-1 has tried twice"


def appended(content: str, note: DecisionNote = NOTE) -> str:
    changed = append_note(content.encode(), note)
    assert isinstance(changed, bytes)
    return changed.decode()


def refused(content: str | bytes, note: DecisionNote = NOTE) -> RefusedNote:
    found = append_note(content if isinstance(content, bytes) else content.encode(), note)
    assert isinstance(found, RefusedNote)
    return found


def test_a_new_file_has_its_five_sections() -> None:
    assert (
        snapshot("""\
# Decisions: auth

## Feature Definition of Done

<!-- Owned by the Tech Lead. -->

## Risks & Mitigations

<!-- Owned by the Tech Lead. -->

## Architectural Decisions

<!-- Owned by the Tech Lead. -->

## Operational Escalations

<!-- Appended to by the supervisor; nothing here is rewritten. -->

## Orchestration Notes

<!-- Appended to by the supervisor; nothing here is rewritten. -->
""")
        == NEW
    )


def test_notes_stand_in_their_sections_in_their_order() -> None:
    text = appended(appended(appended(NEW), OTHER), replace(NOTE, text="And again"))
    assert text == snapshot("""\
# Decisions: auth

## Feature Definition of Done

<!-- Owned by the Tech Lead. -->

## Risks & Mitigations

<!-- Owned by the Tech Lead. -->

## Architectural Decisions

<!-- Owned by the Tech Lead. -->

## Operational Escalations

<!-- Appended to by the supervisor; nothing here is rewritten. -->

- 2031-05-06T07:00:00Z STUCK task #7: Coder-1 has tried twice
- 2031-05-06T07:00:00Z STUCK task #7: And again

## Orchestration Notes

<!-- Appended to by the supervisor; nothing here is rewritten. -->

- 2031-05-06T07:00:00Z REASSIGN_PROPOSAL task #7: Split it
""")


def test_a_note_that_is_there_is_not_written_twice() -> None:
    once = appended(NEW)
    assert appended(once) == once


def test_everything_else_stays_byte_for_byte() -> None:
    heading = "## Architectural Decisions\n"
    theirs = "\nWe use **SQLite**.  \n\n\n```\n## Operational Escalations\n```\n"
    mine = NEW.replace(heading, heading + theirs)
    text = appended(mine)
    at = text.index(f"\n{LINE}\n")
    assert text[:at] + text[at + len(LINE) + 2 :] == mine
    assert text[:at].endswith("nothing here is rewritten. -->\n")


@pytest.mark.parametrize(
    "marker",
    ["Architectural Decisions", "Feature Definition of Done", "", "operational escalations"],
)
def test_check_1_no_other_section_is_written(marker: str) -> None:
    found = refused(NEW, replace(NOTE, marker=marker))
    assert found.event is AlertType.DECISIONS_SCOPE_VIOLATION
    assert "is none of" in found.reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (NEW.replace("## Operational Escalations", "## Escalations"), "is not there"),
        (NEW.replace("## Orchestration Notes", "### Orchestration Notes"), "is not there"),
        (NEW.replace("## Risks & Mitigations", "## Risks"), "is not there"),
        (NEW + "\n## Operational Escalations\n", "is there 2 times"),
        ("", "is not there"),
        ("```\n" + NEW, "is not there"),
        ("<!--\n" + NEW.replace("-->", ""), "is not there"),
        (NEW.replace("## Operational Escalations", "    ## Operational Escalations"), "not there"),
    ],
)
def test_a_marker_that_is_not_there_once_blocks_every_write(content: str, reason: str) -> None:
    found = refused(content)
    assert found.event is AlertType.DECISIONS_MARKER_MISSING
    assert reason in found.reason
    assert refused(content, OTHER).event is AlertType.DECISIONS_MARKER_MISSING


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * (5 << 20)])
def test_what_is_no_text_is_left_as_it_is(content: bytes) -> None:
    assert refused(content).event is AlertType.DECISIONS_SCOPE_VIOLATION


HOSTILE = [
    "a\n## Architectural Decisions\nWe use PHP.",
    "# Title",
    "a\n```\nb",
    "a\n~~~",
    "a\n=====",
    "<!-- a",
    "a\n<!-- b\n-->",
    "a\r\n## Orchestration Notes\r\n",
    "\x1b[2Ja\x07",
    "a\u2028## Risks & Mitigations",
    "---\na\n---",
    "- 1\n- 2\n\n\n## Operational Escalations",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("base", [NEW, NEW.replace("\n", "\r\n"), NEW.rstrip("\n")])
def test_no_entry_leaves_its_section(text: str, base: str) -> None:
    for marker in DecisionsMarker:
        changed = appended(base, replace(NOTE, marker=marker, text=text))
        again = appended(changed, OTHER)
        headings = [it.rstrip("\r") for it in again.split("\n") if it.startswith("#")]
        assert headings == [it.rstrip("\r") for it in base.split("\n") if it.startswith("#")]
        assert "\x1b" not in changed


@given(st.text(max_size=300), st.sampled_from(DecisionsMarker))
def test_no_text_breaks_the_file(text: str, marker: DecisionsMarker) -> None:
    changed = appended(NEW, replace(NOTE, marker=marker, text=text))
    before, _, after = NEW.partition(f"## {marker.value}\n")
    assert changed.startswith(before)
    assert changed.rstrip().endswith(after.partition("## ")[2].rstrip())
    assert "Split it" in appended(changed, OTHER)


def test_a_file_with_crlf_keeps_it() -> None:
    changed = appended(NEW.replace("\n", "\r\n"))
    assert f"\r\n{LINE}\r\n" in changed
    assert changed.count("\n") == changed.count("\r\n")


def test_a_heading_with_a_line_below_ends_the_section() -> None:
    mine = NEW.replace(
        "## Orchestration Notes\n",
        "Plan validation\n---------------\nFine.\n\n## Orchestration Notes\n",
    )
    text = appended(mine)
    assert text.index(LINE) < text.index("Plan validation")


@pytest.mark.parametrize(
    "tampered",
    [
        NEW.replace("# Decisions: auth", "# Decisions: other"),
        f"Before.\n{NEW}",
        NEW.replace("## Risks & Mitigations\n", "## Risks & Mitigations\n\nNone.\n"),
        NEW.replace("Appended to by the supervisor", "Rewritten by anybody", 1),
        f"{NEW}\n## Another\n",
        NEW.replace("## Orchestration Notes\n", ""),
        "",
    ],
)
def test_check_3_a_change_elsewhere_is_found_whoever_made_it(tampered: str) -> None:
    marker = DecisionsMarker.ESCALATIONS.value
    found = checked_change(NEW.split("\n"), tampered.split("\n"), marker)
    assert isinstance(found, RefusedNote)
    assert found.event is AlertType.DECISIONS_SCOPE_VIOLATION
