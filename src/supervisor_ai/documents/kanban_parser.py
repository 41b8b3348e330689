"""Reads a kanban file with the task files that it lists; reports every mistake at once."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.documents.cycles import find_cycle
from supervisor_ai.documents.fields import Fields, Mistakes
from supervisor_ai.documents.file_text import decode, read_fields
from supervisor_ai.documents.outline import Outline
from supervisor_ai.documents.paths import is_shown, resolve
from supervisor_ai.documents.quotes import unquoted
from supervisor_ai.documents.task_parser import ReadTask, instead, title
from supervisor_ai.documents.task_shelf import TaskShelf
from supervisor_ai.documents.words import KINDS, PHASES
from supervisor_ai.documents.work_logs import plan_log
from supervisor_ai.drivers.kanban.board.kanban import (
    Kanban,
    Mistake,
    Phase,
    PlanEntry,
    folder_of,
)
from supervisor_ai.tools.text import excerpt

_KANBAN: Final = "kanban"
_KANBAN_KEYS: Final = ("phase", "tasks", "current")
_TASK_KEYS: Final = ("role", "assignee", "state", "dependencies", "kanban")
_REQUEST_ENDS: Final = frozenset({"plan adjustment log", "supervisor log"})


def read_kanban(
    file: str, files: Mapping[str, bytes], shelf: TaskShelf | None = None
) -> Kanban | tuple[Mistake, ...]:
    """Return what the files say, or everything that is wrong with them.

    Task files that are on the shelf are not read again.
    """
    mistakes = Mistakes()
    shelf = TaskShelf() if shelf is None else shelf
    kanban = _Reading(file, files, shelf, mistakes).read()
    if mistakes.found or kanban is None:
        return tuple(mistakes.found)
    return kanban


class _Reading:
    """One reading of a kanban's files."""

    def __init__(
        self, file: str, files: Mapping[str, bytes], shelf: TaskShelf, mistakes: Mistakes
    ) -> None:
        self._file = file
        self._files = files
        self._shelf = shelf
        self._mistakes = mistakes
        self._folder = folder_of(file)

    def read(self) -> Kanban | None:
        """Read the kanban file first, then what it lists."""
        if not self._folder:
            problem = (
                "The kanban is in the root of the project; expected it in a folder of its own."
            )
            self._mistakes.add(self._file, None, problem)
        content = self._files.get(self._file)
        if content is None:
            self._mistakes.add(self._file, None, "The kanban file is not there.")
            return None
        text = decode(self._file, content, self._mistakes)
        fields = None if text is None else read_fields(self._file, text, self._mistakes)
        if text is None or fields is None or self._note_task_file(fields):
            return None
        return self._kanban(fields, Outline(text))

    def _note_task_file(self, fields: Fields) -> bool:
        """Tell whether somebody named a task file in place of a kanban file."""
        kind = (fields.name("type") or "").lower()
        is_task = kind in KINDS or any(map(fields.__contains__, _TASK_KEYS))
        if not is_task or any(map(fields.__contains__, _KANBAN_KEYS)):
            return False
        problem = "This is a task file; expected a kanban file, with a phase and a list of tasks."
        self._mistakes.add(self._file, None, problem)
        return True

    def _kanban(self, fields: Fields, outline: Outline) -> Kanban:
        self._check_type(fields)
        listed = self._listed(fields)
        tasks = self._read_tasks(listed)
        self._check_order(tasks)
        meta = fields.inner("meta")
        kanban = Kanban(
            path=self._file,
            title=title(outline, fields if "title" in fields else meta, self._file),
            phase=self._phase(fields),
            sub_phase=self._sub_phase(fields),
            current=self._current(fields, listed),
            tasks=tuple(listed),
            created=fields.text("created") or meta.text("created"),
            request=_request(outline) or fields.text("request") or meta.text("request") or "",
            log=(*map(_header_entry, fields.entries("log")), *plan_log(outline)),
            files={path: read.task for path, read in tasks.items() if read.task is not None},
        )
        self._check_end(fields, kanban)
        return kanban

    def _check_type(self, fields: Fields) -> None:
        kind = fields.name("type")
        if kind is not None and kind.lower() != _KANBAN:
            problem = f"The type is {excerpt(kind)}; expected {_KANBAN!r}."
            fields.wrong("type", problem)

    def _phase(self, fields: Fields) -> Phase:
        if fields.value("phase") is None:
            expected = ", ".join(Phase)
            fields.wrong("phase", f"The phase is not given; expected one of {expected}.")
        return fields.word("phase", PHASES) or Phase.EXPLORATION

    def _sub_phase(self, fields: Fields) -> str | None:
        name = fields.name("sub_phase")
        if name is not None and not is_shown(name):
            problem = f"The sub_phase {excerpt(name)} has characters that cannot be printed."
            fields.wrong("sub_phase", problem)
        return name

    def _listed(self, fields: Fields) -> dict[str, int]:
        """Resolve the list of tasks: path and line."""
        found: dict[str, int] = {}
        for named, line in fields.lined_texts("tasks"):
            path = self._resolve(named, line)
            if path is None:
                continue
            problem = self._unlistable(path, named, found)
            if problem:
                self._mistakes.add(self._file, line, problem)
            found.setdefault(path, line)
        return found

    def _unlistable(self, path: str, named: str, found: Mapping[str, int]) -> str:
        if path in found:
            return f"The task {excerpt(named)} is listed twice, first in line {found[path]}."
        if path == self._file:
            return f"The kanban lists itself, {excerpt(named)}, as a task; expected task files."
        if path not in self._files:
            return f"The task {excerpt(named)} is not there{instead(named, path)}."
        return ""

    def _resolve(self, named: str, line: int) -> str | None:
        path = resolve(named, self._folder)
        if path is None and not is_shown(named):
            problem = f"The path {excerpt(named)} has characters that cannot be printed."
            self._mistakes.add(self._file, line, problem)
        elif path is None:
            problem = (
                f"The path {excerpt(named)} is not right in the folder {self._folder!r}; "
                "expected all files of a kanban in one folder."
            )
            self._mistakes.add(self._file, line, problem)
        return path

    def _current(self, fields: Fields, listed: Mapping[str, int]) -> str | None:
        named = fields.name("current")
        path = None if named is None else self._resolve(named, fields.line("current"))
        if path is not None and path not in listed:
            problem = f"The current task {excerpt(named)} is none of the tasks that are listed."
            fields.wrong("current", problem)
        return path

    def _read_tasks(self, listed: Mapping[str, int]) -> dict[str, ReadTask]:
        found: dict[str, ReadTask] = {}
        for path in listed:
            content = self._files.get(path) if path != self._file else None
            if content is None:
                continue
            found[path] = self._shelf.read(path, content)
            self._mistakes.found += found[path].mistakes
            self._mistakes.found += found[path].missing(path, self._files)
        return found

    def _check_order(self, tasks: Mapping[str, ReadTask]) -> None:
        cycle = find_cycle({path: read.named for path, read in tasks.items()})
        if cycle:
            _, line = tasks[cycle[0]].named[cycle[1]]
            problem = f"Tasks depend on each other in a circle: {' → '.join(cycle)}."
            self._mistakes.add(cycle[0], line, problem)

    def _check_end(self, fields: Fields, kanban: Kanban) -> None:
        if kanban.current is not None or kanban.phase is Phase.COMPLETE or self._mistakes.found:
            return
        if kanban.open:
            named = ", ".join(kanban.open[:5])
            problem = f"There is no current task, but tasks are open: {named}."
            fields.wrong("current", problem)


def _request(outline: Outline) -> str:
    """Return what was asked for: everything up to the next section that is ours."""
    lines: list[str] = []
    is_inside = False
    for block in outline.blocks:
        if block.level and (block.log or block.name in _REQUEST_ENDS):
            is_inside = False
        elif is_inside:
            lines += outline.lines[block.first : block.last]
        elif block.name == "request" and not lines:
            is_inside = True
            lines += outline.below(block)
    return unquoted(lines)


def _header_entry(entry: Fields) -> PlanEntry:
    """Read an entry of the log that the first kanban files kept in their header."""
    at = entry.text("at") or entry.text("timestamp") or entry.text("time") or ""
    event = entry.text("event") or entry.text("type") or ""
    details = entry.text("details") or entry.text("message") or ""
    return PlanEntry(at=at, event=event, details=details)
