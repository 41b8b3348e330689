"""A slice is known by its name in at most three files that are not its own."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.drivers.registry import SLICES
from supervisor_ai.drivers.workflow.driver import WorkflowDriver

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src/supervisor_ai"
MOST: Final = 3
ROOMS: Final = {
    "loop": ("langgraph", "bootstrap/graphs.py"),
    "kanban": ("documents",),
    # The tasks of a session that are the supervisor's alone are called so, whoever makes them.
    "checkpoint": (
        *("domain/session", "control/sessions", "workspaces/sessions", "cli/commands/sessions"),
        *("control/ports/session_files.py", "definitions/builtin/pipelines"),
        "workers/installation/pages",
        # LangGraph calls what it saves so.
        "langgraph",
        # A phase of a feature can have one, which is an ordinary run of its own.
        *("drivers/feature", "definitions/feature"),
    ),
    # A budget can be that of a whole family of runs, and other people's tools have features, too.
    "feature": (
        *("gates", "workers/codex", "domain/git_flow/commit_message.py"),
        *("domain/run/launches.py", "domain/run/spending", "definitions/schema/spending"),
        *("definitions/loop", "drivers/quality", "drivers/team"),
        *(f"workspaces/commits/project_{it}.py" for it in ("landings", "trees")),
    ),
}
"""The rooms of adapters and words that belong to one slice alone."""
SIGNS: Final = {
    "loop": (
        *("drivers.loop", "definitions.loop", "commands.loop", "loop run", "loop show", "| loop"),
        *('"loop"', "loopdriver", "loopstate", "loopbook", "loopnode", "loopdefinition"),
    ),
    "team": ("drivers.team", "drivers/team", "definitions.team"),
}
"""How one sees that a slice is meant whose name is an ordinary word as well."""
OTHER_WORDS: Final = ("wal_checkpoint", "clarification checkpoint", "tech_lead_checkpoint")
"""What only sounds like a slice."""
CACHED: Final = {".pyc"}


def own_places(slice_name: str) -> Iterator[Path]:
    """Name where a slice and what is made for it alone may stand."""
    for room in ("drivers", "definitions", "workspaces"):
        yield PACKAGE / room / slice_name
    yield from (PACKAGE / room for room in ROOMS.get(slice_name, ()))
    yield from (PACKAGE / "cli/commands").glob(f"{slice_name}*")
    yield PACKAGE / "cli/demos" / f"{slice_name}.py"


def strangers(slice_name: str) -> list[str]:
    """Name the files that speak of a slice and are not its own."""
    own = tuple(map(str, own_places(slice_name)))
    below = tuple(f"{place}/" for place in own)
    others = (it for it in _files() if str(it) not in own and not str(it).startswith(below))
    return sorted(str(it.relative_to(ROOT)) for it in others if _knows(it, slice_name))


@cache
def _files() -> list[Path]:
    """Find what is looked at, once."""
    files = [ROOT / "pyproject.toml", *PACKAGE.rglob("*"), *(ROOT / "scripts").rglob("*")]
    return [it for it in files if it.suffix not in CACHED and it.is_file()]


def _knows(file: Path, slice_name: str) -> bool:
    if slice_name in SIGNS:
        return any(sign in _words(file) for sign in SIGNS[slice_name])
    return slice_name in _words(file) or slice_name in file.name


@cache
def _words(file: Path) -> str:
    text = file.read_text(encoding="utf-8").lower()
    for word in OTHER_WORDS:
        text = text.replace(word, "")
    return text


@pytest.mark.parametrize("slice_name", [it.name for it in SLICES if it.name != WorkflowDriver.name])
def test_few_files_know_a_slice_by_its_name(slice_name: str) -> None:
    found = strangers(slice_name)
    assert len(found) <= MOST, "\n".join(found)
    assert "src/supervisor_ai/drivers/registry.py" in found


def test_a_word_that_everybody_uses_is_found() -> None:
    assert len(strangers("ledger")) > MOST
