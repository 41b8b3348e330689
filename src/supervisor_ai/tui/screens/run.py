"""One run: its steps, its log, its gates, its diff, what was printed and what it cost."""

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from supervisor_ai.control.dashboard.run_pages import RunPage
from supervisor_ai.domain.ids import RunId
from supervisor_ai.tui.key_table import RUN, bindings
from supervisor_ai.tui.landing_wishes import LandingVerb
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.blocks import DIM, STRONG, LineBlock, own, said
from supervisor_ai.tui.pages.run import (
    cost_blocks,
    gates_blocks,
    log_blocks,
    output_blocks,
    run_head,
    steps_blocks,
)
from supervisor_ai.tui.screens.face import FaceScreen

_WIDE: Final = 120
_NARROW: Final = 60
_VIEWS: Final = ("Steps", "Log", "Gates", "Diff", "Output", "Cost")
_DIFF: Final = "Diff"


class RunScreen(FaceScreen):
    """Everything about one run; what is not seen is a key away."""

    KEYS = RUN
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(RUN),
        *(Binding(str(at), f"view({at - 1})", show=False) for at in range(1, len(_VIEWS) + 1)),
    ]

    def __init__(self, run: RunId) -> None:
        super().__init__()
        self.watched = run
        self.view = "Steps"
        """Which of the views is shown."""
        self._is_whole = False
        self._printed: Sequence[str] = ()

    def compose_body(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Put the names of the views above one of them; where there is room, steps beside it."""
        yield Static(id="tabs", markup=False)
        with Horizontal(id="body"):
            yield LineView(id="side")
            yield LineView(id="view", follows=True)

    @property
    def page(self) -> RunPage | None:
        """Return what is known of the run by now."""
        page = self.news.page
        return page if page is not None and page.line.id == self.watched else None

    def head(self, width: int) -> Sequence[Text]:  # type: ignore[explicit-override]
        """Say which run it is and how it stands."""
        page = self.page
        if page is None:
            return [said(f"Run {self.watched}", STRONG), own("is being read …", DIM)]
        return run_head(page, self.desk.now(), width)

    def show_body(self) -> None:  # type: ignore[explicit-override]
        """Draw the chosen view, and the steps beside it where there is room."""
        is_wide = self.size.width >= _WIDE
        self.set_class(is_wide, "wide")
        if is_wide and self.view == "Steps":
            self.view = "Log"
        self.query_one("#tabs", Static).update(self._tabs(is_wide=is_wide))
        self.query_one("#side", LineView).draw(self._steps)
        self.query_one("#view", LineView).draw(self._blocks)

    def on_mount(self) -> None:  # type: ignore[explicit-override]
        """Let keys move what is read."""
        super().on_mount()
        self.query_one("#view", LineView).focus()

    def _tabs(self, *, is_wide: bool) -> Text:
        is_narrow = self.size.width < _NARROW
        shown = [
            _tab(at, name, is_chosen=name == self.view, is_narrow=is_narrow)
            for at, name in enumerate(_VIEWS, 1)
            if not (is_wide and name == "Steps")
        ]
        return own("").join(shown)

    def _steps(self, width: int) -> Sequence[LineBlock]:
        page = self.page
        return () if page is None else steps_blocks(page, self.desk.now(), width)

    def _blocks(self, width: int) -> Sequence[LineBlock]:
        page = self.page
        if page is None:
            return ()
        match self.view:
            case "Log":
                return log_blocks(self.news.log, width, everything=self._is_whole)
            case "Gates":
                return gates_blocks(page, width)
            case "Output":
                return output_blocks(self._printed, width)
            case "Cost":
                return cost_blocks(page, width)
            case _:
                return self._steps(width)

    def action_view(self, at: int) -> None:
        """Look at another view."""
        if _VIEWS[at] == _DIFF:
            self.action_diff()
            return
        self.view = _VIEWS[at]
        if self.view == "Output":
            self.read_output()
        self.show()
        self.query_one("#view", LineView).action_end(1 if self.view in {"Log", "Output"} else -1)

    def action_turn(self, by: int) -> None:
        """Look at the next view, or the one before."""
        usual = [it for it in range(len(_VIEWS)) if _VIEWS[it] != _DIFF]
        usual = usual[1:] if self.has_class("wide") else usual
        at = usual.index(_VIEWS.index(self.view))
        self.action_view(usual[(at + by) % len(usual)])

    def read_output(self) -> None:
        """Read what was printed, beside the drawing."""
        run = self.watched
        if run is not None:
            self.face.work(lambda: self.desk.deeds.output(run), self._read)

    def _read(self, printed: tuple[str, ...]) -> None:
        self._printed = printed
        self.show()

    def tick(self) -> None:  # type: ignore[explicit-override]
        """Read again what is printed while it is looked at."""
        if self.view == "Output":
            self.read_output()

    def action_everything(self) -> None:
        """Show every event in the log, or only what matters."""
        self._is_whole = not self._is_whole
        self.face.tell("Every event is shown." if self._is_whole else "Routine is left out.")
        self.show()

    def action_diff(self) -> None:
        """Show what the run changed."""
        self.face.diff(self.watched)

    def action_answer(self) -> None:
        """Open the run's question."""
        self.face.answer(self.watched)

    def action_tasks(self) -> None:
        """Show the list of tasks that the run works through."""
        self.face.tasks(self.watched)

    def action_go_on(self) -> None:
        """Go on with the run."""
        self.orders.go_on(self.watched)

    def action_cancel(self) -> None:
        """Stop the run."""
        self.orders.cancel(self.watched)

    def action_merge(self) -> None:
        """Show how a branch would take the work of the run, and ask."""
        self.orders.land(self.watched, LandingVerb.MERGE)

    def action_complete(self) -> None:
        """Show how the task would land, and ask."""
        self.orders.land(self.watched, LandingVerb.COMPLETE)


def _tab(at: int, name: str, *, is_chosen: bool, is_narrow: bool) -> Text:
    if is_chosen:
        return own(f"[{at} {name}]", f"reverse {STRONG}")
    return own(f" {at} " if is_narrow else f" {at} {name} ", DIM)
