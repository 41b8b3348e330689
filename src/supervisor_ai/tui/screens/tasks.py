"""The list of tasks that a run works through."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult

from supervisor_ai.control.slices import TaskList
from supervisor_ai.domain.ids import RunId
from supervisor_ai.tui.key_table import Key
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.blocks import LineBlock
from supervisor_ai.tui.pages.tasks import tasks_blocks, tasks_head
from supervisor_ai.tui.screens.face import FaceScreen


class TasksScreen(FaceScreen):
    """Tasks by their states; read anew whenever the run has moved on."""

    KEYS = (Key("", "Esc", "", "back", ""),)

    def __init__(self, run: RunId, tasks: TaskList) -> None:
        super().__init__()
        self.watched = run
        self._run = run
        self._tasks = tasks
        self._seen = 0

    def compose_body(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Show the tasks."""
        yield LineView(id="tasks")

    def head(self, width: int) -> Sequence[Text]:  # type: ignore[explicit-override]
        """Say which list it is."""
        return tasks_head(self._tasks, width)

    def show_body(self) -> None:  # type: ignore[explicit-override]
        """Draw the tasks, and read them again where something has happened since."""
        self.query_one("#tasks", LineView).draw(self._blocks)
        if self.newest > self._seen:
            self._seen = self.newest
            self.face.work(lambda: self.desk.tasks(self._run), self._read)

    def _read(self, tasks: TaskList) -> None:
        self._tasks = tasks
        self.show()

    def _blocks(self, width: int) -> Sequence[LineBlock]:
        return tasks_blocks(self._tasks, width)
