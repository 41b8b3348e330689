"""All keys on one page."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult

from supervisor_ai.tui.key_table import Key, help_blocks
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.blocks import DIM, STRONG, joined, own
from supervisor_ai.tui.screens.face import FaceScreen


class HelpScreen(FaceScreen):
    """The help page."""

    KEYS = (Key("", "Esc", "", "back", ""),)

    def compose_body(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Show the table of keys."""
        yield LineView(id="help")

    def head(self, width: int) -> Sequence[Text]:  # type: ignore[explicit-override]
        """Say what it is."""
        del width
        return [joined(own("Keys", STRONG), own("  and the verb that does the same", DIM))]

    def show_body(self) -> None:  # type: ignore[explicit-override]
        """Draw the table."""
        self.query_one("#help", LineView).draw(help_blocks)
