"""The tutorial, followed by a newcomer at a terminal who answers yes to every question."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer, outputs_of

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


def blocks() -> Iterator[Block]:
    for match in BLOCK.finditer(PAGE.read_text().replace('print("```', 'print("\\x60\\x60\\x60')):
        text = match["text"].replace("\\x60\\x60\\x60", "```")
        yield Block(kind=match["kind"], rest=match["rest"], text=text)


def test_a_newcomer_can_follow_the_tutorial(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    # With everything that is installed here, as nobody else has it in these tests.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    newcomer = Newcomer(work, home, path=path)
    outputs = {block.text: newcomer.follow(block) for block in blocks()}
    said = "\n".join(outputs.values())
    assert len(outputs) > 15
    assert "Goodbye" in (newcomer.directory / "tools" / "agent.py").read_text()
    assert "AssertionError" in said
    assert "sign_off" in said
    assert "ai/" in outputs_of(outputs, "git branch")
    assert outputs_of(outputs, "git status").splitlines()[0].strip().startswith("ai/") is False
