"""Markdown as far as facts are read from it: headings, list entries and rows of tables, in bounds.

What stands in fences and comments states nothing. A text is read up to a number of characters and
lines, a line up to a number of characters; each line is looked at once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from supervisor_ai.drivers.checkpoint.facts.ids import find_ids, is_labelled, leading_id
from supervisor_ai.drivers.checkpoint.facts.topics import LASTING, Topic, topic_of

MOST_CHARACTERS: Final = 512 * 1024
MOST_LINES: Final = 20_000
LONGEST: Final = 1_000
_MOST_REFS: Final = 200
_MOST_BELOW: Final = 40
_DEEPEST: Final = 6
_HEADING: Final = re.compile(r"(#{1,6})[ \t]{1,8}(\S.*)")
_BULLET: Final = re.compile(r"([ \t]{0,40})(?:[-*+]|[0-9]{1,4}[.)])[ \t]{1,8}(\S.*)")
_FENCE: Final = re.compile(r" {0,8}(`{3,}|~{3,})")
_RULE: Final = re.compile(r"[|:\- \t]{3,}")
_MARKS: Final = re.compile(r"[*`]|(?<!\w)_+|_+(?!\w)|\\(?=[^\w\s])")
_CHECKBOX: Final = re.compile(r"\[[ xX]\][ \t]{1,4}")


class EntryForm(StrEnum):
    """What an entry of a document looks like."""

    HEADING = "heading"
    BULLET = "bullet"
    ROW = "row"


@dataclass(slots=True, kw_only=True)
class MarkdownEntry:
    """A heading, an entry of a list or a row of a table, with what is below it."""

    form: EntryForm
    depth: int
    """How many entries of its form are around it; of a heading, its level."""
    text: str
    """Without marks."""
    raw: str
    """The line as it stands there."""
    line: int
    topic: Topic | None
    """What it is stated under; of a heading, its own title counts first."""
    distance: int
    """How many headings are between it and the one that announces its topic."""
    titles: tuple[str, ...]
    """The titles above it in lower case, the nearest last; its own, if it is a heading."""
    id: str
    """What it begins with, if that is an id."""
    said: str
    """The text after the id."""
    cells: dict[str, str] = field(default_factory=dict)
    """Of a row: its cells by the titles of their columns, in lower case."""
    refs: dict[str, None] = field(default_factory=dict)
    below: list[str] = field(default_factory=list)
    """The first lines below it, without marks."""


@dataclass(slots=True, kw_only=True)
class Outlined:
    """A document taken apart."""

    entries: list[MarkdownEntry]
    prose: list[tuple[int, str]]
    """All lines outside of fences, with their numbers."""
    lines: int
    is_cut: bool


def bare(text: str) -> str:
    """Take the marks off a text: emphasis, code, check boxes, escapes."""
    return " ".join(_MARKS.sub("", _CHECKBOX.sub("", text, count=1)).split())


def outline(text: str) -> Outlined:
    """Take a document apart."""
    lines = text[:MOST_CHARACTERS].replace("\r\n", "\n").split("\n")
    is_cut = len(text) > MOST_CHARACTERS or len(lines) > MOST_LINES
    prose = list(_prose(lines[:MOST_LINES]))
    reader = _Reader()
    for number, line in prose:
        reader.read(number, line)
    return Outlined(entries=reader.entries, prose=prose, lines=len(lines), is_cut=is_cut)


def _prose(lines: list[str]) -> Iterator[tuple[int, str]]:
    fence = ""
    is_comment = False
    for number, whole in enumerate(lines, 1):
        line = whole[:LONGEST]
        if is_comment:
            is_comment = "-->" not in line
            continue
        match = _FENCE.match(line)
        if fence:
            closes = match is not None and match[1].startswith(fence)
            fence = "" if closes and not line.strip().strip(fence[0]) else fence
        elif match is not None:
            fence = match[1]
        elif line.lstrip().startswith("<!--"):
            is_comment = "-->" not in line
        else:
            yield number, line


class _Reader:
    """Reads line after line, and knows which entries are open."""

    def __init__(self) -> None:
        self.entries: list[MarkdownEntry] = []
        self._headings: list[MarkdownEntry] = []
        self._bullets: list[tuple[int, MarkdownEntry]] = []
        self._row: MarkdownEntry | None = None
        self._columns: tuple[str, ...] = ()
        self._after_blank = True

    def read(self, number: int, line: str) -> None:
        """Read one more line."""
        heading = _HEADING.fullmatch(line) if line.startswith("#") else None
        bullet = None if heading else _BULLET.fullmatch(line)
        is_row = line.lstrip().startswith("|")
        if not is_row:
            self._row, self._columns = None, ()
        if heading is not None:
            self._open_heading(number, line, heading)
        elif bullet is not None:
            self._open_bullet(number, line, bullet)
        elif is_row:
            self._open_row(number, line)
        elif line.strip():
            self._go_on(number, line)
        self._refer(line)
        self._after_blank = not line.strip()

    def _open_heading(self, number: int, line: str, match: re.Match[str]) -> None:
        level = len(match[1])
        title = bare(match[2].rstrip("# \t"))
        self._headings = [it for it in self._headings if it.depth < level]
        self._bullets = []
        entry = self._open(EntryForm.HEADING, level, number, line, title)
        entry.titles = (*entry.titles, title.lower())
        own = topic_of(title.lower())
        entry.topic = own or (entry.topic if self._goes_deeper(entry.topic) else None)
        entry.distance = 0 if own else entry.distance + 1
        self._headings.append(entry)

    def _goes_deeper(self, topic: Topic | None) -> bool:
        """Tell whether a topic holds below further headings; a document's title is too general."""
        above = self._headings[-1] if self._headings else None
        is_title = above is not None and above.depth == 1 and above.distance == 0
        return topic in LASTING or not is_title

    def _open_bullet(self, number: int, line: str, match: re.Match[str]) -> None:
        indent = len(match[1].expandtabs(4))
        text = bare(match[2])
        self._bullets = [it for it in self._bullets if it[0] < indent][:_DEEPEST]
        self._tell_below(text)
        entry = self._open(EntryForm.BULLET, len(self._bullets), number, line, text)
        self._bullets.append((indent, entry))

    def _open_row(self, number: int, line: str) -> None:
        if _RULE.fullmatch(line.strip()):
            if self._row is not None and not self._columns:
                self._columns = tuple(cell.lower() for cell in _cells(self._row.raw))
                self.entries.pop()
            return
        cells = _cells(line)
        self._bullets = []
        self._tell_below(" ".join(cells))
        text = " | ".join(filter(None, cells))
        self._row = self._open(EntryForm.ROW, 0, number, line, text)
        self._row.cells = dict(zip(self._columns, cells, strict=False))

    def _go_on(self, number: int, line: str) -> None:
        """Read a line of a paragraph; one that begins with an id is an entry like those of lists.

        After a blank line, one that is not indented ends a list.
        """
        text = bare(line)
        if not line[0].isspace() and (self._after_blank or is_labelled(text)):
            self._bullets = []
        self._tell_below(text)
        if not line[0].isspace() and is_labelled(text):
            entry = self._open(EntryForm.BULLET, 0, number, line, text)
            self._bullets = [(0, entry)]

    def _open(
        self, form: EntryForm, depth: int, number: int, line: str, text: str
    ) -> MarkdownEntry:
        above = self._headings[-1] if self._headings else None
        id_, said = leading_id(text)
        entry = MarkdownEntry(
            form=form,
            depth=depth,
            text=text,
            raw=line,
            line=number,
            topic=above.topic if above else None,
            distance=above.distance if above else 0,
            titles=above.titles if above else (),
            id=id_,
            said=said,
        )
        self.entries.append(entry)
        return entry

    def _around(self) -> Iterator[MarkdownEntry]:
        yield from self._headings
        yield from (entry for _, entry in self._bullets)
        if self._row is not None:
            yield self._row

    def _tell_below(self, text: str) -> None:
        for entry in (*self._headings[-1:], *(it for _, it in self._bullets)):
            if len(entry.below) < _MOST_BELOW:
                entry.below.append(text)

    def _refer(self, line: str) -> None:
        named = dict.fromkeys(find_ids(line))
        for entry in self._around() if named else ():
            if len(entry.refs) < _MOST_REFS:
                entry.refs.update(named)


def _cells(line: str) -> list[str]:
    inside = line.strip().strip("|").replace("\\|", "\0")
    return [bare(cell.replace("\0", "|")) for cell in inside.split("|")]
