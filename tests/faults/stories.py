"""One short story for each driver: how it begins, and what has to come of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct
from tests.e2e.checkpoint_session import FIRST, SESSION, furnish_judged, open_drafted, told
from tests.e2e.command import User, furnish
from tests.e2e.feature_shop import CONFIG as SHOP
from tests.e2e.feature_shop import PLAN, SMALL
from tests.e2e.kanban_project import FILE, kanban_files
from tests.e2e.kanban_project import furnish as furnish_kanban
from tests.faults.scene import Work, work_of

AGENTS: Final = Path(__file__).parents[1] / "e2e"
LOOP: Final = """\
cli: my_agent
clis:
  my_agent: {adapter: command, command: [python3, tools/agent.py]}
gates:
  test: {command: [sh, -c, "! grep --recursive --quiet broken app"]}
loop: {gates: [test]}
quality: false
"""
KANBAN: Final = {"one": "Implementor", "two": "Implementor"}


class Story(Struct, frozen=True):
    """What a driver is asked, and what is seen of its work."""

    words: tuple[str, ...]
    prepare: Callable[[User], object]
    sight: Callable[[User], Work] = work_of
    is_resumed: bool = True
    """Or the same words go on with it."""


def prepare_run(user: User) -> None:
    """Let the agent write one line, however often it is asked."""
    furnish(user)
    agent = (AGENTS / "agent.py").read_text()
    line = 'f"{step} {counter} {deed}\\n"'
    assert line in agent
    user.commit({"tools/agent.py": agent.replace(line, 'f"{step}\\n"')})


def prepare_feature(user: User) -> None:
    """Let workers add lines: work that is done twice is seen."""
    agent = (AGENTS / "feature_agent.py").read_text()
    written = 'Path(file).write_text(f"{name}'
    assert written in agent
    user.commit(
        {
            ".supervisor/config.yaml": SHOP,
            ".supervisor/workflows/small.yaml": SMALL,
            "tools/agent.py": agent.replace(written, 'Path(file).open("a").write(f"{name}'),
            "tools/deeds.json": "{}",
            "src/README": "A shop.\n",
            "plan.yaml": PLAN,
        }
    )
    assert user.call("feature", "load", "plan.yaml").code == 0


def prepare_loop(user: User) -> None:
    """Plan two tasks and then one."""
    user.commit(
        {
            ".supervisor/config.yaml": LOOP,
            "tools/agent.py": (AGENTS / "loop_agent.py").read_text(),
            "tools/loop.json": json.dumps({"milestones": [2, 1], "deeds": {}}),
            "app/README": "An app.\n",
        }
    )


def prepare_checkpoint(user: User) -> None:
    """Ask for a checkpoint, and then for the end."""
    furnish(user)
    furnish_judged(user)
    open_drafted(user)
    assert user.call("checkpoint", "request", SESSION, *FIRST).code == 5
    bye = ("--data", json.dumps({"request_id": "r-1"}), "--session", SESSION)
    asked = ("msg", "log", "Bye", "--to", "supervisor", "--type", "shutdown_request", *bye)
    assert user.call(*asked).code == 0


def answers(user: User) -> Work:
    """Return what the supervisor of a session has said, and its reports."""
    said = [str((it["data"] or {}).get("content", it["type"])).splitlines()[0] for it in told(user)]
    reports = user.repository.glob(".supervisor/sessions/*/artifacts/*-report.md")
    return said, {it.name for it in reports}


STORIES: Final = {
    "run": Story(("run", "Do it", "--workflow", "quick", "--yes"), prepare_run),
    "kanban": Story(
        ("kanban", "run", FILE, "--yes"),
        lambda user: furnish_kanban(user, kanban_files(KANBAN)),
    ),
    "feature": Story(("feature", "run", "P1", "--yes"), prepare_feature),
    "loop": Story(("loop", "run", "Build the app", "--yes"), prepare_loop),
    "checkpoint": Story(
        ("checkpoint", "serve", SESSION, "--yes"), prepare_checkpoint, answers, is_resumed=False
    ),
}
