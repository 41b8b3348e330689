"""The how-to page about knowledge: a newcomer can follow it, and the agent does as it is told."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer

ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "knowledge.md"


def steps() -> Iterator[Block]:
    section = PAGE.read_text().partition("## A first convention\n")[2].partition("\n## ")[0]
    for match in BLOCK.finditer(section):
        yield Block(kind=match["kind"], rest=match["rest"], text=match["text"])


def test_a_newcomer_can_follow_the_page(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = Newcomer(work, home)
    told = [ESCAPES.sub("", newcomer.follow(block)).replace("\r", "") for block in steps()]
    _, _, _, _, without, written, with_it, looked, gone = told
    assert 'raise Exception("not found")' in without
    assert "_Status: established_" in written
    assert "## PROJECT KNOWLEDGE" in with_it
    assert 'raise ToolError("not found")' in with_it
    assert "a convention in force" in looked
    assert "established  1     1" in looked
    assert "established → deprecated" in gone or "Errors are values now" in gone
    assert "(deprecated, last updated by user" in gone
