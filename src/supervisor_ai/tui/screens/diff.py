"""The change of a run, one file at a time."""

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from supervisor_ai.control.dashboard.change_views import LineNote, PatchView
from supervisor_ai.control.dashboard.patches import DiffFile
from supervisor_ai.control.dashboard.word_marks import mark_words
from supervisor_ai.domain.ids import RunId
from supervisor_ai.tui.key_table import DIFF, bindings
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.blocks import DIM, STRONG, LineBlock, own
from supervisor_ai.tui.pages.diff import FilePage, Paint, diff_head, file_blocks, line_of
from supervisor_ai.tui.screens.face import FaceScreen

_WIDE: Final = 120


class DiffScreen(FaceScreen):
    """A change with its findings and comments."""

    KEYS = DIFF
    BINDINGS: ClassVar[list[BindingType]] = bindings(DIFF)

    def __init__(self, run: RunId) -> None:
        super().__init__()
        self.watched = run
        self._run = run
        self._change: PatchView | None = None
        self._notes: tuple[LineNote, ...] = ()
        self._at = 0
        self._page: FilePage | None = None
        self._seen = 0
        self._is_reading = False

    def compose_body(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Put the files beside the lines, where there is room."""
        with Horizontal(id="body"):
            yield LineView(id="side", has_cursor=True)
            yield LineView(id="view", has_cursor=True)

    @property
    def files(self) -> Sequence[DiffFile]:
        """Return the files of the change, as far as it was read."""
        return () if self._change is None else self._change.files

    def on_mount(self) -> None:  # type: ignore[explicit-override]
        """Read the change beside the drawing."""
        super().on_mount()
        self.query_one("#view", LineView).focus()
        self.read()

    def read(self) -> None:
        """Read the change, what was found and what was said, beside the drawing."""
        self._seen, self._is_reading = self.newest, True
        # What cannot be read once is not tried again by itself.
        self.face.work(self._read, self._noted)

    def _read(self) -> tuple[PatchView, tuple[LineNote, ...]]:
        return self.desk.change(self._run), self.desk.notes(self._run)

    def _noted(self, found: tuple[PatchView, tuple[LineNote, ...]]) -> None:
        """Show what is new; whoever reads on stays in the same file."""
        change, notes = found
        before, self._is_reading = self._change, False
        if before is not None and (before.change.head, self._notes) == (change.change.head, notes):
            return
        path = self.files[self._at].path if self._at < len(self.files) else ""
        if before is None or before.change.head != change.change.head:
            self._change = change
        self._notes = notes
        names = [it.path for it in self.files]
        self._open(names.index(path) if path in names else 0)

    def _open(self, at: int, paint: Paint | None = None) -> None:
        """Show a file at once; its colours come when they are there."""
        self._at = at
        if at < len(self.files):
            file = self.files[at]
            self._page = FilePage(
                file, notes=self._notes, marks=mark_words(file.hunks), paint=paint or {}
            )
            if paint is None:
                self.face.work(lambda: self.desk.paint(file), lambda it: self._painted(file, it))
        self.show()

    def _painted(self, file: DiffFile, paint: Paint) -> None:
        if self._at < len(self.files) and self.files[self._at] is file and paint:
            self._open(self._at, paint)

    def head(self, width: int) -> Sequence[Text]:  # type: ignore[explicit-override]
        """Say which file it is."""
        if self._change is None:
            return [own("The change is being read …", STRONG), own(self._run, DIM)]
        source = f"run {self._run}, {self._change.change.source}"
        return diff_head(self.files, self._at, source, width)

    def show_body(self) -> None:  # type: ignore[explicit-override]
        """Draw the file, and the list of files where there is room."""
        self.set_class(self.size.width >= _WIDE and len(self.files) > 1, "wide")
        side = self.query_one("#side", LineView)
        side.draw(lambda width: file_blocks(self.files, self._notes, width))
        side.cursor = str(self._at)
        self.query_one("#view", LineView).draw(self._blocks)

    def tick(self) -> None:  # type: ignore[explicit-override]
        """Read again what is looked at where the run has moved on."""
        if self.newest > self._seen and not self._is_reading:
            self.read()

    def _blocks(self, width: int) -> Sequence[LineBlock]:
        return () if self._page is None else self._page.blocks(width)

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Open a file of the list; a line that is chosen is commented on."""
        if event.key.isdigit():
            self._open(int(event.key))
            self.query_one("#view", LineView).action_end(-1)
        else:
            self.action_comment()

    def action_file(self, by: int) -> None:
        """Show the next file, or the one before."""
        if self.files:
            self._open((self._at + by) % len(self.files))
            self.query_one("#view", LineView).action_end(-1)

    def action_next_mark(self) -> None:
        """Go to the next finding or comment of the file."""
        view = self.query_one("#view", LineView)
        if not view.seek("note:"):
            self.face.tell("Nothing was found or said about this file.")

    def action_comment(self) -> None:
        """Ask for words about the line under the cursor."""
        found = line_of(self.query_one("#view", LineView).cursor)
        if found is None or not self.files:
            self.face.tell("Put the cursor on a line of the file.")
            return
        self.orders.comment(self._run, self.files[self._at].place(*found), self.read)

    def action_edit(self) -> None:
        """Change the file in the person's own editor, in place of an answer."""
        if self.files:
            self.orders.edit(self._run, [self.files[self._at].path], self.read)

    def action_answer(self) -> None:
        """Open the run's question."""
        self.face.answer(self._run)
