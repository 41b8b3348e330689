"""The terminal UI as a whole: its screens, its news, and what a person orders."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import ClassVar, Final, TypeVar

from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter, NoColor
from textual.notifications import SeverityLevel
from textual.worker import Worker, WorkerState

from supervisor_ai.control.dashboard.feed import UNREAD, News
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.slices import TaskList
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.tui.desk import Desk
from supervisor_ai.tui.orders import Orders
from supervisor_ai.tui.screens.approval import ApprovalScreen
from supervisor_ai.tui.screens.ask import AskScreen
from supervisor_ai.tui.screens.board import BoardScreen
from supervisor_ai.tui.screens.diff import DiffScreen
from supervisor_ai.tui.screens.face import FaceScreen
from supervisor_ai.tui.screens.help import HelpScreen
from supervisor_ai.tui.screens.run import RunScreen
from supervisor_ai.tui.screens.tasks import TasksScreen

T = TypeVar("T")

_FRAMES: Final = 8
"""So often in a second what is new is drawn, however much it is."""
_ENDS: Final = (signal.SIGHUP, signal.SIGTERM)


class SupervisorTui(App[None]):
    """Asks and renders; the newest news is all that it remembers."""

    TITLE = "supervisor"
    CSS_PATH = "styles.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        desk: Desk,
        *,
        first: RunId | None = None,
        has_colours: bool = True,
        hurry: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self._hurry = hurry
        """Is told that the session has to end, whether or not it can be drawn any more."""
        self.desk = desk
        self.orders = Orders(self)
        self.latest = News(cursor=UNREAD)
        self._first = first
        self._has_colours = has_colours
        self._frames = 0
        self._alerts: frozenset[tuple[RunId, str]] = frozenset()

    def on_mount(self) -> None:
        """Show the board, or the run that was asked for, and follow the ledger."""
        self.animation_level = "none"  # Every frame costs a person on a slow line.
        self.desk.news.start()
        self.push_screen(BoardScreen())
        if self._first is not None:
            self.open_run(self._first)
        for number in _ENDS:
            # Whoever is told to go leaves what is driven here in good order.
            asyncio.get_running_loop().add_signal_handler(number, self._leave_soon)
        self.take()
        self.set_interval(1 / _FRAMES, self.take)

    def get_line_filters(self) -> Sequence[LineFilter]:  # type: ignore[explicit-override]
        """Leave colours out where none are wanted; grey is one, bold and underlined are none."""
        return super().get_line_filters() if self._has_colours else [NoColor()]

    def take(self) -> None:
        """Draw what is new; times go on once a second where nothing is."""
        if not self.is_running:
            return  # The clock may strike once more while the screens are being closed.
        self._frames += 1
        news = self.desk.news.take()
        if news is not None:
            self.latest = news
            self._alert(news)
        for notice in self.desk.deeds.notices():
            self.tell(notice, severity="error")
        is_second = self._frames % _FRAMES == 0
        screen = self.screen
        if not isinstance(screen, FaceScreen):
            return
        if is_second:
            screen.tick()
        if news is not None or is_second:
            screen.show()

    def _alert(self, news: News) -> None:
        """Ring when one more run needs a person, or is one that a person wants to hear of."""
        heard = {it.run: it.title for it in news.alerts}
        asking = {it.id: f"{it.id} needs you: {it.task}" for it in news.lines if it.needs_person}
        told = frozenset((run, words) for run, words in {**heard, **asking}.items())
        fresh = sorted(told - self._alerts)
        is_first = not self._alerts and self._frames <= _FRAMES
        self._alerts = told
        if fresh and not is_first:
            self.bell()
            more = f" (and {len(fresh) - 1} more)" if len(fresh) > 1 else ""
            self.tell(f"{fresh[0][1]}{more}", severity="warning")

    def tell(self, words: str, *, severity: SeverityLevel = "information") -> None:
        """Say something in the corner for a while."""
        self.notify(one_line(words), severity=severity, markup=False)

    def refuse(self, error: SupervisorError) -> None:
        """Say why something was not done."""
        hint = f" {error.hint}" if error.hint else ""
        self.tell(f"{error.message}{hint}", severity="error")

    def ask(self, question: AskScreen, then: Callable[[str | None], None]) -> None:
        """Ask for one line of words."""
        self.push_screen(question, then)

    def work(
        self,
        deed: Callable[[], T],
        done: Callable[[T], None],
        refused: Callable[[], None] | None = None,
    ) -> None:
        """Do something beside the drawing; say so where it was refused."""

        def attempt() -> None:
            try:
                result = deed()
            except SupervisorError as error:
                self.call_from_thread(self.refuse, error)
                if refused is not None:
                    self.call_from_thread(refused)
            except CancelledError:
                # The person leaves.
                return
            else:
                self.call_from_thread(done, result)

        self.run_worker(attempt, thread=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say so where something failed in a way that nobody thought of."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            words = f"This is a bug in supervisor: {type(error).__name__}: {error}"
            self.tell(words, severity="error")

    def open_run(self, run: RunId) -> None:
        """Show one run."""
        self.push_screen(RunScreen(run))

    def jump(self, name: str | None) -> None:
        """Open the run that a part of a name names."""
        if name:
            self.work(lambda: self.desk.find(name), self.open_run)

    def answer(self, run: RunId | None) -> None:
        """Open the question of a run."""
        if run is None:
            return
        line = next((it for it in self.latest.lines if it.id == run), None)
        if line is None or line.needs_person:
            self.push_screen(ApprovalScreen(run))
        else:
            self.tell(f"Run {run} does not ask anything now.")

    def diff(self, run: RunId | None) -> None:
        """Show what a run changed."""
        if run is not None:
            self.push_screen(DiffScreen(run))

    def tasks(self, run: RunId | None) -> None:
        """Show the list of tasks that a run works through."""
        if run is not None:
            self.work(lambda: (run, self.desk.tasks(run)), self._open_tasks)

    def _open_tasks(self, found: tuple[RunId, TaskList]) -> None:
        self.push_screen(TasksScreen(*found))

    def action_help(self) -> None:
        """Show all keys."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def _leave_soon(self) -> None:
        self._hurry()
        self.action_leave()

    def action_leave(self) -> None:
        """End in good order."""
        self.desk.news.stop()
        self.desk.deeds.interrupt()
        self.exit()
