"""What the Manager owes: an answer that says what the kanban file says, and nothing lost."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final

from supervisor_ai.documents.paths import resolve
from supervisor_ai.drivers.kanban.board.kanban import Kanban, LogEntry
from supervisor_ai.tools.text import excerpt

_NAMED: Final = 5
_LONGEST: Final = 80


def plan_problems(
    kanban: Kanban, listed: tuple[str, ...], answer: Mapping[str, object]
) -> Iterator[str]:
    """Hold a kanban against the answer, and against the tasks that it listed before."""
    yield from _end_problems(kanban)
    yield from _dropped(kanban, listed)
    yield from _differences(kanban, answer)


def lost_entries(
    path: str, old: tuple[LogEntry, ...], new: tuple[LogEntry, ...] | None
) -> Iterator[str]:
    """Find what a work log had and has no more; no new one: the file is gone."""
    if new is None:
        yield f"{path}: The file was removed; expected every task file to stay."
        return
    lost = [*(Counter(old) - Counter(new)).elements()]
    if lost:
        first = excerpt(f"[{lost[0].at}] {lost[0].title}")
        yield (
            f"{path}: The work log has lost or changed {len(lost)} of its {len(old)} entries, "
            f"first {first}; expected all of them as they were."
        )


def _end_problems(kanban: Kanban) -> Iterator[str]:
    if kanban.is_complete and kanban.open:
        names = ", ".join(map(excerpt, kanban.open[:_NAMED]))
        yield f"{kanban.path}: The kanban is complete, but tasks are open: {names}."


def _dropped(kanban: Kanban, listed: tuple[str, ...]) -> Iterator[str]:
    gone = [path for path in listed if path not in kanban.files]
    if gone:
        names = ", ".join(map(excerpt, gone[:_NAMED]))
        yield f"{kanban.path}: Tasks were dropped from the list: {names}; expected all to stay."


def _differences(kanban: Kanban, answer: Mapping[str, object]) -> Iterator[str]:
    """Compare what the answer says with what the kanban file says; tasks it need not repeat."""
    following = _path(answer.get("next_task"), kanban.folder)
    if following != kanban.current:
        yield (
            f"{kanban.path}: {_next(answer)} and the file's current is {_said(kanban.current)}; "
            "expected the same."
        )
    if "tasks" not in answer:
        return
    named = answer["tasks"]
    if not isinstance(named, list):
        yield f"{kanban.path}: The answer's tasks are {_said(named)}; expected a list of paths."
        return
    for number, (said, there) in enumerate(zip_longest(named, kanban.tasks), start=1):
        if number > len(named) or _path(said, kanban.folder) != there or there is None:
            in_answer = _said(said) if number <= len(named) else "missing"
            in_file = "missing" if there is None else excerpt(there)
            yield (
                f"{kanban.path}: Task {number} is {in_answer} in the answer and {in_file} in the "
                "file; expected the same tasks in the same order."
            )
            return


def _next(answer: Mapping[str, object]) -> str:
    if "next_task" in answer:
        return f"The answer's next_task is {_said(answer['next_task'])}"
    return "The answer has no next_task, which means that the workflow is complete,"


def _path(named: object, folder: str) -> object:
    """Normalise a path; what is none stays as it is, and so is equal to no path."""
    if not isinstance(named, str):
        return named
    if named.strip().lower() in {"", "null", "none"}:
        return None
    return resolve(named, folder) or f"/{named}"


def _said(value: object) -> str:
    """Show a value of the answer: a text in quotes, anything else as JSON."""
    return excerpt(value) if isinstance(value, str) else json.dumps(value)[:_LONGEST]
