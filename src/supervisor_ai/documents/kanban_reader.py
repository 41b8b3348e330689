"""Reads a kanban, and judges the files that an agent left: by their form alone."""

from collections.abc import Callable

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.documents.kanban_parser import read_kanban
from supervisor_ai.documents.obligations.plan import lost_entries, plan_problems
from supervisor_ai.documents.obligations.work import Page, change_problems, log_problems
from supervisor_ai.documents.task_shelf import TaskShelf
from supervisor_ai.drivers.kanban.board.kanban import Agent, Kanban, Mistake
from supervisor_ai.drivers.kanban.board.policy import Obligation
from supervisor_ai.drivers.kanban.kinds import AnswerStatus
from supervisor_ai.drivers.kanban.ports import Files
from supervisor_ai.tools.json_value import JsonObject, parse_object


class MarkdownKanbanReader:
    """Reads kanban and task files in markdown; a task file that stays as it is is read once."""

    def __init__(self, shelf: TaskShelf | None = None) -> None:
        self._shelf = TaskShelf() if shelf is None else shelf

    def read(self, file: str, files: Files) -> Kanban | tuple[Mistake, ...]:
        """Return what the files say, or everything that is wrong with them."""
        return read_kanban(file, files, self._shelf)

    def judge(
        self, obligation: Obligation, before: Files, after: Files, answer: str
    ) -> tuple[str, ...]:
        """Say in what way the files that a worker left do not have the required form."""
        said = parse_object(answer)
        if said is None:
            return ("The answer is no JSON object.",)
        if obligation.agent is Agent.MANAGER and said.get("status") != AnswerStatus.OK:
            return ()  # a person is asked, and nothing of it is kept
        kanban = self.read(obligation.place.file, after)
        if not isinstance(kanban, Kanban):
            return tuple(map(str, kanban))
        if obligation.agent is Agent.MANAGER:
            return self._judge_plan(kanban, before, after, said)
        return (
            ()
            if obligation.task is None
            else self._judge_work(obligation.task, before, after, said)
        )

    def _judge_plan(
        self, kanban: Kanban, before: Files, after: Files, said: JsonObject
    ) -> tuple[str, ...]:
        old = self.read(kanban.path, before)
        listed = old.tasks if isinstance(old, Kanban) else ()
        problems = [*plan_problems(kanban, listed, said)]
        for path in sorted(before):
            if path == kanban.path or before[path] == after.get(path):
                continue
            new = self._shelf.read(path, after[path]).log if path in after else None
            problems += lost_entries(path, self._shelf.read(path, before[path]).log, new)
        return tuple(problems)

    def _judge_work(
        self, task: str, before: Files, after: Files, said: JsonObject
    ) -> tuple[str, ...]:
        old = self._page(task, before)
        new = self._page(task, after)
        return (*change_problems(old, new), *log_problems(old, new, said.get("status")))

    def _page(self, path: str, files: Files) -> Page:
        content = files.get(path, b"")
        return Page(path=path, content=content, read=self._shelf.read(path, content))


def open_kanban_reader(project: Callable[[], SliceProject]) -> MarkdownKanbanReader:
    """Open what knows the format of kanban and task files, whatever the project."""
    del project
    return MarkdownKanbanReader()
