"""The how-to page about the git flow: a newcomer can follow it, and sees what it shows."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer, outputs_of

ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "git-flow.md"


def first_task() -> Iterator[Block]:
    """Find what a newcomer types and writes; the other blocks show what then is to be seen."""
    section = PAGE.read_text().partition("## A first task\n")[2].partition("\n## ")[0]
    for match in BLOCK.finditer(section):
        if match["kind"] == "sh" or match["rest"]:
            yield Block(kind=match["kind"], rest=match["rest"], text=match["text"])


def test_a_newcomer_can_follow_the_page(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = Newcomer(work, home)
    outputs = {block.text: newcomer.follow(block) for block in first_task()}
    assert len(outputs) == 7
    started, looked, done = (
        ESCAPES.sub("", outputs_of(outputs, it)).replace("\r", "")
        for it in ("start-task", "git branch", "complete-task\n")
    )
    promised = [it.rstrip() for it in PAGE.read_text().splitlines() if it.startswith("  ")]
    assert "Git Preview (dry-run):\n  Branch: ai/task-001-add-user-authentication\n" in started
    assert "* main" in looked
    assert "ai/task-001-add-user-authentication" in looked
    for line in ("  Commit: ", "  Files: ", "  Merge target: "):
        [shown] = [it for it in promised if it.startswith(line)]
        assert shown in done
    assert "feat(auth): Add user authentication" in done.partition("[Y/n]")[2]
