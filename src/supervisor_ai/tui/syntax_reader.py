"""Finds colours for code, in a process of its own: a lexer can be made to run for ever.

A task is JSON: the name of a file and texts from it. The answer has for each text the parts that
have a colour: line, start, end, style.
"""

import json
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from rich.style import Style
from rich.syntax import Syntax, SyntaxTheme, TokenType

Part: TypeAlias = tuple[int, int, int, str]
_STYLES: Final = (
    ("Comment", "italic #9198a1"),
    ("Keyword", "#d2a8ff"),
    ("Literal.String", "#a5d6ff"),
    ("Literal.Number", "#79c0ff"),
    ("Name.Function", "#e2c5ff"),
    ("Name.Class", "bold #e2c5ff"),
    ("Name.Decorator", "#e2c5ff"),
    ("Name.Builtin", "#79c0ff"),
    ("Name.Tag", "#79c0ff"),
    ("Name.Attribute", "#a5d6ff"),
    ("Operator.Word", "#d2a8ff"),
)
"""Neither red nor green: those colours say nothing here, and the background says what changed."""


class _Theme(SyntaxTheme):
    """Gives few kinds of tokens a colour, by the beginning of their names."""

    def get_style_for_token(self, token_type: TokenType) -> Style:  # type: ignore[explicit-override]
        name = str(token_type).removeprefix("Token.")
        found = next((style for kind, style in _STYLES if name.startswith(kind)), "")
        return Style.parse(found) if found else Style.null()

    def get_background_style(self) -> Style:  # type: ignore[explicit-override]
        return Style.null()


LATE_ROOTS: Final = ("pygments", "rich")


def prepare() -> None:
    """Load what all tasks need."""
    Syntax("", "python").highlight("x = 1")


def serve(task: bytes, ask: Callable[[bytes], bytes]) -> bytes:
    """Find the colours of texts from one file."""
    del ask
    asked = json.loads(task)
    name = Syntax.guess_lexer(asked["path"])
    return json.dumps([list(_parts(text, name)) for text in asked["texts"]]).encode()


def _parts(text: str, lexer: str) -> Iterator[Part]:
    painted = Syntax(text, lexer, theme=_Theme()).highlight(text)
    starts = _line_starts(text)
    at = 0
    for span in sorted(painted.spans):
        style = str(span.style)
        if style in {"", "none"}:
            continue
        while at + 1 < len(starts) and starts[at + 1] <= span.start:
            at += 1
        line = at
        while line < len(starts) and starts[line] < span.end:
            begin = max(span.start, starts[line]) - starts[line]
            following = starts[line + 1] - 1 if line + 1 < len(starts) else len(text)
            end = min(span.end, following) - starts[line]
            if begin < end:
                yield line, begin, end, style
            line += 1


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts[:-1]
