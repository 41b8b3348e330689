"""What the terminal UI asks and orders: everything that it knows of the rest of the product."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from supervisor_ai.control.dashboard.change_views import LineNote, PatchView
from supervisor_ai.control.dashboard.feed import News
from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice
from supervisor_ai.control.dashboard.panels import ApprovalPanel
from supervisor_ai.control.dashboard.patches import DiffFile
from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.slices import TaskList
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.line_places import LinePlace
from supervisor_ai.tui.landing_wishes import LandingVerb
from supervisor_ai.tui.landings import LandingPreview
from supervisor_ai.tui.pages.diff import Paint


class NewsSource(Protocol):
    """Follows the ledger beside the screen."""

    @property
    def trouble(self) -> str | None:
        """Say why what is shown may be old, if so."""
        ...

    def start(self) -> None:
        """Begin to follow."""
        ...

    def watch(self, run: RunId | None) -> None:
        """Look at one run more closely, from now on."""
        ...

    def take(self) -> News | None:
        """Return what is newest, once; None where nothing is new."""
        ...

    def stop(self) -> None:
        """Let go of the ledger."""
        ...


class ChangeDraft(Struct, frozen=True, kw_only=True):
    """Files of a change, for a person to edit."""

    row: RunRow
    asked: ApprovalRow
    texts: Mapping[str, str]


class Deeds(Protocol):
    """What a person can order; each returns a sentence about what was done.

    They may take a while and are not called by who draws. They raise SupervisorError.
    """

    def approve(self, run: RunId, *, tree: str, note: str) -> str:
        """Say yes to exactly this tree."""
        ...

    def reject(self, run: RunId, *, tree: str, reason: str) -> str:
        """Say no to exactly this tree."""
        ...

    def comment(self, run: RunId, place: LinePlace, words: str) -> str:
        """Say something about a line."""
        ...

    def begin_edit(self, run: RunId, files: Sequence[str]) -> ChangeDraft:
        """Find the files that are to be edited, as they are now."""
        ...

    def end_edit(self, draft: ChangeDraft, contents: Mapping[str, bytes]) -> str:
        """Put what was edited into the place of the change."""
        ...

    def preview(self, run: RunId, verb: LandingVerb, words: str) -> LandingPreview:
        """Find out how the work of a run would come to a branch."""
        ...

    def land(self, landing: LandingPreview) -> str:
        """Bring the work of a run to a branch, as it was shown."""
        ...

    def go_on(self, run: RunId) -> str:
        """Drive a run here that nobody drives."""
        ...

    def cancel(self, run: RunId, *, reason: str) -> str:
        """Stop a run."""
        ...

    def output(self, run: RunId) -> tuple[str, ...]:
        """Return the last lines that workers and gates of a run printed."""
        ...

    def notices(self) -> tuple[str, ...]:
        """Return what went wrong beside the screen, once."""
        ...

    def interrupt(self) -> None:
        """Stop what is driven here, without waiting for it."""
        ...

    def close(self) -> tuple[RunId, ...]:
        """Leave what is driven here in good order; return which runs that were."""
        ...


class Desk(Struct, frozen=True, kw_only=True):
    """Where a person sits: one project."""

    place: str
    """The project's directory, as a person knows it."""
    command: str
    """How a person would call us for the same project."""
    news: NewsSource
    deeds: Deeds
    panel: Callable[[RunId], ApprovalPanel | None]
    """Reads the question of a run."""
    change: Callable[[RunId], PatchView]
    """Reads what a run changed; takes a while."""
    notes: Callable[[RunId], tuple[LineNote, ...]]
    """Reads what gates found and people said about lines of the change."""
    paint: Callable[[DiffFile], Paint]
    """Finds the colours of a file; takes a while."""
    tasks: Callable[[RunId], TaskList]
    """Reads the list of tasks that a run works through; takes a while."""
    knowledge: Callable[[], KnowledgeOffice]
    """Opens the knowledge stores; takes a while."""
    editor: Callable[[Mapping[str, str]], Mapping[str, bytes]]
    """Lets the person edit texts, on the terminal that the screen has left."""
    find: Callable[[str], RunId]
    """Finds a run by its name or a part of it."""
    now: Callable[[], datetime]
