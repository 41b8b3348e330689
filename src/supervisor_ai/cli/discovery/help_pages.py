"""Help pages that fit the terminal: click's own are never narrower than fifty columns."""

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

import click

_WIDEST: Final = 80
_NARROW: Final = 60
"""Below this many columns, what an option means stands under it and not beside it."""
_INDENT: Final = 4
_ROW: Final = re.compile(r"(\s*\S.*?)\s{2,}(\S.*)")
_AS_IT_IS: Final = "\b\n"
"""How click marks a paragraph that is not wrapped."""


class HelpPage(click.HelpFormatter):
    """A help page."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        seen = min(shutil.get_terminal_size().columns, max_width or _WIDEST) - 2
        super().__init__(indent_increment, width or max(seen, 1), max_width)

    def write_text(self, text: str) -> None:  # type: ignore[explicit-override]
        """Write paragraphs; what is to be typed stays in one piece."""
        if self.width < _NARROW:
            paragraphs = text.split("\n\n")
            text = "\n\n".join(_narrowed(it, self.width - _INDENT) for it in paragraphs)
        super().write_text(text)

    def write_dl(  # type: ignore[explicit-override]
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write words and what they mean."""
        if self.width < _NARROW:
            rows, col_max = [(word.rstrip(), meaning) for word, meaning in rows], _INDENT
        super().write_dl(rows, col_max, col_spacing)


def _narrowed(paragraph: str, width: int) -> str:
    if not paragraph.startswith(_AS_IT_IS) or paragraph.startswith(f"{_AS_IT_IS}Example:"):
        return paragraph
    lines = paragraph.removeprefix(_AS_IT_IS).splitlines()
    return _AS_IT_IS + "\n".join(it for line in lines for it in _pieces(line, width))


def _pieces(line: str, width: int) -> Iterator[str]:
    """Put the second column of a table under its first one."""
    row = _ROW.fullmatch(line)
    word, meaning = row.groups() if row else ("", line)
    indent = " " * (_INDENT if row else 0)
    if word:
        yield word
    yield from textwrap.wrap(meaning, width, initial_indent=indent, subsequent_indent=indent)


class PageContext(click.Context):
    """A call whose help page fits."""

    formatter_class = HelpPage


def fit_pages(command: click.Command) -> click.Command:
    """Give a command, and all below it, pages that fit."""
    command.context_class = PageContext
    # Where it stands in a list it is wrapped; click would cut what it finds itself.
    command.short_help = (command.help or "").partition("\n")[0]
    if isinstance(command, click.Group):
        for below in command.commands.values():
            fit_pages(below)
    return command
