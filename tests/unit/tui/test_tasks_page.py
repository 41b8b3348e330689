"""A list of tasks with panels above it: who works on them, and what needs somebody."""

from supervisor_ai.control.slices import TaskLine, TaskList, TaskPanel
from supervisor_ai.tui.pages.tasks import tasks_blocks, tasks_head

TASK = TaskLine(
    name="#1", title="Log in", state="IN_REVIEW", who="ada", said="rev 2", is_current=True
)
LIST = TaskList(
    title="auth",
    noun="team",
    phase="EXECUTION",
    source="the ledger",
    states=("IN_REVIEW", "DONE"),
    tasks=(TASK,),
    panels=(
        TaskPanel(title="Ownership", rows=(("OWNER", "LOCK"), ("supervisor@2", "OPEN"))),
        TaskPanel(title="Alerts", rows=(("SEVERITY", "TYPE"),)),
        TaskPanel(
            title="Roster",
            rows=(
                ("MEMBER", "STAGE", "WAITS"),
                ("ada", "none", "coding"),
                ("b" * 40, "nudged", "\x1b[31mwaiting_review " + "x" * 80),
            ),
            alerts=frozenset({1}),
        ),
    ),
)


def drawn(tasks: TaskList, width: int) -> list[str]:
    return [line.plain.rstrip() for block in tasks_blocks(tasks, width) for line in block.lines]


def test_panels_stand_above_the_tasks_and_empty_ones_nowhere() -> None:
    lines = drawn(LIST, 60)
    assert [it for it in lines if "─" in it or "Roster" in it] != []
    text = "\n".join(lines)
    assert text.index("Ownership") < text.index("Roster") < text.index("IN_REVIEW (1)")
    assert "Alerts" not in text
    assert "  supervisor@2 OPEN" in text
    assert "  ada" in text


def test_a_row_that_needs_somebody_has_a_mark_and_stays_on_its_line() -> None:
    (row,) = [it for it in drawn(LIST, 60) if it.startswith("! ")]
    assert row.startswith("! " + "b" * 23 + "… nudged waiting_review")
    assert len(row) <= 60
    assert "\x1b" not in row


def test_the_head_says_what_it_is() -> None:
    assert [line.plain for line in tasks_head(LIST, 60)] == [
        "team: auth  EXECUTION",
        "1 task, read from the ledger",
    ]
    assert [line.plain for line in tasks_head(None, 60)] == ["The list is being read …"]
