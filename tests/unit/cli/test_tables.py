"""Text in columns."""

from collections.abc import Callable, Sequence

import pytest

from supervisor_ai.cli.tables import columns, fitted, folded, labelled, title

ROWS = [
    ("RUN", "STATUS", "TASK"),
    ("r0123456789ab", "waiting", "Add a thing to the package of averages"),
]


@pytest.fixture(autouse=True)
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_cells_stand_under_each_other() -> None:
    rows = [("RUN", "STATUS", "TASK"), ("r1", "waiting", "Add a thing"), ("r234", "ok", "")]
    assert columns(rows) == [
        "RUN   STATUS   TASK",
        "r1    waiting  Add a thing",
        "r234  ok",
    ]
    assert columns([]) == []


def test_further_lines_of_a_value_stand_under_the_first() -> None:
    assert labelled([("run", "r1"), ("changes", "one\ntwo")]) == [
        "  run      r1",
        "  changes  one",
        "           two",
    ]


def test_a_title_is_one_harmless_line() -> None:
    assert title("\n  Add \x1b[2J a\tthing \nand more") == "Add a thing"


def test_what_does_not_fit_goes_on_below(monkeypatch: pytest.MonkeyPatch) -> None:
    assert columns(ROWS)[1].endswith("averages")
    monkeypatch.setenv("COLUMNS", "48")
    assert columns(ROWS) == [
        "RUN            STATUS   TASK",
        "r0123456789ab  waiting  Add a thing to the",
        "                        package of averages",
    ]
    assert fitted(ROWS) == [
        "RUN            STATUS   TASK",
        "r0123456789ab  waiting  Add a thing to the pa…",
    ]


@pytest.mark.parametrize("lay_out", [columns, fitted])
def test_where_there_is_no_room_for_columns_a_row_is_a_paragraph(
    lay_out: Callable[[Sequence[Sequence[str]]], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert lay_out(ROWS) == [
        "RUN  STATUS  TASK",
        "r0123456789ab  waiting",
        "  Add a thing to the package",
        "  of averages",
    ]


def test_a_number_in_a_paragraph_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "32")
    rows = [("STEP", "STATUS", "VISITS", "VERDICT"), ("implement", "passed", "2", "no loss at all")]
    assert columns(rows)[1:] == ["implement  passed  visits 2", "  no loss at all"]


@pytest.mark.parametrize("width", range(1, 60))
def test_no_word_is_lost_or_torn(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    words = " ".join(cell for row in ROWS for cell in row).split()
    assert sorted(" ".join(columns(ROWS)).split()) == sorted(words)
    assert " ".join(labelled([("run", "r0123456789ab")])).split() == ["run", "r0123456789ab"]


def test_on_a_narrow_terminal_values_stand_under_their_labels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    typed = "git diff 0123456789ab 0123456789ac"
    assert labelled([("task", "Add a thing to the package"), ("next", typed)]) == [
        "  task",
        "    Add a thing to the",
        "    package",
        "  next",
        f"    {typed}",
    ]


def test_a_line_goes_on_below_its_indent(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "  sees rules, target and tree"
    assert list(folded([line])) == [line]
    monkeypatch.setenv("COLUMNS", "20")
    assert list(folded([line, "whole"])) == ["  sees rules,", "    target and tree", "whole"]
