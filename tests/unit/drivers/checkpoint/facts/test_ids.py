"""Ids are recognised in all the ways in which people write them."""

import pytest

from supervisor_ai.drivers.checkpoint.facts.ids import family, find_ids, leading_id


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("G1 and GOAL-1, Goal 1, OBJ-01", ["G-1", "G-1", "G-1", "G-1"]),
        ("R1, REQ-001, requirement 1, FR-1, NFR-2", ["REQ-1", "REQ-1", "REQ-1", "FR-1", "NFR-2"]),
        ("US-1 STORY-2 EPIC-3 story 4", ["US-1", "US-2", "EPIC-3", "US-4"]),
        ("ADR-0007, D7, DEC-7", ["ADR-7", "DEC-7", "DEC-7"]),
        ("REQ-1.02.3", ["REQ-1.2.3"]),
        ("T1 depends on TASK-2", ["TASK-1", "TASK-2"]),
        ("b2b, x1, A1b, G1_x, pre-G1, task1, 2024", []),
        ("DRAFT-001", ["DRAFT-1"]),
        ("", []),
    ],
)
def test_ids_are_found(text: str, ids: list[str]) -> None:
    assert list(find_ids(text)) == ids


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("G1: pay fast", ("G-1", "pay fast")),
        ("REQ-001 | Pay | Must", ("REQ-1", "Pay | Must")),
        ("T1 \u2014 do it", ("TASK-1", "do it")),
        ("[G1] pay", ("", "[G1] pay")),
        ("G1", ("G-1", "")),
        ("G1, G2", ("", "G1, G2")),
        ("pay G1", ("", "pay G1")),
        ("abc1 x", ("", "abc1 x")),
    ],
)
def test_the_id_at_the_beginning_is_taken_off(text: str, found: tuple[str, str]) -> None:
    assert leading_id(text) == found


def test_a_line_with_many_ids_has_an_end() -> None:
    assert len(list(find_ids("G1 " * 1000))) == 64


def test_an_id_says_what_it_is_of() -> None:
    assert family("REQ-1.2") == "REQ"
    assert family("") == ""
