"""Pictures of every screen, the same each time: fixed names, times and sizes.

Example: .venv/bin/python -m tests.integration.tui.pictures
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.integration.tui.scene import LARGE, SMALL, TuiScene, press
from tests.integration.tui.shop import Shop
from textual.pilot import Pilot
from textual.widgets import Input

from supervisor_ai.control.slices import TaskLine, TaskList
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.tui.painter import ConfinedPainter

PLACE: Final = Path(__file__).parents[3] / "docs" / "pictures"


class View(NamedTuple):
    """What a person does to come to a screen from the one before."""

    name: str
    keys: tuple[str, ...] = ()
    words: str = ""
    """What is written where something is asked for."""
    back: tuple[str, ...] = ()
    """What leads on from there."""


WALK: Final = (
    View("board"),
    View("search", ("slash",), "auth", ("escape",)),
    View("help", ("question_mark",), back=("escape",)),
    View("tasks", ("t",), back=("escape",)),
    View("complete", ("l",), back=("escape",)),
    View("run", ("down", "down", "enter", "1"), back=("escape", "home")),
    View("log", ("enter", "2")),
    View("gates", ("3",)),
    View("output", ("5",)),
    View("cost", ("6",), back=("escape",)),
    View("approval", ("a",)),
    View("reject", ("r",), "Tokens have to end", ("escape",)),
    View("diff", ("d", "n")),
    View("comment", (*["down"] * 10, "c"), "Why not a constant?"),
)
TASKS: Final = TaskList(
    title="Login page",
    noun="kanban",
    phase="execute",
    source="ai/r7kq20a01zb9-login at 4f2a9c01b7de",
    states=("todo", "review", "done"),
    tasks=tuple(
        TaskLine(name=str(at), title=title, state=state, who=who, said=said, is_current=at == 3)
        for at, (title, state, who, said) in enumerate(
            (
                ("Explore how sessions are kept", "done", "Architect", "ok"),
                ("Design the form", "done", "Architect", "ok"),
                ("Write the form", "review", "Implementer", "ok"),
                ("Check passwords", "todo", "Implementer", ""),
                ("Log out everywhere", "todo", "Implementer", ""),
            ),
            1,
        )
    ),
)


def drawn() -> Iterator[tuple[str, str]]:
    """Draw all pictures; return each with its name."""
    with tempfile.TemporaryDirectory() as directory:
        shop = furnished(Path(directory) / "shop")
        for size in (SMALL, LARGE):
            yield from _walk(shop, WALK, size)
        yield from _walk(shop, (View("board"), View("approval", ("a",))), (40, 24))
        shop.kernel.close()
        empty = TuiScene(Path(directory) / "empty")
        yield from _walk(empty, (View("empty"),), SMALL)
        empty.kernel.close()


def furnished(directory: Path) -> Shop:
    """Make a shop with something to see on every screen."""
    shop = Shop(directory)
    shop.paint, shop.listed = ConfinedPainter().paint, TASKS
    put = shop.kernel.world.artifacts.put
    finding = {
        "rule": "session_store",
        "message": "Sessions are lost when the process ends.",
        "file": "middleware/auth.py",
        "line": 12,
    }
    commit, tree = StepName("commit"), shop.records.queries.approvals(shop.asking)[-1].tree
    guard = {"step": StepName("implement-guard"), "visit": 1, "slot": 1}
    shop.tell(
        shop.asking,
        e.GateStarted(**guard, gate="risky_changes", snapshot=CommitSha("d" * 40)),  # type: ignore[arg-type]
        e.GateEnded(
            **guard,  # type: ignore[arg-type]
            gate="risky_changes",
            verdict=Verdict.WARNED,
            reason="One thing to look at.",
            output=None,
            findings=1,
            report=put(json.dumps([finding])),
        ),
        e.CommentMade(
            step=commit,
            visit=1,
            slot=1,
            number=1,
            tree=tree,
            file="middleware/auth.py",
            line=15,
            text=put("Compare in constant time, please."),
            person="grace",
        ),
    )
    return shop


def _walk(
    scene: TuiScene, views: tuple[View, ...], size: tuple[int, int]
) -> Iterator[tuple[str, str]]:
    found: list[tuple[str, str]] = []

    async def story(pilot: Pilot[None]) -> None:
        for view in views:
            await press(pilot, *view.keys)
            if view.words:
                entry = pilot.app.screen.query_one(Input)
                entry.value, entry.cursor_position = view.words, len(view.words)
            if view.name == "search":
                await press(pilot, "enter")
            await pilot.pause()
            picture = pilot.app.export_screenshot(title="supervisor tui")
            found.append((f"{view.name}-{size[0]}x{size[1]}.svg", picture))
            await press(pilot, *view.back)

    scene.renew()
    scene.deeds.printed = (
        "── implement visit 1 attempt 1, implementer",
        "Reading api/ and middleware/ …",
        "Writing api/auth.py",
        "12 tests written",
    )
    scene.deeds.landing = (
        "Commit: feat(auth): Add auth endpoints",
        "Files: api/auth.py, middleware/auth.py, tests/test_auth.py, docs/login.png",
        "Merge target: main",
    )
    scene.play(story, size=size)
    yield from found


def in_utc() -> None:
    """Let times of day be the same everywhere."""
    os.environ["TZ"] = "UTC"
    time.tzset()


def main() -> None:
    """Write them all, and remove those that nobody draws any more."""
    in_utc()
    PLACE.mkdir(exist_ok=True)
    pictures = dict(drawn())
    for old in PLACE.glob("*.svg"):
        if old.name not in pictures:
            old.unlink()
    for name, picture in pictures.items():
        (PLACE / name).write_text(f"{picture.rstrip()}\n")


if __name__ == "__main__":
    main()
