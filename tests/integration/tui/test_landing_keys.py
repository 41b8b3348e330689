"""Edit, merge and complete on the screen: shown first, done as shown, refused in words."""

from contextlib import AbstractContextManager

import pytest
from tests.integration.tui.scene import TuiScene, leave, on, press, screen_text, write
from tests.integration.tui.shop import Shop
from textual.app import SuspendNotSupported
from textual.pilot import Pilot
from textual.widgets import Input

from supervisor_ai.domain.errors import Conflict, Unavailable
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.tui.screens.approval import ApprovalScreen
from supervisor_ai.tui.screens.ask import AskScreen
from supervisor_ai.tui.screens.board import BoardScreen
from supervisor_ai.tui.screens.diff import DiffScreen


def shown(pilot: Pilot[None]) -> str:
    """Return the screen's words, however they are broken."""
    lines = (line.strip(" │▌╭╮╰╯─") for line in screen_text(pilot))
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize(("key", "verb"), [("m", "merge"), ("l", "complete-task")])
@pytest.mark.parametrize("is_open", [False, True])
def test_what_would_land_is_shown_and_then_done(
    shop: Shop, key: str, verb: str, *, is_open: bool
) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, *(("enter",) if is_open else ()), key)
        assert f"{verb} {shop.asking}?" in shown(pilot)
        assert "Merge target: main" in shown(pilot)
        assert "--into BRANCH --ff --merge --squash" in shown(pilot)
        assert [it[0] for it in shop.deeds.ordered] == ["preview"]
        await press(pilot, "enter")
        lines = ("Commit: feat: as usual", "Merge target: main")
        assert shop.deeds.ordered[1:] == [("land", shop.asking, verb, *lines)]
        assert "Done: land." in shown(pilot)

    shop.play(story)


def test_options_are_shown_again_before_anything_is_done(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "m")
        await write(pilot, "--squash --into release")
        assert [it[0] for it in shop.deeds.ordered] == ["preview", "preview"]
        assert "Merge target: release" in shown(pilot)
        assert pilot.app.screen.query_one(Input).value == "--squash --into release"
        await press(pilot, "enter")
        lines = ("Commit: feat: --squash --into release", "Merge target: release")
        assert shop.deeds.ordered[-1] == ("land", shop.asking, "merge", *lines)

    shop.play(story)


def test_who_thinks_better_of_it_or_mistypes_lands_nothing(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "m", "escape", "l", "escape")
        await press(pilot, "m")
        await write(pilot, "--rebase")
        assert "'--rebase' is no option of merge" in shown(pilot)
        assert on(pilot, BoardScreen)
        shop.deeds.refusal = Conflict("Run 'r1' cannot be merged: it is waiting.")
        await press(pilot, "m")
        assert "cannot be merged: it is waiting" in shown(pilot)
        assert on(pilot, BoardScreen)
        assert {it[0] for it in shop.deeds.ordered} == {"preview"}

    shop.play(story)


def test_where_nothing_is_left_to_be_done_nothing_is_asked(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        shop.deeds.is_landed = True
        await press(pilot, "m")
        assert on(pilot, BoardScreen)
        assert "Merge target: main" in shown(pilot)

    shop.play(story)


def test_an_empty_board_has_nothing_to_land(scene: TuiScene) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "m", "l", "g", "x", "a", "t")
        assert on(pilot, BoardScreen)
        assert scene.deeds.ordered == []

    scene.play(story)


def test_a_yes_to_a_finished_task_shows_what_would_land(own_shop: Shop) -> None:
    asked = own_shop.kernel.play(own_shop.asking).run.approval
    assert asked is not None
    again = replace(
        asked, visit=2, reason=ApprovalReason.COMPLETION, assessment=None, question=None
    )
    own_shop.answer(own_shop.asking)
    own_shop.tell(
        own_shop.left,
        e.ApprovalRequested(
            step=StepName("implement"),
            visit=1,
            reason=again.reason,
            tree=again.tree,
            commit=again.commit,
            question=None,
        ),
        e.RunWaiting(reason="an approval"),
    )

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "colon")
        await write(pilot, own_shop.left)
        await press(pilot, "a")
        assert on(pilot, ApprovalScreen)
        await press(pilot, "a")
        assert f"complete-task {own_shop.left}?" in shown(pilot)
        await press(pilot, "escape", "l")
        assert f"complete-task {own_shop.left}?" in shown(pilot)

    own_shop.play(story)


def test_a_file_is_edited_on_the_terminal_that_the_screen_leaves(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d", "n", "e")
        assert shop.deeds.ordered == [
            ("edit", shop.asking, "middleware/auth.py"),
            ("edited", "middleware/auth.py as it is\nmine\n"),
        ]
        assert on(pilot, DiffScreen)
        assert "Done: edited." in shown(pilot)

    shop.play(story)
    assert not shop.is_left


def test_of_several_files_a_person_says_which(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "e")
        assert pilot.app.screen.query_one(Input).value == "api/auth.py"
        await write(pilot, "api/auth.py 'my file.py'")
        assert shop.deeds.ordered[0] == ("edit", shop.asking, "api/auth.py", "my file.py")
        assert [it[0] for it in shop.deeds.ordered] == ["edit", "edited"]
        await press(pilot, "e")
        await write(pilot, "'broken")
        assert "a quotation mark is missing" in shown(pilot)
        await press(pilot, "e", "escape")
        assert len(shop.deeds.ordered) == 2

    shop.play(story)


def test_a_refused_edit_opens_no_editor(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        shop.deeds.refusal = Conflict("Run 'r1' asks because of 'blocked', and no edit answers it.")
        await press(pilot, "a", "d", "e")
        assert "no edit answers it" in shown(pilot)
        assert not any(isinstance(it, AskScreen) for it in pilot.app.screen_stack)

    shop.play(story)


def test_an_editor_that_fails_changes_nothing_and_gives_the_screen_back(own_shop: Shop) -> None:
    def broken(texts: object) -> dict[str, bytes]:
        del texts
        raise Unavailable("The editor 'vi' ended with code 1; nothing was changed.")

    own_shop.editor = broken

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d", "e")
        assert "ended with code 1" in shown(pilot)
        assert [it[0] for it in own_shop.deeds.ordered] == ["edit"]
        await press(pilot, "n")
        assert on(pilot, DiffScreen)

    own_shop.play(story)
    assert not own_shop.is_left


def test_a_terminal_that_cannot_be_left_says_so(own_shop: Shop) -> None:
    def stay() -> AbstractContextManager[None]:
        raise SuspendNotSupported

    own_shop.leaving = stay

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d", "e")
        assert "No editor can be opened on this terminal" in shown(pilot)

    own_shop.play(story)


def test_what_nobody_thought_of_is_told_and_the_screen_stays(own_shop: Shop) -> None:
    def broken(texts: object) -> dict[str, bytes]:
        return {"another file": b""}

    own_shop.editor = broken

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "a", "d", "e")
        assert "This is a bug in supervisor: AssertionError" in shown(pilot)
        assert on(pilot, DiffScreen)

    own_shop.play(story)


def test_who_leaves_stops_what_is_driven_here(shop: Shop) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await leave(pilot, "q")

    shop.play(story)
    assert shop.deeds.is_interrupted
    assert shop.news.is_stopped
