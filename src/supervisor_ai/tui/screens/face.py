"""What all screens have: a head, a line of keys, and news that they show."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar, Protocol, TypeVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Static

from supervisor_ai.control.dashboard.feed import News
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.line_places import LinePlace
from supervisor_ai.tui.desk import Desk
from supervisor_ai.tui.key_table import EVERYWHERE, Key, bindings, key_line
from supervisor_ai.tui.landing_wishes import LandingVerb
from supervisor_ai.tui.pages.blocks import own
from supervisor_ai.tui.screens.ask import AskScreen

T = TypeVar("T")

Then = Callable[[], None]
"""What follows when an order was carried out."""


class Face(Protocol):
    """What screens ask of the whole UI."""

    desk: Desk
    latest: News

    def tell(self, words: str, *, severity: SeverityLevel = "information") -> None:
        """Say something in the corner for a while."""
        ...

    def work(
        self,
        deed: Callable[[], T],
        done: Callable[[T], None],
        refused: Callable[[], None] | None = None,
    ) -> None:
        """Do something beside the drawing; say so where it was refused."""
        ...

    def open_run(self, run: RunId) -> None:
        """Show one run."""
        ...

    def jump(self, name: str | None) -> None:
        """Open the run that a part of a name names."""
        ...

    def answer(self, run: RunId | None) -> None:
        """Open the question of a run."""
        ...

    def diff(self, run: RunId | None) -> None:
        """Show what a run changed."""
        ...

    def tasks(self, run: RunId | None) -> None:
        """Show the list of tasks that a run works through."""
        ...

    def ask(self, question: AskScreen, then: Callable[[str | None], None]) -> None:
        """Ask for one line of words."""
        ...

    def refuse(self, error: SupervisorError) -> None:
        """Say why something was not done."""
        ...

    def suspend(self) -> AbstractContextManager[None]:
        """Leave the terminal to another program for a while."""
        ...


class RunOrders(Protocol):
    """What screens let a person do to a run; each asks what it needs to know."""

    def comment(self, run: RunId, place: LinePlace | None, then: Then) -> None:
        """Ask for words about a line, and for the line where none is named."""
        ...

    def edit(self, run: RunId, files: Sequence[str], then: Then) -> None:
        """Open the person's editor on files of the change; where there are several, ask which."""
        ...

    def land(self, run: RunId | None, verb: LandingVerb) -> None:
        """Show how the work of a run would come to a branch, and ask."""
        ...

    def go_on(self, run: RunId | None) -> None:
        """Go on with a run that nobody drives."""
        ...

    def cancel(self, run: RunId | None) -> None:
        """Ask why, and stop a run."""
        ...


class FaceScreen(Screen[None]):
    """A screen that shows news."""

    KEYS: ClassVar[Sequence[Key]] = ()
    BINDINGS: ClassVar[list[BindingType]] = bindings(EVERYWHERE)

    watched: RunId | None = None
    """The run that has to be looked at more closely for this screen."""

    _is_composed = False

    @property
    def desk(self) -> Desk:
        """Return where the person sits."""
        return self.face.desk

    @property
    def face(self) -> Face:
        """Return the whole UI."""
        return cast("Face", self.app)

    @property
    def orders(self) -> RunOrders:
        """Return what can be done to a run."""
        return cast("RunOrders", self.app.orders)  # type: ignore[attr-defined]

    @property
    def news(self) -> News:
        """Return what is newest."""
        return self.face.latest

    @property
    def newest(self) -> int:
        """Return the number of the newest event of the run that is watched."""
        news = self.news
        is_mine = news.page is not None and news.page.line.id == self.watched
        return news.log[-1].seq if is_mine and news.log else 0

    def compose(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Put the head above and the keys below what the screen is about."""
        yield Static(id="head", markup=False)
        yield from self.compose_body()
        yield Static(id="keys", markup=False)

    def compose_body(self) -> ComposeResult:
        """Make what the screen is about."""
        raise NotImplementedError

    def head(self, width: int) -> Sequence[Text]:
        """Draw the first lines of the screen."""
        raise NotImplementedError

    def show_body(self) -> None:
        """Draw what the screen is about."""
        raise NotImplementedError

    def tick(self) -> None:
        """Do what is to be done once a second."""

    def show(self) -> None:
        """Draw everything anew from the newest news; one that nobody sees is drawn later."""
        width = self.size.width - 2
        if width < 1 or not (self._is_composed and self.is_current and self.is_attached):
            return
        if not self.query("#head"):
            # The screen is being taken away.
            return
        self.query_one("#head", Static).update(own("\n").join(self.head(width)))
        self.query_one("#keys", Static).update(key_line(self.KEYS, width))
        self.show_body()

    def on_mount(self) -> None:
        """Show what is known already."""
        self._is_composed = True
        self.show()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Come back with what is newest."""
        self.desk.news.watch(self.watched)
        self.show()

    def action_leave(self) -> None:
        """Go back to the screen before."""
        self.app.pop_screen()
