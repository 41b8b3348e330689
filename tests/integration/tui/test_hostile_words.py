"""Words from outside: no escape reaches the terminal, no markup is obeyed, no line is lost."""

import re
from typing import Final

import pytest
from tests.integration.tui.scene import TuiScene, press, screen_text, view_text, write
from tests.integration.tui.shop import QUICK
from textual.pilot import Pilot

from supervisor_ai.control.slices import TaskLine, TaskList
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run import events as e

ESCAPES: Final = "\x1b[2J\x1b]0;owned\x07\x9b31m\x00\x07\u202edlrow\u200b"
MARKUP: Final = "[red]stop[/red] [@click=app.leave]click[/] [bold [/"
HOSTILE: Final = f"{ESCAPES}{MARKUP}"
SHOWN: Final = "[red]stop[/red] [@click=app.leave]click[/] [bold [/"
HARMFUL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]")
PATCH: Final = f"""\
diff --git a/x.py b/x.py
index 1..2 100644
--- a/x.py
+++ b/x.py
@@ -1,2 +1,2 @@ {HOSTILE}
-old {HOSTILE}
+new {HOSTILE}
 diff --git a/fake b/fake
diff --git "a/\\033[31m\\342\\200\\256[red].py" "b/\\033[31m\\342\\200\\256[red].py"
new file mode 100644
--- /dev/null
+++ "b/\\033[31m\\342\\200\\256[red].py"
@@ -0,0 +1 @@
+x
"""


@pytest.fixture
def hostile(scene: TuiScene) -> RunId:
    """Make a run whose every word is hostile."""
    scene.patch, scene.place = PATCH, f"/home/{HOSTILE}"
    run = scene.kernel.submit(QUICK, task=f"{HOSTILE}\nmore")
    step = StepName("implement")
    scene.tell(
        run,
        e.RunStarted(driver="workflow", parent=None, root=run),
        e.StepEntered(step=step, visit=1, start=None),
        e.EgressRefused(
            step=step, visit=1, slot=1, attempt=1, host=HOSTILE, port=1, reason=HOSTILE
        ),
        e.RunWaiting(reason=HOSTILE),
    )
    scene.deeds.printed = (HOSTILE, "\tindented")
    scene.deeds.troubles.append(HOSTILE)
    scene.listed = TaskList(
        title=HOSTILE,
        noun="list",
        phase=HOSTILE,
        source=HOSTILE,
        states=("todo",),
        tasks=(
            TaskLine(
                name=HOSTILE, title=HOSTILE, state="todo", who=HOSTILE, said="", is_current=True
            ),
        ),
    )
    return run


@pytest.mark.parametrize("size", [(40, 24), (80, 24), (140, 40)])
def test_nothing_from_outside_is_obeyed(
    scene: TuiScene, hostile: RunId, size: tuple[int, int]
) -> None:
    shown: list[str] = []

    async def story(pilot: Pilot[None]) -> None:
        for keys in ((), ("enter",), ("2",), ("3",), ("5",), ("6",), ("d",), ("n",), ("escape",)):
            await press(pilot, *keys)
            shown.extend(screen_text(pilot))
        await press(pilot, "t")
        shown.extend(screen_text(pilot))
        scene.deeds.refusal = Conflict(HOSTILE, hint=HOSTILE)
        await press(pilot, "escape", "g")
        shown.extend(screen_text(pilot))
        assert not pilot.app._exit

    scene.play(story, size=size)
    whole = "\n".join(shown)
    assert not HARMFUL.search(whole)
    assert "owned" not in whole
    assert "stop" in whole
    assert "[red]" in whole


def test_every_line_of_a_hostile_patch_is_shown(scene: TuiScene, hostile: RunId) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "d")
        lines = view_text(pilot, "view")
        assert any(line.rstrip().endswith(f"+ new <U+202E>dlrow{SHOWN}") for line in lines)
        assert any("diff --git a/fake b/fake" in line for line in lines)
        await press(pilot, "n")
        assert "<U+202E>[red].py" in screen_text(pilot)[0]

    scene.play(story, size=(140, 40), first=hostile)


def test_words_of_a_person_are_not_markup_either(scene: TuiScene, hostile: RunId) -> None:
    async def story(pilot: Pilot[None]) -> None:
        scene.deeds.troubles.clear()
        await press(pilot, "escape", "slash")
        await write(pilot, MARKUP)
        assert "words: [red]stop[/red]" in "\n".join(screen_text(pilot))

    scene.play(story, size=(140, 40), first=hostile)
