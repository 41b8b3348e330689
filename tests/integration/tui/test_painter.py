"""Colours of code come from a process that can be made to break without harm."""

import pytest

from supervisor_ai.control.dashboard.patches import DiffFile, LineSign, read_patch
from supervisor_ai.tools.confinement import ProcessLimits
from supervisor_ai.tui.painter import ConfinedPainter


def changed(path: str, *lines: str) -> DiffFile:
    body = "\n".join(lines)
    olds = sum(line[0] in "- " for line in lines)
    news = sum(line[0] in "+ " for line in lines)
    patch = f"diff --git a/{path} b/{path}\n@@ -1,{olds} +1,{news} @@\n{body}\n"
    return read_patch(patch)[0]


def test_words_of_a_language_have_colours() -> None:
    file = changed(
        "a.py", ' """Two', " lines", ' """', "-def old(): pass", "+def new(): return 'x'"
    )
    paint = ConfinedPainter().paint(file)
    lines = file.hunks[0].lines
    coloured = {line.text[start:end] for line in lines for start, end, _ in paint.get(id(line), ())}
    assert {'"""Two', "lines", "def", "old", "new", "return", "x"} <= coloured
    removed = next(it for it in lines if it.sign is LineSign.REMOVED)
    assert paint[id(removed)][0] == (0, 3, "#d2a8ff")


@pytest.mark.parametrize("path", ["a.unknown-language", "noext"])
def test_a_language_that_nobody_knows_has_none(path: str) -> None:
    assert ConfinedPainter().paint(changed(path, "+some words")) == {}


def test_a_change_that_is_too_large_has_none() -> None:
    assert ConfinedPainter().paint(changed("a.py", *["+x = 1" * 500] * 150)) == {}


def test_a_lexer_that_never_ends_is_stopped() -> None:
    painter = ConfinedPainter(ProcessLimits(memory=1 << 30, cpu=1, wall=0.001, speech=1 << 20))
    assert painter.paint(changed("a.py", "+x = 1")) == {}
    assert ConfinedPainter().paint(changed("a.py", "+x = 1")) != {}
