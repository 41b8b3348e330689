"""Kanban files for tests."""

from pathlib import Path
from typing import Final

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake, TaskFile

FILE: Final = "tasks/0-kanban-x.md"
TASK: Final = "tasks/1-a.md"
SAMPLES: Final = Path(__file__).parents[2] / "fixtures" / "kanban"
ENTRY: Final = (
    "\n### [t{0}] Entry\n\n**Facts:** it\n\n**Analysis:** is\n\n**Conclusion:** ok\n\nDone.\n"
)


def samples(folder: str) -> dict[str, bytes]:
    root = SAMPLES / folder
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")}


def kanban_text(
    *tasks: str, phase: str = "execute", current: str | None = None, more: str = ""
) -> str:
    listed = "".join(f"\n- {task}" for task in tasks) or " []"
    return f"---\nphase: {phase}\ncurrent: {current or 'null'}\ntasks:{listed}\n---\n{more}"


def task_text(header: str = "", body: str = "") -> str:
    return f"---\ntype: implement\n{header}---\n# Task: A\n{body}"


def kanban_and_task(header: str = "", body: str = "") -> dict[str, bytes]:
    """Return a kanban with one open task."""
    return encoded({FILE: kanban_text(TASK, current=TASK), TASK: task_text(header, body)})


def encoded(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def read(files: dict[str, bytes], file: str = FILE) -> Kanban:
    found = MarkdownKanbanReader().read(file, files)
    assert isinstance(found, Kanban), found
    return found


def read_task(header: str = "", body: str = "") -> TaskFile:
    return read(kanban_and_task(header, body)).files[TASK]


def wrong(files: dict[str, bytes], file: str = FILE) -> list[str]:
    found = MarkdownKanbanReader().read(file, files)
    assert not isinstance(found, Kanban), found
    assert all(isinstance(mistake, Mistake) for mistake in found)
    return [str(mistake) for mistake in found]
