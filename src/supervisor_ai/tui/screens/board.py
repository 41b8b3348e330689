"""The board of all runs."""

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from supervisor_ai.control.dashboard.feed import UNREAD
from supervisor_ai.control.dashboard.knowledge import DocumentView
from supervisor_ai.control.dashboard.run_lines import RunLine, select_lines
from supervisor_ai.control.run_views import NEEDS_YOU
from supervisor_ai.domain.ids import RunId
from supervisor_ai.tui.key_table import BOARD, bindings
from supervisor_ai.tui.landing_wishes import LandingVerb
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.blocks import (
    ASKS,
    BAD,
    DIM,
    STRONG,
    LineBlock,
    cell,
    cut,
    joined,
    own,
    plain_blocks,
    said,
)
from supervisor_ai.tui.pages.board import (
    board_blocks,
    board_head,
    empty_words,
    notices,
    tally,
)
from supervisor_ai.tui.screens.ask import AskScreen
from supervisor_ai.tui.screens.face import FaceScreen
from supervisor_ai.tui.screens.knowledge import KnowledgeScreen, all_documents

_FILTERS: Final = ("", NEEDS_YOU, "running", "waiting", "interrupted", "failed", "completed")


class BoardScreen(FaceScreen):
    """All runs, those that need a person first."""

    KEYS = BOARD
    BINDINGS: ClassVar[list[BindingType]] = bindings(BOARD)

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._filter = ""

    def compose_body(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Put the names of the columns above the runs."""
        yield Static(id="columns", markup=False)
        yield LineView(id="runs", has_cursor=True)

    @property
    def lines(self) -> tuple[RunLine, ...]:
        """Return the runs that are wanted."""
        statuses = frozenset() if self._filter in {"", NEEDS_YOU} else frozenset({self._filter})
        found = select_lines(self.news.lines, words=self._words, statuses=statuses)
        return tuple(it for it in found if self._filter != NEEDS_YOU or it.needs_person)

    def head(self, width: int) -> Sequence[Text]:  # type: ignore[explicit-override]
        """Say which project it is, how many runs need somebody, and what is left out."""
        news = self.news
        told = tally(news.lines, news.total)
        style = ASKS if any(it.needs_person for it in news.lines) else DIM
        name = joined(own("SUPERVISOR ", STRONG), said(self.desk.place, DIM))
        room = width - len(told) - 1
        first = (
            joined(cell(name, room), own(" "), own(told, style))
            if room > len("SUPERVISOR ")
            else cut(own(told, style), width)
        )
        return [first, *self._remarks(width)]

    def _remarks(self, width: int) -> Sequence[Text]:
        trouble = self.desk.news.trouble
        remarks = [] if trouble is None else [cut(said(f"✗ not up to date: {trouble}", BAD), width)]
        remarks += notices(self.news, width)
        wanted = [f"status: {self._filter}"] if self._filter else []
        wanted += [f"words: {self._words}"] if self._words else []
        if wanted:
            shown = f"{len(self.lines)} of {len(self.news.lines)} runs, {', '.join(wanted)}"
            remarks.append(cut(joined(said(shown), own("  Esc shows all", DIM)), width))
        return remarks

    def show_body(self) -> None:  # type: ignore[explicit-override]
        """Draw the runs."""
        view = self.query_one("#runs", LineView)
        heads = board_head(view.text_width) if self.news.lines else own("")
        self.query_one("#columns", Static).update(heads)
        view.draw(self._blocks)

    def _blocks(self, width: int) -> Sequence[LineBlock]:
        lines = self.lines
        if lines:
            return board_blocks(lines, now=self.desk.now(), width=width)
        is_filtered = bool(self._words or self._filter)
        told = empty_words(
            is_unread=self.news.cursor == UNREAD,
            is_filtered=is_filtered,
            command=self.desk.command,
        )
        return plain_blocks([own(""), *told], width)

    @property
    def chosen(self) -> RunId | None:
        """Return the run under the cursor."""
        key = self.query_one("#runs", LineView).cursor
        return RunId(key) if key else None

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Open a run."""
        self.face.open_run(RunId(event.key))

    def action_leave(self) -> None:  # type: ignore[explicit-override]
        """Show all runs again."""
        self._words = self._filter = ""
        self.show()

    def action_search(self) -> None:
        """Ask for words."""
        hint = "A part of the task, the run's name, its step, status or level of risk."
        ask = AskScreen("Show runs with these words", hint=hint, value=self._words)
        self.app.push_screen(ask, self._search)

    def _search(self, words: str | None) -> None:
        self._words = self._words if words is None else words
        self.show()

    def action_filter(self) -> None:
        """Show the next status only."""
        at = (_FILTERS.index(self._filter) + 1) % len(_FILTERS)
        self._filter = _FILTERS[at]
        self.show()

    def action_jump(self) -> None:
        """Ask for a run's name."""
        hint = "The beginning or the end of its name is enough."
        self.app.push_screen(AskScreen("Go to run", hint=hint), self.face.jump)

    def action_next_alert(self) -> None:
        """Go to the next run that needs a person."""
        asking = [it.id for it in self.lines if it.needs_person]
        if not asking:
            self.face.tell("No run needs you now.")
            return
        at = asking.index(self.chosen) + 1 if self.chosen in asking else 0
        self.query_one("#runs", LineView).cursor = asking[at % len(asking)]

    def action_answer(self) -> None:
        """Open the question of the run under the cursor."""
        self.face.answer(self.chosen)

    def action_tasks(self) -> None:
        """Show the list of tasks that the run works through."""
        self.face.tasks(self.chosen)

    def action_knowledge(self) -> None:
        """Show what the project knows, and what of it waits for a person."""
        self.face.work(lambda: all_documents(self.desk.knowledge()), self._open_knowledge)

    def _open_knowledge(self, documents: tuple[DocumentView, ...]) -> None:
        self.app.push_screen(KnowledgeScreen(documents))

    def action_go_on(self) -> None:
        """Go on with the run under the cursor."""
        self.orders.go_on(self.chosen)

    def action_cancel(self) -> None:
        """Stop the run under the cursor."""
        self.orders.cancel(self.chosen)

    def action_merge(self) -> None:
        """Show how a branch would take the work of the run, and ask."""
        self.orders.land(self.chosen, LandingVerb.MERGE)

    def action_complete(self) -> None:
        """Show how the task would land, and ask."""
        self.orders.land(self.chosen, LandingVerb.COMPLETE)
