"""Wisdom only grows, and an entry is one line."""

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.drivers.checkpoint.reports import REPORT, a_report

from supervisor_ai.drivers.checkpoint.score import CheckVerdict
from supervisor_ai.drivers.checkpoint.wisdom import (
    appended,
    is_appended,
    new_entries,
    override_entry,
    risk_entries,
)


def test_the_risks_of_a_report_are_entries() -> None:
    assert risk_entries(REPORT) == (
        "- [CHECKPOINT-001 #1] risk: Every goal of the vision has a requirement: "
        "No requirement for the goal G-3. [supervisor]",
        "- [CHECKPOINT-001 #1] risk: Every task in progress has recent activity: "
        "no messages to analyze [supervisor]",
    )
    assert risk_entries(a_report(CheckVerdict.PASS)) == ()


def test_an_override_is_an_entry_with_who_and_why() -> None:
    entry = override_entry("CHECKPOINT-001", 1, by="ann", reason="known\n- [x] risk: none")
    assert entry == ("- [CHECKPOINT-001 #1] override: by ann: known - [x] risk: none [supervisor]")


def test_an_entry_is_a_line_of_its_own_and_once() -> None:
    assert appended("", ["- a", "- a"]) == "- a\n"
    assert appended("a note", ["- a"]) == "a note\n- a\n"
    assert appended("- a\n", ["- a", "- b"]) == "- a\n- b\n"
    assert appended("- a", ["- a"]) == "- a"


@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=4))
def test_what_is_there_stays_and_twice_is_once(text: str, reasons: list[str]) -> None:
    entries = [override_entry("CHECKPOINT-001", 1, by="a", reason=it) for it in reasons]
    grown = appended(text, entries)
    assert is_appended(text, grown)
    assert appended(grown, entries) == grown
    assert all(entry in grown.split("\n") for entry in entries)
    assert appended("", entries).count("\n") == len(set(entries))


def test_a_file_that_shrank_is_not_appended_to() -> None:
    assert not is_appended("ab", "a")


def test_what_is_new_is_what_was_added() -> None:
    assert new_entries("abcd", 2) == "cd"
    assert new_entries("ab", 7) == "ab"
    assert new_entries("ab", -1) == "ab"
