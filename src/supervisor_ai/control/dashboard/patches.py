"""Patches taken apart into files, hunks and lines, within bounds: a worker wrote them."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.line_places import LinePlace, LineSide
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain

MOST_LINES: Final = 20_000
"""So many lines are shown of a whole change."""
_LONGEST: Final = 4_000
_TAB: Final = 4
_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_QUOTED: Final = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class FileChangeKind(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"


class LineSign(StrEnum):
    """What happened to a line."""

    SAME = " "
    ADDED = "+"
    REMOVED = "-"


class DiffLine(Struct, frozen=True, kw_only=True):
    """A line of a file, with its numbers before and after."""

    sign: LineSign
    text: str
    """Plain, with spaces for tabs."""
    old: int | None = None
    new: int | None = None


class DiffHunk(Struct, frozen=True, kw_only=True):
    """Lines that stand together."""

    heading: str
    """Where in the file it is, as git says it."""
    lines: tuple[DiffLine, ...]


class DiffFile(Struct, frozen=True, kw_only=True):
    """What a change does to one file."""

    path: str
    before: str
    """Its path before."""
    change: FileChangeKind = FileChangeKind.MODIFIED
    is_binary: bool = False
    hunks: tuple[DiffHunk, ...] = ()
    hidden: int = 0
    """How many of its lines are not shown, for want of room."""

    @property
    def can_be_edited(self) -> bool:
        """Tell whether the change has it as a text."""
        return self.change is not FileChangeKind.DELETED and not self.is_binary

    def place(self, side: LineSide, line: int) -> LinePlace:
        """Name a line; one that is gone by the name that the file had."""
        return LinePlace(
            file=self.before if side is LineSide.OLD else self.path, line=line, side=side
        )

    def is_about(self, file: str, side: LineSide) -> bool:
        """Tell whether a name means this file on a side of the change."""
        return file == (self.before if side is LineSide.OLD else self.path)

    def count(self, sign: LineSign) -> int:
        """Count the lines of a kind that are shown."""
        return sum(line.sign is sign for hunk in self.hunks for line in hunk.lines)


def read_patch(text: str, *, most: int = MOST_LINES) -> tuple[DiffFile, ...]:
    """Take a patch of git apart; lines beyond so many are only counted."""
    return tuple(_Reader(text, most).files())


class _Reader:
    """Goes through the lines once; only the counts of a hunk say where it ends."""

    def __init__(self, text: str, most: int) -> None:
        self._lines = text.split("\n")
        self._at = 0
        self._left = most

    def files(self) -> Iterator[DiffFile]:
        while self._at < len(self._lines):
            line = self._next()
            if line.startswith("diff --git "):
                yield self._file(line)

    def _next(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def _file(self, heading: str) -> DiffFile:
        before, path = _named(heading)
        file = DiffFile(path=path, before=before)
        hunks: list[DiffHunk] = []
        hidden = 0
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("diff --git "):
                break
            self._at += 1
            found = _HUNK.match(line)
            if found is None:
                file = _told(file, line)
                continue
            hunk, left_out = self._hunk(found)
            hunks += [hunk] if hunk.lines else []
            hidden += left_out
        return replace(file, hunks=tuple(hunks), hidden=hidden)

    def _hunk(self, found: re.Match[str]) -> tuple[DiffHunk, int]:
        old, new = int(found[1]), int(found[3])
        olds, news = int(found[2] or 1), int(found[4] or 1)
        lines: list[DiffLine] = []
        hidden = 0
        while (olds > 0 or news > 0) and self._at < len(self._lines):
            line = self._next()
            sign = line[:1]
            if sign == "\\":
                continue
            is_old, is_new = sign in {"-", " ", ""}, sign in {"+", " ", ""}
            if not (is_old or is_new):
                self._at -= 1
                break
            if self._left > 0:
                self._left -= 1
                lines.append(_line(line, old if is_old else None, new if is_new else None))
            else:
                hidden += 1
            old, olds = old + is_old, olds - is_old
            new, news = new + is_new, news - is_new
        return DiffHunk(heading=found[5][:_LONGEST], lines=tuple(lines)), hidden


def _line(line: str, old: int | None, new: int | None) -> DiffLine:
    text = plain(line[1 : _LONGEST + 1]).replace("\n", " ").expandtabs(_TAB)
    return DiffLine(sign=LineSign(line[:1] or " "), text=text, old=old, new=new)


def _told(file: DiffFile, line: str) -> DiffFile:
    """Take in what git says about a file before its lines."""
    word, _, rest = line.partition(" ")
    match word, rest:
        case "new", _:
            return replace(file, change=FileChangeKind.ADDED)
        case "deleted", _:
            return replace(file, change=FileChangeKind.DELETED)
        case "rename", name if name.startswith("from "):
            before = _unquoted(name.removeprefix("from "))
            return replace(file, change=FileChangeKind.RENAMED, before=before)
        case "rename", name:
            return replace(file, path=_unquoted(name.removeprefix("to ")))
        case "Binary" | "GIT", _:
            return replace(file, is_binary=True)
        case "+++", name if name != "/dev/null":
            return replace(file, path=_side(name) or file.path)
        case "---", name if name != "/dev/null":
            return replace(file, before=_side(name) or file.before)
        case _:
            return file


def _named(heading: str) -> tuple[str, str]:
    """Name the file before and after; git's own lines below say it better where there are any."""
    rest = heading.removeprefix("diff --git ")
    half = len(rest) // 2
    return _side(rest[:half]), _side(rest[half + 1 :])


def _side(name: str) -> str:
    return _unquoted(name.removesuffix("\t")).partition("/")[2]


def _unquoted(name: str) -> str:
    """Undo what git does to a name with special characters."""
    if not (name.startswith('"') and name.endswith('"')):
        return name
    raw = bytearray()
    last = 0
    inner = name[1:-1]
    for found in _QUOTED.finditer(inner):
        raw += inner[last : found.start()].encode("utf-8", "replace")
        raw += _unescaped(found[1])
        last = found.end()
    raw += inner[last:].encode("utf-8", "replace")
    return raw.decode("utf-8", "replace")


def _unescaped(mark: str) -> bytes:
    if len(mark) > 1:
        return bytes([int(mark, 8) & 0xFF])
    return _ESCAPES.get(mark, mark).encode("utf-8", "replace")
