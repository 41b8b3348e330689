"""Syntax colours for a file of a change, asked of a confined process."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.control.dashboard.patches import DiffFile, DiffLine, LineSign
from supervisor_ai.tools.confined_child import ChildFailedError, ConfinedReaders
from supervisor_ai.tools.confinement import ProcessLimits
from supervisor_ai.tui.pages.diff import Paint

_READER: Final = "supervisor_ai.tui.syntax_reader"
_LIMITS: Final = ProcessLimits(memory=1 << 30, cpu=5, wall=10.0, speech=32 << 20)
_MOST: Final = 300_000
_LONGEST: Final = 1_000


class ConfinedPainter:
    """Paints what it can; what a lexer breaks at stays without colours."""

    def __init__(self, limits: ProcessLimits = _LIMITS) -> None:
        self._readers = ConfinedReaders(_READER, limits)

    def paint(self, file: DiffFile) -> Paint:
        """Return the colours of a file's lines; none where there are too many, or no lexer."""
        sides = list(_sides(file))
        if not sides or sum(len(line.text) for side in sides for line in side) > _MOST:
            return {}
        texts = ["\n".join(_short(line.text) for line in side) for side in sides]
        task = json.dumps({"path": file.path, "texts": texts}).encode()
        try:
            found = json.loads(self._readers.converse(task, lambda _: b""))
        except ChildFailedError:
            return {}
        paint: dict[int, list[tuple[int, int, str]]] = {}
        for side, parts in zip(sides, found, strict=True):
            for at, start, end, style in parts:
                paint.setdefault(id(side[at]), []).append((start, end, style))
        return paint


def _sides(file: DiffFile) -> Iterator[Sequence[DiffLine]]:
    """Return of each hunk the lines before, then those after, which are what context shows."""
    for hunk in file.hunks:
        removed = [it for it in hunk.lines if it.sign is not LineSign.ADDED]
        if any(it.sign is LineSign.REMOVED for it in removed):
            yield removed
        kept = [it for it in hunk.lines if it.sign is not LineSign.REMOVED]
        if kept:
            yield kept


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else ""
