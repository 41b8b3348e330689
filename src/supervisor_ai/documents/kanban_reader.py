"""Reads a kanban, and judges the files that an agent left: by their form alone."""

import json
from collections.abc import Iterator
from itertools import zip_longest

from supervisor_ai.documents.fields import Mistakes, shown
from supervisor_ai.documents.file_text import decode
from supervisor_ai.documents.kanban_reading import read_kanban
from supervisor_ai.documents.outline import Outline
from supervisor_ai.documents.paths import resolve
from supervisor_ai.documents.work_logs import work_log
from supervisor_ai.domain.kanban.kanban import Agent, Kanban, LogEntry, Mistake
from supervisor_ai.domain.kanban.policy import Duty
from supervisor_ai.engine.ports.kanban import Files


class MarkdownKanbanReader:
    """Reads kanban and task files in markdown with front matter."""

    def read(self, file: str, files: Files) -> Kanban | tuple[Mistake, ...]:
        """Return what the files say, or everything that is wrong with them."""
        return read_kanban(file, files)

    def judge(self, duty: Duty, before: Files, after: Files, answer: str) -> tuple[str, ...]:
        """Say in what way the files that a worker left do not have the required form."""
        fields = _answer(answer)
        if fields is None:
            return ("The answer is no JSON object.",)
        if duty.agent is Agent.MANAGER and fields.get("status") != "ok":
            return ()  # a person is asked, and nothing of it is kept
        kanban = read_kanban(duty.place.file, after)
        if not isinstance(kanban, Kanban):
            return tuple(map(str, kanban))
        if duty.agent is Agent.MANAGER:
            return tuple(_plan_problems(kanban, before, after, fields))
        return tuple(_work_problems(duty, before, after, fields))


def _answer(text: str) -> dict[str, object] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _work_problems(
    duty: Duty, before: Files, after: Files, answer: dict[str, object]
) -> Iterator[str]:
    if duty.task is None or answer.get("status") == "error":
        return
    old, new = log_of(duty.task, before), log_of(duty.task, after)
    if len(new) <= len(old):
        yield (
            f"{duty.task}: The work log has {len(new)} entries and had {len(old)} before; "
            "expected a new one at its end, '### [timestamp] Title'."
        )
        return
    known = frozenset(old)
    # Some write the newest entry first: what counts is the last one that was not there before.
    last = next((entry for entry in reversed(new) if entry not in known), new[-1])
    if not last.is_whole:
        yield (
            f"{duty.task}: The last entry of the work log lacks {_lacking(last)}; expected "
            "**Facts**, **Analysis** and **Conclusion** with ok, blocked or escalate."
        )


def _lacking(entry: LogEntry) -> str:
    parts = {
        "facts": entry.facts,
        "an analysis": entry.analysis,
        "a conclusion": entry.conclusion,
        "the word of its conclusion": entry.status,
    }
    return ", ".join(name for name, value in parts.items() if not value)


def log_of(path: str, files: Files) -> tuple[LogEntry, ...]:
    """Return the work log of a file; of one that cannot be read, none."""
    text = decode(path, files.get(path, b""), Mistakes())
    return () if text is None else work_log(Outline(text))


def _plan_problems(
    kanban: Kanban, before: Files, after: Files, answer: dict[str, object]
) -> Iterator[str]:
    yield from _differences(kanban, answer)
    for path in sorted(before):
        if path == kanban.path:
            continue
        old, new = len(log_of(path, before)), len(log_of(path, after))
        if path not in after:
            yield f"{path}: The file was removed; expected every task file to stay."
        elif new < old:
            yield f"{path}: The work log has {new} entries and had {old}; expected all of them."


def _differences(kanban: Kanban, answer: dict[str, object]) -> Iterator[str]:
    """Compare what the answer says with what the kanban file says."""
    following = _path(answer.get("next_task"), kanban.folder)
    if following != kanban.current:
        yield (
            f"{kanban.path}: The answer's next_task is {_said(answer.get('next_task'))} and the "
            f"file's current is {_said(kanban.current)}; expected the same."
        )
    named = answer.get("tasks")
    if not isinstance(named, list):
        yield f"{kanban.path}: The answer's tasks are {_said(named)}; expected a list of paths."
        return
    listed = [_path(name, kanban.folder) or "" for name in named]
    for number, (said, there) in enumerate(zip_longest(listed, kanban.tasks), start=1):
        if said != there:
            yield (
                f"{kanban.path}: Task {number} of the answer is {_said(said)} and of the file "
                f"{_said(there)}; expected the same tasks in the same order."
            )
            return


def _path(named: object, folder: str) -> object:
    """Normalise a path; what is none stays as it is, and so is equal to no path."""
    if not isinstance(named, str):
        return named
    if named.strip().lower() in {"", "null", "none"}:
        return None
    return resolve(named, folder) or f"/{named}"


def _said(value: object) -> str:
    return shown(value if isinstance(value, str) else json.dumps(value))
