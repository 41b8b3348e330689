"""The board of runs, driven by keys in front of a real ledger."""

from typing import cast

import pytest
from tests.integration.tui.scene import TuiScene, leave, on, press, screen_text, view_text, write
from tests.integration.tui.shop import QUICK, Shop
from textual.pilot import Pilot
from textual.widgets import Input

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.screens.board import BoardScreen
from supervisor_ai.tui.screens.run import RunScreen


def test_a_project_without_runs_says_how_to_start_one(scene: TuiScene) -> None:
    async def story(pilot: Pilot[None]) -> None:
        shown = "\n".join(screen_text(pilot))
        assert "No runs yet." in shown
        assert 'supervisor run "' in shown

    scene.play(story)


def test_a_row_says_status_risk_cost_time_and_what_is_waited_for(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        lines = screen_text(pilot)
        assert "2 need you · 1 running · 1 interrupted · 6 runs" in lines[0]
        rows = view_text(pilot, "runs")
        assert " ".join(rows[0].split()) == "◆ needs you r4xw5 Add auth endpoints HIGH 0.42 4:47"
        assert (
            rows[1].strip()
            == "└ commit: the approval policy wants people to decide about this change"
        )
        assert " ".join(rows[4].split()) == "● running r6pt9 Add a /health endpoint - 0.00 0:47"
        assert "✗ failed" in rows[8]
        assert "✓ completed" in rows[10]

    shop.play(story)


@pytest.mark.parametrize("width", [40, 60, 80, 110, 140, 200])
def test_no_line_is_wider_than_the_screen(shop: Shop, width: int) -> None:
    async def story(pilot: Pilot[None]) -> None:
        for keys in ((), ("enter",), ("2",), ("3",), ("6",), ("escape", "a"), ("d",)):
            await press(pilot, *keys)
            for view in pilot.app.screen.query(LineView):
                if view.display:
                    assert not view.show_horizontal_scrollbar
                    assert max((line.cell_len for line in view.lines), default=0) <= width

    shop.play(story, size=(width, 24))


def test_new_facts_are_shown_as_they_come(scene: TuiScene) -> None:
    async def story(pilot: Pilot[None]) -> None:
        run = scene.kernel.submit(QUICK, task="Fix a typo")
        scene.kernel.world.log.read_all()
        pilot.app.take()  # type: ignore[attr-defined]
        await pilot.pause()
        assert "○ queued" in "\n".join(screen_text(pilot))
        assert run in scene.records.find("last").id

    scene.play(story)


def test_runs_are_searched_filtered_and_jumped_to(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "slash")
        await write(pilot, "typo")
        assert [row for row in view_text(pilot, "runs") if "r7kq2" in row]
        assert len(view_text(pilot, "runs")) == 1
        assert "1 of 6 runs, words: typo" in "\n".join(screen_text(pilot))
        await press(pilot, "escape")
        await press(pilot, "f")
        assert all("needs you" in row or "└" in row for row in view_text(pilot, "runs"))
        await press(pilot, "escape", "slash")
        await write(pilot, "nothing like it")
        assert "No run is like that." in "\n".join(screen_text(pilot))
        await press(pilot, "escape", "colon")
        await write(pilot, "zb9")
        assert on(pilot, RunScreen)
        assert "Fix a typo" in screen_text(pilot)[0]
        await press(pilot, "escape", "colon")
        await write(pilot, "zzz")
        assert on(pilot, BoardScreen)
        assert "There is no run 'zzz'" in "\n".join(screen_text(pilot))

    shop.play(story)


def test_the_next_run_that_needs_somebody_is_a_key_away(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        board = cast("BoardScreen", pilot.app.screen)
        await press(pilot, "end", "n")
        assert board.chosen == shop.asking
        await press(pilot, "n")
        assert board.chosen == shop.second
        await press(pilot, "n")
        assert board.chosen == shop.asking

    shop.play(story)


def test_one_more_run_that_needs_a_person_rings(own_shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert "needs you:" not in "\n".join(screen_text(pilot))
        for _ in range(10):
            app.take()  # type: ignore[attr-defined]
        run = own_shop.ask("Sell gift cards")
        app.take()  # type: ignore[attr-defined]
        await pilot.pause()
        assert f"{run} needs you: Sell gift cards" in "\n".join(screen_text(pilot))
        assert "3 need you" in screen_text(pilot)[0]

    own_shop.play(story)


def test_a_run_is_gone_on_with_and_cancelled(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "end", "g")
        await press(pilot, "x")
        assert pilot.app.focused is pilot.app.screen.query_one(Input)
        await write(pilot, "Not needed")
        assert [it[0] for it in shop.deeds.ordered] == ["go on", "cancel"]
        assert shop.deeds.ordered[1][2] == "Not needed"
        shop.deeds.refusal = Conflict("It has ended.", hint="Look again.")
        await press(pilot, "g")
        assert "It has ended. Look again." in "\n".join(screen_text(pilot))
        await press(pilot, "x", "escape")
        assert len(shop.deeds.ordered) == 2

    shop.play(story)


def test_nothing_is_drawn_once_the_screens_are_closed(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        assert on(pilot, BoardScreen)

    closed = shop.play(story)
    assert not closed.screen_stack
    shop.deeds.troubles.append("r1: The disk is full.")
    closed.take()
    assert shop.deeds.troubles == ["r1: The disk is full."]


def test_trouble_beside_the_screen_is_told(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        shop.deeds.troubles.append("r1: The disk is full.")
        shop.news.trouble = "The ledger is locked."
        pilot.app.take()  # type: ignore[attr-defined]
        pilot.app.screen.show()  # type: ignore[attr-defined]
        await pilot.pause()
        shown = "\n".join(screen_text(pilot))
        assert "The disk is full." in shown
        assert "not up to date: The ledger is locked." in shown

    shop.play(story)


def test_leaving_lets_go_of_the_ledger(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "enter")
        await leave(pilot, "q")

    shop.play(story)
    assert shop.news.is_stopped
