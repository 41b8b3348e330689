"""The approval panel with the seed's keys, and the diff behind it."""

from typing import cast

from tests.integration.tui.scene import on, press, screen_text, view_text, write
from tests.integration.tui.shop import Shop
from textual.pilot import Pilot
from textual.widgets import Input

from supervisor_ai.control.dashboard.patches import DiffFile
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.diff import Paint
from supervisor_ai.tui.screens.approval import ApprovalScreen
from supervisor_ai.tui.screens.board import BoardScreen
from supervisor_ai.tui.screens.diff import DiffScreen


def asked_about(pilot: Pilot[None]) -> RunId:
    """Return the run whose question is shown."""
    return cast("ApprovalScreen", pilot.app.screen).run


def tree(shop: Shop) -> str:
    return shop.records.queries.approvals(shop.asking)[-1].tree


def test_the_panel_shows_what_the_seed_shows(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a")
        head = [line.strip() for line in screen_text(pilot)[:4]]
        assert head == [
            "SUPERVISOR - Approval Required",
            "Task: r4xw55k9p3ne (Add auth endpoints)",
            "Risk Level: HIGH (changes auth code)",
            "Waits for: 1 approval",
        ]
        lines = [line.strip() for line in view_text(pilot, "panel")]
        assert "+ api/auth.py (new file, 14 lines)" in lines
        assert "~ middleware/auth.py (modified, +3/-2 lines)" in lines
        assert "✓ review: APPROVED" in lines
        assert "✓ test: PASSED (34 tests)" in lines
        assert "· changes auth code: api/auth.py by its path" in lines
        keys = " ".join(screen_text(pilot)[-1].split())
        assert keys == "A approve R reject D diff C comments S skip E edit ? help"

    shop.play(story)


def test_a_yes_is_about_exactly_what_is_shown(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "a")
        await write(pilot, "Looks right")
        assert shop.deeds.ordered == [("approve", shop.asking, tree(shop), "Looks right")]
        assert on(pilot, ApprovalScreen)
        assert asked_about(pilot) == shop.second

    shop.play(story)


def test_a_no_needs_a_reason(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "r", "enter")
        assert "A rejection needs a reason." in "\n".join(screen_text(pilot))
        assert shop.deeds.ordered == []
        await press(pilot, "r")
        await write(pilot, "Tokens have to end")
        assert shop.deeds.ordered == [("reject", shop.asking, tree(shop), "Tokens have to end")]

    shop.play(story)


def test_who_thinks_better_of_it_has_said_nothing(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "a", "escape", "r", "escape", "c", "escape")
        assert on(pilot, ApprovalScreen)
        assert shop.deeds.ordered == []

    shop.play(story)


def test_a_refused_answer_is_told_and_nothing_is_left(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        shop.deeds.refusal = Conflict("Step 'commit' asks about another tree.", hint="Look again.")
        await press(pilot, "a", "a")
        await write(pilot, "")
        assert on(pilot, ApprovalScreen)
        assert asked_about(pilot) == shop.asking
        assert "asks about another tree" in "\n".join(screen_text(pilot))

    shop.play(story)


def test_skipping_goes_from_question_to_question_and_back(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "s")
        assert on(pilot, ApprovalScreen)
        assert asked_about(pilot) == shop.second
        await press(pilot, "s")
        assert on(pilot, BoardScreen)
        assert shop.deeds.ordered == []

    shop.play(story)


def test_a_question_that_is_over_is_not_asked_any_more(own_shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a")
        own_shop.answer(own_shop.asking)
        pilot.app.take()  # type: ignore[attr-defined]
        await press(pilot)
        assert on(pilot, BoardScreen)
        assert "does not ask anything now" in "\n".join(screen_text(pilot))

    own_shop.play(story)


def test_an_answer_stays_with_the_tree_that_was_shown(own_shop: Shop) -> None:
    shown = tree(own_shop)

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "a")
        own_shop.answer(own_shop.asking)
        pilot.app.take()  # type: ignore[attr-defined]
        await write(pilot, "Late")
        assert own_shop.deeds.ordered == [("approve", own_shop.asking, shown, "Late")]

    own_shop.play(story)


def test_the_diff_shows_each_file_with_marks_findings_and_comments(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d")
        assert on(pilot, DiffScreen)
        assert screen_text(pilot)[0].strip() == "1/4 api/auth.py  added +14/-0"
        await press(pilot, "n")
        lines = view_text(pilot, "view")
        assert any(
            line.split()[:3] == ["14", "-", "token"] or "14      -" in line for line in lines
        )
        assert any("↪" in line for line in lines)
        await press(pilot, "n", "n")
        assert "This file is no text" in "\n".join(view_text(pilot, "view"))
        await press(pilot, "n", "p")
        assert screen_text(pilot)[0].strip().startswith("4/4 docs/login.png")
        await press(pilot, "escape")
        assert on(pilot, ApprovalScreen)

    shop.play(story)


def test_a_changed_word_is_marked_by_more_than_a_colour(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d", "n")
        view = pilot.app.screen.query_one("#view", LineView)
        marked = [
            line.plain[span.start : span.end]
            for line in view.lines
            for span in line.spans
            if "underline" in str(span.style)
        ]
        assert "authorization" in marked
        assert "token" in marked

    shop.play(story)


def test_a_line_is_commented_on(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d", "n", "down", "down", "c")
        assert "Comment on middleware/auth.py:10" in "\n".join(screen_text(pilot))
        await write(pilot, "Why?")
        assert shop.deeds.ordered == [("comment", shop.asking, "middleware/auth.py:10", "Why?")]
        await press(pilot, "escape", "c")
        await write(pilot, "api/auth.py:3 Who finds users?")
        assert shop.deeds.ordered[-1][2:] == ("api/auth.py:3", "Who finds users?")

    shop.play(story)


def test_a_line_that_is_gone_is_commented_on_too(own_shop: Shop) -> None:
    asked = own_shop.records.queries.approvals(own_shop.asking)[-1]
    put = own_shop.kernel.world.artifacts.put
    own_shop.tell(
        own_shop.asking,
        e.CommentMade(
            step=asked.step,
            visit=asked.visit,
            number=1,
            tree=asked.tree,
            file="middleware/auth.py",
            line=15,
            text=put("It was quicker."),
            person="grace",
            side=LineSide.OLD,
            quote=put("return token == MASTER_TOKEN"),
        ),
    )

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a")
        assert any("middleware/auth.py:-15 grace" in it for it in view_text(pilot, "panel"))
        await press(pilot, "d", "n", *["down"] * 7)
        lines = view_text(pilot, "view")
        removed = next(at for at, line in enumerate(lines) if "token == MASTER" in line)
        assert lines[removed + 1].strip() == "# grace: It was quicker."
        await press(pilot, "c")
        assert "Comment on middleware/auth.py:-14" in "\n".join(screen_text(pilot))
        await write(pilot, "Keep it")
        place, words = own_shop.deeds.ordered[-1][2:]
        assert (place, words) == ("middleware/auth.py:-14", "Keep it")
        await press(pilot, "escape", "c")
        await write(pilot, "middleware/auth.py:-15 Why not?")
        assert own_shop.deeds.ordered[-1][2:] == ("middleware/auth.py:-15", "Why not?")
        await press(pilot, "c")
        await write(pilot, "middleware/auth.py Why not?")
        assert "is no comment on" in "\n".join(screen_text(pilot))
        assert pilot.app.screen.query_one(Input).value == "middleware/auth.py Why not?"

    own_shop.play(story)


def test_words_of_a_refused_rejection_are_not_lost(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        shop.deeds.refusal = Conflict("Step 'commit' asks about another tree.")
        await press(pilot, "a", "r")
        await write(pilot, "Tokens have to end")
        await press(pilot, "r")
        assert pilot.app.screen.query_one(Input).value == "Tokens have to end"

    shop.play(story)


def test_colours_come_when_they_are_there(shop: Shop) -> None:
    asked: list[str] = []

    def paint(file: DiffFile) -> Paint:
        asked.append(file.path)
        line = file.hunks[0].lines[0]
        return {id(line): [(0, 3, "italic")]}

    shop.paint = paint

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d")
        view = pilot.app.screen.query_one("#view", LineView)
        assert any("italic" in str(span.style) for line in view.lines for span in line.spans)

    shop.play(story)
    assert asked[0] == "api/auth.py"
    shop.paint = lambda _: {}
