"""A small window that asks for one line of words."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from supervisor_ai.tui.pages.blocks import DIM, STRONG, joined, own, said


class AskScreen(ModalScreen[str | None]):
    """Asks for words; None where the person thinks better of it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", show=False)]

    def __init__(
        self, question: str, *, details: Sequence[str] = (), hint: str = "", value: str = ""
    ) -> None:
        super().__init__()
        self._question = question
        self._details = details
        self._hint = hint
        self._value = value

    def compose(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Put the question above the line for the answer."""
        with Vertical(id="ask"):
            yield Static(said(self._question, STRONG), markup=False)
            for line in self._details:
                yield Static(said(line), markup=False)
            yield Input(value=self._value, id="answer")
            keys = joined(
                own("Enter", STRONG), own(" takes it  "), own("Esc", STRONG), own(" back")
            )
            yield Static(keys, markup=False)
            if self._hint:
                yield Static(said(self._hint, DIM), markup=False)

    def on_mount(self) -> None:
        """Let the person write at once, behind what is there already."""
        self.query_one(Input).cursor_position = len(self._value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Hand back what was written."""
        self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        """Hand back nothing."""
        self.dismiss(None)
