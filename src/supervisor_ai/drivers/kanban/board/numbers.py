"""What kanban and task files are called: one sequence of numbers, and a few words."""

import re
from collections.abc import Iterable
from typing import Final

from supervisor_ai.domain.slugs import cut, slug_of
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.kanban.board.kanban import folder_of

_NUMBER: Final = re.compile(r"([0-9]{1,9})(?![0-9])")
"""What a file name begins with; more digits than these are no number of ours."""
_TITLE_LENGTH: Final = 72
_CLEANED: Final = 2000
"""How much of a text is looked at to find a title in it."""
UNTITLED: Final = "Untitled"
_UNNAMED: Final = "task"


def number_of(path: str) -> int | None:
    """Read the number that a file's name begins with; None where it begins otherwise."""
    found = _NUMBER.match(path.rpartition("/")[2])
    return int(found[1]) if found else None


def next_number(paths: Iterable[str]) -> int:
    """Choose the number after the highest one in a folder; the first is 0."""
    numbers = (number_of(path) for path in paths)
    return max((number for number in numbers if number is not None), default=-1) + 1


def title_of(text: str) -> str:
    """Make a title of the first line that says something, shortened between words."""
    [line, *_] = plain(text[:_CLEANED]).strip().splitlines() or [""]
    words = " ".join(line.split())
    if len(words) <= _TITLE_LENGTH:
        return words or UNTITLED
    return f"{cut(words, _TITLE_LENGTH - 1, ' ')}…"


def task_path(kanban: str, number: int, title: str) -> str:
    """Name a new task file, beside the file of its kanban."""
    return f"{folder_of(kanban)}/{number}-{slug_of(title_of(title)) or _UNNAMED}.md"
