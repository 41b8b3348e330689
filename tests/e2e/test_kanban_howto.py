"""The how-to page about kanbans: its first kanban is made, and its examples can be read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer, outputs_of

from supervisor_ai.documents.kanban_parser import read_kanban
from supervisor_ai.drivers.kanban.board.kanban import Kanban

PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "kanban.md"
EXAMPLE: Final = re.compile(r"^(`{3,4})markdown\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_KANBAN: Final = "tasks/0-kanban-limits.md"
_FIRST: Final = "tasks/1-explore-limits.md"
_SECOND: Final = "tasks/2-read-the-limits.md"


def first_kanban() -> Iterator[Block]:
    """Find what a newcomer types and writes; the other blocks show what then is to be seen."""
    section = PAGE.read_text().partition("## A first kanban\n")[2].partition("\n## ")[0]
    for match in BLOCK.finditer(section):
        if match["kind"] == "sh" or match["rest"]:
            yield Block(kind=match["kind"], rest=match["rest"], text=match["text"])


def shown_tasks() -> list[str]:
    """Find the lines about tasks that the page promises."""
    lines = PAGE.read_text().splitlines()
    return [line.strip() for line in lines if re.match(r"  \d   done", line)]


def test_a_newcomer_can_make_a_first_kanban(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = Newcomer(work, home)
    outputs = {block.text: newcomer.follow(block) for block in first_kanban()}
    ran = outputs_of(outputs, "kanban new")
    assert len(outputs) == 8
    assert len(shown_tasks()) == 2
    assert [line for line in shown_tasks() if line not in ran] == []
    assert "def part" not in (newcomer.directory / "greeter.py").read_text()
    looked = outputs_of(outputs, "kanban log")
    assert looked.count("Work on ") == 2
    assert "## Supervisor Log" in looked


def test_the_examples_of_files_can_be_read() -> None:
    kanban_file, task_file, work_items = (text for _, text in EXAMPLE.findall(PAGE.read_text()))
    files = {
        _KANBAN: kanban_file,
        _FIRST: f"---\nstate: done\n---\n\n{work_items}",
        _SECOND: task_file,
    }
    kanban = read_kanban(_KANBAN, {path: text.encode() for path, text in files.items()})
    assert isinstance(kanban, Kanban)
    assert [item.is_adequate for item in kanban.files[_FIRST].work_items] == [True, True]
    assert [entry.is_whole for entry in kanban.files[_SECOND].log] == [True]
    assert [entry.event for entry in kanban.log] == ["task_done"]
