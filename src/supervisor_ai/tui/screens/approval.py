"""The approval panel: one question, and the keys that answer it."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from supervisor_ai.control.dashboard.change_views import PatchView
from supervisor_ai.control.dashboard.panels import ApprovalPanel
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.tui.key_table import PANEL, bindings
from supervisor_ai.tui.landing_wishes import LandingVerb
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.approval import panel_blocks, panel_head
from supervisor_ai.tui.pages.blocks import LineBlock, own
from supervisor_ai.tui.screens.ask import AskScreen
from supervisor_ai.tui.screens.face import FaceScreen


class ApprovalScreen(FaceScreen):
    """Shows exactly what a yes accepts; an answer is about the tree that is shown."""

    KEYS = PANEL
    BINDINGS: ClassVar[list[BindingType]] = bindings(PANEL)

    def __init__(self, run: RunId) -> None:
        super().__init__()
        self.watched = run
        self.run = run
        self._panel: ApprovalPanel | None = None
        self._change: PatchView | None = None
        self._is_read = False
        self._seen = 0
        self._reason = ""
        """What was written for a rejection that did not count."""

    def compose_body(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Show everything about the question."""
        yield LineView(id="panel")

    def on_mount(self) -> None:  # type: ignore[explicit-override]
        """Read the question and the change beside the drawing."""
        super().on_mount()
        self.read()

    def on_screen_resume(self) -> None:  # type: ignore[explicit-override]
        """Come back with what was said meanwhile."""
        super().on_screen_resume()
        self.read()

    def read(self) -> None:
        """Read the question again: the tree may have changed, or somebody said something."""
        self._is_read, self._seen = False, self.newest
        self.face.work(lambda: self.desk.panel(self.run), self._asked)

    def _asked(self, panel: ApprovalPanel | None) -> None:
        before = self._panel
        self._panel, self._is_read = panel, True
        if panel is None:
            self.face.tell(f"Run {self.run} does not ask anything now.")
            if self.app.screen is self:
                self.app.pop_screen()
            return
        if before is None or before.question.tree != panel.question.tree:
            self._change = None
            self.face.work(lambda: self.desk.change(self.run), self._changed)
        self.show()

    def _changed(self, change: PatchView) -> None:
        self._change = change
        self.show()

    def head(self, width: int) -> Sequence[Text]:  # type: ignore[explicit-override]
        """Say what is asked and how risky it is."""
        return panel_head(self._panel, width)

    def show_body(self) -> None:  # type: ignore[explicit-override]
        """Draw the panel; where the run has moved on, read it again."""
        self.query_one("#panel", LineView).draw(self._blocks)
        if self._is_read and self.newest > self._seen:
            self.read()

    def _blocks(self, width: int) -> Sequence[LineBlock]:
        if self._panel is None:
            return [LineBlock((own("The question is being read …"),))]
        files = None if self._change is None else self._change.files
        return panel_blocks(self._panel, files, width)

    def _known(self) -> ApprovalPanel | None:
        """Return the question; whoever is too quick is told so."""
        if self._panel is None:
            self.face.tell("The question is being read; try again in a moment.")
        return self._panel

    def action_approve(self) -> None:
        """Say yes, with a note; where a finding is accepted, the note has to say why."""
        panel = self._known()
        if panel is None:
            return
        if panel.question.reason == ApprovalReason.COMPLETION:
            self.action_complete()
            return
        tree = panel.question.tree
        question = f"Approve {self.run}? A note for the next worker:"
        hint = f"The answer is about tree {tree[:12]}. A note may be empty."
        if panel.needs_note:
            question, hint = "Why are the findings all right?", "A reason is needed."
        self.app.push_screen(AskScreen(question, hint=hint), partial(self._approve, tree))

    def _approve(self, tree: str, note: str | None) -> None:
        """Send a yes to what was shown when the key was pressed."""
        if note is not None:
            deeds = self.desk.deeds
            self.face.work(lambda: deeds.approve(self.run, tree=tree, note=note), self._answered)

    def action_reject(self) -> None:
        """Say no, with a reason."""
        panel = self._known()
        if panel is not None:
            question, hint = f"Reject {self.run}: why?", "The next worker is told."
            ask = AskScreen(question, hint=hint, value=self._reason)
            self.app.push_screen(ask, partial(self._reject, panel.question.tree))

    def _reject(self, tree: str, reason: str | None) -> None:
        """Send a no to what was shown when the key was pressed."""
        if reason is None:
            return
        if not reason:
            self.face.tell("A rejection needs a reason.", severity="warning")
            return
        deeds, self._reason = self.desk.deeds, reason
        self.face.work(lambda: deeds.reject(self.run, tree=tree, reason=reason), self._answered)

    def _answered(self, words: str) -> None:
        self.face.tell(words)
        self.action_skip()

    def action_diff(self) -> None:
        """Read the change."""
        self.face.diff(self.run)

    def action_comment(self) -> None:
        """Comment on a line that is named."""
        self.orders.comment(self.run, None, self.read)

    def action_edit(self) -> None:
        """Change the files in the person's own editor, in place of an answer."""
        if self._change is None:
            self.face.tell("The change is being read; try again in a moment.")
            return
        files = [it.path for it in self._change.files if it.can_be_edited]
        self.orders.edit(self.run, files, self.read)

    def action_complete(self) -> None:
        """Show how the task would land, and ask."""
        self.orders.land(self.run, LandingVerb.COMPLETE)

    def action_skip(self) -> None:
        """Go to the next question, or back."""
        asking = [it.id for it in self.news.lines if it.needs_person]
        at = asking.index(self.run) if self.run in asking else -1
        following = asking[at + 1 :]
        self.app.pop_screen()
        if following:
            self.face.answer(following[0])
