"""One run on the screen: its steps, log, gates, output and cost."""

from tests.integration.tui.scene import LARGE, on, press, screen_text, view_text
from tests.integration.tui.shop import Shop
from textual.pilot import Pilot

from supervisor_ai.control.slices import TaskLine, TaskList
from supervisor_ai.tui.key_table import SECTIONS
from supervisor_ai.tui.screens.board import BoardScreen
from supervisor_ai.tui.screens.help import HelpScreen
from supervisor_ai.tui.screens.run import RunScreen
from supervisor_ai.tui.screens.tasks import TasksScreen


def test_the_steps_stand_below_each_other_with_what_they_said(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        assert screen_text(pilot)[0].strip() == "Add auth endpoints"
        assert "◆ needs you  4:47  0.42 USD  risk HIGH  r4xw55k9p3ne" in screen_text(pilot)[1]
        rows = [row.split() for row in view_text(pilot, "view")]
        assert rows[0] == ["✓", "plan", "COMPLETE", "plan", "0:40"]
        assert rows[1][:3] == ["✓", "implement", "SUCCESS"]
        assert rows[2][:3] == ["✓", "test", "passed"]
        assert rows[3] == ["│", "if", "it", "fails", "→", "implement"]
        assert ["◆", "commit"] in [row[:2] for row in rows]

    shop.play(story, first=shop.asking)


def test_the_log_leaves_routine_out_until_it_is_wanted(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "2")
        short = view_text(pilot, "view")
        assert any("✓ gate test passed" in line for line in short)
        assert any("◆ has made a change whose risk" in line for line in short)
        assert not any("prompt" in line for line in short)
        await press(pilot, "e")
        whole = view_text(pilot, "view")
        assert len(whole) > len(short)
        assert any("prompt" in line for line in whole)

    shop.play(story, first=shop.asking)


def test_gates_output_and_cost_are_a_key_away(shop: Shop) -> None:
    shop.deeds.printed = ("Reading …", "\x1b[31mred\x1b[0m [bold]not markup[/bold]")

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "3")
        assert view_text(pilot, "view")[0].startswith("✓ test passed  test 1, 34 tests")
        await press(pilot, "5")
        assert view_text(pilot, "view") == ["Reading …", "red [bold]not markup[/bold]"]
        await press(pilot, "6")
        rows = [row.split() for row in view_text(pilot, "view")]
        assert ["implementation", "0.31", "61,400", "7,350"] in rows
        assert ["all", "0.42", "85,500", "9,450"] in rows
        assert ["budget:", "5", "USD,", "20", "attempts"] in rows
        await press(pilot, "tab")
        assert "[1 Steps]" in "\n".join(screen_text(pilot))
        await press(pilot, "shift+tab")
        assert "[6 Cost]" in "\n".join(screen_text(pilot))

    shop.play(story, first=shop.asking)


def test_where_there_is_room_the_steps_stand_beside_the_log(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        assert view_text(pilot, "side")[0].startswith("✓ plan")
        assert any("gate test passed" in line for line in view_text(pilot, "view"))
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert not pilot.app.screen.query_one("#side").display

    shop.play(story, size=LARGE, first=shop.asking)


def test_a_failed_run_says_why(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        shown = "\n".join(view_text(pilot, "view"))
        assert "worker_failed" in shown
        assert "I could not do it." in shown

    shop.play(story, first=shop.failed)


def test_a_run_without_a_question_has_no_panel(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a")
        assert on(pilot, RunScreen)
        assert "does not ask anything now" in "\n".join(screen_text(pilot))

    shop.play(story, first=shop.failed)


def test_the_list_of_tasks_stands_by_state(shop: Shop) -> None:
    def task(name: str, state: str, *, is_current: bool = False) -> TaskLine:
        title = f"Task {name}"
        return TaskLine(
            name=name, title=title, state=state, who="Architect", said="ok", is_current=is_current
        )

    shop.listed = TaskList(
        title="Login page",
        noun="kanban",
        phase="execute",
        source="ai/r1 at abc",
        states=("todo", "review", "done"),
        tasks=(task("1", "done"), task("2", "todo", is_current=True), task("3", "todo")),
    )

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "t")
        assert on(pilot, TasksScreen)
        rows = view_text(pilot, "tasks")
        assert "─ todo (2)" in rows[0]
        assert "─ done (1)" in rows[0]
        assert "→ 2 Task 2" in rows[1]
        assert "1 Task 1" in rows[1]
        await pilot.resize_terminal(40, 24)
        await pilot.pause()
        assert [row for row in view_text(pilot, "tasks") if row.startswith("─ done")]
        await pilot.resize_terminal(100, 24)
        shop.listed = None
        await press(pilot, "escape", "t")
        assert "works through no list of tasks" in "\n".join(screen_text(pilot))

    shop.play(story)
    shop.listed = None


def test_the_help_page_names_every_key(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "question_mark")
        assert on(pilot, HelpScreen)
        shown = "\n".join(view_text(pilot, "help"))
        for title, keys in SECTIONS:
            assert f"─ {title}" in shown
            assert all(key.help.split()[0] in shown for key in keys)
        await press(pilot, "question_mark", "escape")
        assert on(pilot, BoardScreen)

    shop.play(story)
