"""Text in columns."""

from supervisor_ai.cli.tables import columns, labelled, title


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
