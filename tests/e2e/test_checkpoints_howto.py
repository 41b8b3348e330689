"""The how-to page about checkpoints: a newcomer can do what it says."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer, outputs_of
from tests.support.processes import PATIENCE, Owned

PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "checkpoints.md"
STAYS: Final = "checkpoint serve"


def first_checkpoint() -> Iterator[Block]:
    """Find what a newcomer types."""
    section = PAGE.read_text(encoding="utf-8").partition("## Try it\n")[2].partition("\n## ")[0]
    for match in BLOCK.finditer(section):
        yield Block(kind=match["kind"], rest=match["rest"], text=match["text"])


def test_a_newcomer_can_make_a_first_checkpoint(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = Newcomer(work, home)
    begun = "git init -q -b main .\ngit config user.name A\ngit config user.email a@example.org\n"
    newcomer.follow(Block(kind="sh", rest=None, text=f"{begun}git commit -q --allow-empty -m 1\n"))
    blocks = list(first_checkpoint())
    outputs = {blocks[0].text: newcomer.follow(blocks[0])}
    assert STAYS in blocks[1].text
    with Owned(
        blocks[1].text.split(),
        cwd=work,
        env=newcomer.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as served:
        outputs |= {block.text: newcomer.follow(block) for block in blocks[2:]}
        assert served.wait(timeout=PATIENCE) == 0
    made = outputs_of(outputs, "checkpoint request")
    assert "CHECKPOINT-001: warn" in made or "CHECKPOINT-001: pass" in made
    assert "## Verdict" in made
    assert (work / ".supervisor/sessions/shop/artifacts/CHECKPOINT-001-report.md").is_file()
