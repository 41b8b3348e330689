"""The how-to page about loops: its first loop is run as a newcomer would."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer, outputs_of

PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "loops.md"


def first_loop() -> Iterator[Block]:
    """Find what a newcomer types and writes; the other blocks show what then is to be seen."""
    section = PAGE.read_text().partition("## A first loop\n")[2].partition("\n## ")[0]
    for match in BLOCK.finditer(section):
        if match["kind"] == "sh" or match["rest"]:
            yield Block(kind=match["kind"], rest=match["rest"], text=match["text"])


def shown_tasks() -> list[str]:
    """Find the lines about tasks that the page promises, without their commits."""
    found = re.findall(r"^(\d     done     1)      …\s+(.+)$", PAGE.read_text(), re.MULTILINE)
    return [" ".join(line) for line in found]


def test_a_newcomer_can_run_a_first_loop(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = Newcomer(work, home)
    outputs = {block.text: newcomer.follow(block) for block in first_loop()}
    ran = outputs_of(outputs, "loop run")
    assert len(outputs) == 7
    told = " ".join(ran.split())
    assert "2 completed, 2 begun" in told
    assert "1 of 1 reached" in told
    listed = re.sub(r"[0-9a-f]{12}  ", "", ran)
    assert len(shown_tasks()) == 2
    assert [line for line in shown_tasks() if line.split()[-1] not in listed] == []
    assert "def part" not in (newcomer.directory / "greeter.py").read_text()
    reported = outputs_of(outputs, "loop report")
    assert "knowledge: Internaliser after 2 tasks" in reported
    assert "- [x] Users part and thank" in reported
