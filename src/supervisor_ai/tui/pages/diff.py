"""A file of a change, line by line, with colours, changed words, findings and comments."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.text import Text

from supervisor_ai.control.dashboard.change_views import LineNote
from supervisor_ai.control.dashboard.patches import DiffFile, DiffLine, LineSign
from supervisor_ai.control.dashboard.word_marks import Spans
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.tools.text import counted
from supervisor_ai.tui.pages.blocks import (
    ASKS,
    BAD,
    DIM,
    GOOD,
    STRONG,
    LineBlock,
    joined,
    own,
    said,
    wrapped,
)

Paint = Mapping[int, Sequence[tuple[int, int, str]]]
"""Colours of parts of lines, by the identity of the line."""
_At = tuple[LineSide, int | None]
_WHOLE: Final[_At] = (LineSide.NEW, None)
_NARROW: Final = 64
_BACKGROUNDS: Final = {
    LineSign.ADDED: "on #12263f",
    LineSign.REMOVED: "on #3a2311",
    LineSign.SAME: "",
}
_WORDS: Final = {
    LineSign.ADDED: "bold underline on #1f4b82",
    LineSign.REMOVED: "bold underline on #7a4313",
}
"""A changed word is underlined as well: colours are not all that tells it."""
_SIGNS: Final = {LineSign.ADDED: GOOD, LineSign.REMOVED: BAD, LineSign.SAME: DIM}


class FilePage:
    """One file of a change, ready to be drawn for any width."""

    def __init__(
        self, file: DiffFile, *, notes: Sequence[LineNote], marks: Mapping[int, Spans], paint: Paint
    ) -> None:
        self._file = file
        self._marks = marks
        self._paint = paint
        self._notes: dict[_At, list[LineNote]] = {}
        for note in notes:
            if file.is_about(note.file, note.side):
                self._notes.setdefault((note.side, note.line), []).append(note)

    def blocks(self, width: int) -> list[LineBlock]:
        """Draw all hunks; what is said about a line stands below it."""
        return list(self._drawn(width))

    def _drawn(self, width: int) -> Iterator[LineBlock]:
        file = self._file
        shown: set[_At] = {_WHOLE}
        yield from self._notes_at(_WHOLE, width)
        if file.is_binary:
            yield LineBlock((own("This file is no text; its bytes are not shown.", DIM),))
        for hunk in file.hunks:
            heading = joined(own("@@ ", DIM), said(hunk.heading, DIM))
            yield LineBlock(wrapped(heading, width))
            for line in hunk.lines:
                yield LineBlock(self._line(line, width), key=_key(line))
                for at in _sides(line):
                    shown.add(at)
                    yield from self._notes_at(at, width)
        elsewhere = [it for at, notes in self._notes.items() if at not in shown for it in notes]
        if elsewhere:
            yield LineBlock((own("", DIM), own("About lines that were not changed:", DIM)))
            yield from (_note(it, width, has_place=True) for it in elsewhere)
        if file.hidden:
            words = f"… and {counted(file.hidden, 'more line')}: supervisor diff shows all"
            yield LineBlock((own(words, BAD),))
        if not (file.hunks or file.is_binary or file.hidden):
            yield LineBlock((own(f"Only {file.change.value}: no line is other than before.", DIM),))

    def _notes_at(self, at: _At, width: int) -> Iterator[LineBlock]:
        yield from (_note(it, width) for it in self._notes.get(at, ()))

    def _line(self, line: DiffLine, width: int) -> tuple[Text, ...]:
        gutter = _gutter(line, width)
        text = own(line.text)
        for start, end, style in self._paint.get(id(line), ()):
            text.stylize(style, start, end)
        for start, end in self._marks.get(id(line), ()):
            text.stylize(_WORDS[line.sign], start, end)
        room = max(width - len(gutter.plain), 8)
        first, *more = wrapped(text, room)
        blank = " " * (len(gutter.plain) - 2) + "↪ "
        lines = [joined(gutter, first), *(joined(own(blank, DIM), it) for it in more)]
        return tuple(_filled(it, width, line.sign) for it in lines)


def _filled(line: Text, width: int, sign: LineSign) -> Text:
    """Give the whole line the background of its sign."""
    if sign is LineSign.SAME:
        return line
    line.pad_right(max(width - line.cell_len, 0))
    under = Text(line.plain, style=_BACKGROUNDS[sign], no_wrap=True, end="")
    for span in line.spans:
        under.stylize(span.style, span.start, span.end)
    return under


def _gutter(line: DiffLine, width: int) -> Text:
    sign = own(f"{line.sign.value} ", _SIGNS[line.sign])
    if width < _NARROW:
        return joined(own(f"{line.new or line.old or '':>4} ", DIM), sign)
    return joined(own(f"{line.old or '':>4} {line.new or '':>4} ", DIM), sign)


def _sides(line: DiffLine) -> Iterator[_At]:
    """Return where a line stands before and after the change."""
    if line.new is not None:
        yield LineSide.NEW, line.new
    if line.old is not None:
        yield LineSide.OLD, line.old


def _note(note: LineNote, width: int, *, has_place: bool = False) -> LineBlock:
    if note.is_comment:
        place = f"{shown_name(note.place)} " if has_place else ""
        mark, style, who = "#", ASKS, f"{place}{note.who}: "
    else:
        mark, style, who = ("i", DIM, "") if note.is_minor else ("!", BAD, "")
    line = joined(own(f"     {mark} ", style), said(f"{who}{note.words}", style))
    key = f"note:{_number(note.side, note.line)}:{note.words}"
    return LineBlock(wrapped(line, width, indent=7), key=key)


def _key(line: DiffLine) -> str:
    """Name a line by its number after the change; one that is gone by the one before."""
    side, number = next(_sides(line), _WHOLE)
    return f"line:{_number(side, number)}"


def _number(side: LineSide, line: int | None) -> str:
    return f"{'-' if side is LineSide.OLD else ''}{line or ''}"


def line_of(key: str) -> tuple[LineSide, int] | None:
    """Return the line that a key names, or that a note is about; None where it is about none."""
    kind, _, rest = key.partition(":")
    number = rest.partition(":")[0]
    side = LineSide.OLD if number.startswith("-") else LineSide.NEW
    digits = number.removeprefix("-")
    return (side, int(digits)) if kind in {"line", "note"} and digits.isdigit() else None


def diff_head(files: Sequence[DiffFile], at: int, source: str, width: int) -> list[Text]:
    """Say which file of how many is shown, and whose work it is."""
    if not files:
        return [own("Nothing was changed.", STRONG), said(source, DIM)]
    file = files[at]
    added, removed = file.count(LineSign.ADDED), file.count(LineSign.REMOVED)
    was = f" (was {shown_name(file.before)})" if file.before != file.path else ""
    first = joined(
        own(f"{at + 1}/{len(files)} ", DIM),
        said(f"{shown_name(file.path)}{was}", STRONG),
        own(f"  {file.change.value} ", DIM),
        own(f"+{added}", GOOD),
        own(f"/-{removed}", BAD),
    )
    return [*wrapped(first, width, indent=4)[:2], said(source, DIM)]


def file_blocks(
    files: Sequence[DiffFile], notes: Sequence[LineNote], width: int
) -> list[LineBlock]:
    """List the files beside the diff, each with how many notes it has."""
    drawn = []
    for at, file in enumerate(files):
        count = sum(file.is_about(note.file, note.side) for note in notes)
        marks = joined(own(f" {count}!", BAD)) if count else own("")
        name = shown_name(file.path, max(width - len(marks.plain) - 1, 8))
        drawn.append(LineBlock((joined(said(name), marks),), key=str(at)))
    return drawn
