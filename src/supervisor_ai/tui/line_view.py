"""A widget that shows blocks of lines, draws only what is seen, and has a cursor if wanted."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from supervisor_ai.tui.pages.blocks import LineBlock, joined

Draw = Callable[[int], Sequence[LineBlock]]
"""Draws blocks for a width."""
_GUTTER = 2


def _nothing(width: int) -> Sequence[LineBlock]:
    del width
    return ()


class LineView(ScrollView, can_focus=True):
    """Shows what a function draws for its width; redrawn when it is told to, or resized."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-view--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("home", "end(-1)", "First", show=False),
        Binding("end", "end(1)", "Last", show=False),
        Binding("enter", "choose", "Open", show=False),
    ]

    class Chosen(Message):
        """Somebody wants to open what the cursor stands on."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, has_cursor: bool = False, follows: bool = False, id: str) -> None:  # noqa: A002 - as every widget
        super().__init__(id=id)
        self._has_cursor = has_cursor
        self._follows = follows
        self._draw: Draw = _nothing
        self._blocks: Sequence[LineBlock] = ()
        self._starts: list[int] = []
        self._lines: list[Text] = []
        self._cursor = ""

    @property
    def cursor(self) -> str:
        """Return the key of the block under the cursor; nothing where there is none."""
        return self._cursor

    @cursor.setter
    def cursor(self, key: str) -> None:
        if any(block.key == key for block in self._blocks):
            self._cursor = key
            self._show_cursor()
            self.refresh()

    def seek(self, beginning: str) -> bool:
        """Go to the next block whose key begins so, round the end; False where there is none."""
        keys = [block.key for block in self._blocks if block.key]
        at = keys.index(self._cursor) + 1 if self._cursor in keys else 0
        found = next((it for it in (*keys[at:], *keys[:at]) if it.startswith(beginning)), None)
        if found is not None:
            self.cursor = found
        return found is not None

    @property
    def lines(self) -> Sequence[Text]:
        """Return all lines as they are drawn now."""
        return self._lines

    def draw(self, draw: Draw) -> None:
        """Show what this function draws, from now on."""
        self._draw = draw
        self.redraw()

    def redraw(self) -> None:
        """Draw everything anew; the cursor stays on its block, a log stays at its end."""
        is_at_end = self.scroll_offset.y >= self.max_scroll_y
        width = self.text_width
        if self.size.width == 0:
            return
        self._blocks = tuple(self._draw(width))
        self._lines = [line for block in self._blocks for line in block.lines]
        self._starts = list(accumulate((len(it.lines) for it in self._blocks), initial=0))[:-1]
        keys = [block.key for block in self._blocks if block.key]
        if self._cursor not in keys:
            self._cursor = keys[0] if keys else ""
        self.virtual_size = Size(width + self._gutter, len(self._lines))
        if self._follows and is_at_end:
            self.scroll_end(animate=False)
        self.refresh()

    @property
    def text_width(self) -> int:
        """Return how wide a line can be."""
        return max(self.scrollable_content_region.width - self._gutter, 1)

    @property
    def _gutter(self) -> int:
        return _GUTTER if self._has_cursor else 0

    def on_resize(self, event: events.Resize) -> None:
        """Draw for the new width."""
        del event
        self.redraw()

    def render_line(self, y: int) -> Strip:  # type: ignore[explicit-override]
        """Draw one line of what is seen."""
        width, at = self.size.width, self.scroll_offset.y + y
        base = self.rich_style
        if at >= len(self._lines):
            return Strip.blank(width, base)
        block = self._blocks[bisect_right(self._starts, at) - 1]
        is_here = self._has_cursor and bool(block.key) and block.key == self._cursor
        style = base + self.get_component_rich_style("line-view--cursor") if is_here else base
        gutter = ("▌ " if is_here else "  ") if self._has_cursor else ""
        line = joined(gutter, self._lines[at])
        strip = Strip(line.render(self.app.console)).apply_style(style)
        return strip.adjust_cell_length(width, style)

    def action_move(self, by: int) -> None:
        """Move the cursor, or scroll where there is none."""
        keys = [block.key for block in self._blocks if block.key]
        if not (self._has_cursor and keys):
            self.scroll_relative(y=by, animate=False)
            return
        at = keys.index(self._cursor) + by
        self._cursor = keys[min(max(at, 0), len(keys) - 1)]
        self._show_cursor()
        self.refresh()

    def action_page(self, by: int) -> None:
        """Go one screen up or down."""
        if self._has_cursor:
            self.action_move(by * max(self.size.height - 2, 1))
        else:
            self.scroll_relative(y=by * max(self.size.height - 1, 1), animate=False)

    def action_end(self, at: int) -> None:
        """Go to the first or the last line."""
        if self._has_cursor:
            self.action_move(at * len(self._blocks))
        elif at < 0:
            self.scroll_home(animate=False)
        else:
            self.scroll_end(animate=False)

    def action_choose(self) -> None:
        """Open what the cursor stands on."""
        if self._cursor:
            self.post_message(self.Chosen(self._cursor))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where somebody clicks; a second click opens."""
        at = self.scroll_offset.y + event.y
        if not (self._has_cursor and at < len(self._lines)):
            return
        key = self._blocks[bisect_right(self._starts, at) - 1].key
        if key and key == self._cursor:
            self.action_choose()
        elif key:
            self.cursor = key

    def _show_cursor(self) -> None:
        """Scroll so far that the whole block is seen."""
        for start, block in zip(self._starts, self._blocks, strict=True):
            if block.key == self._cursor:
                region = Region(0, start, 1, max(len(block.lines), 1))
                self.scroll_to_region(region, animate=False, force=True)
                return
