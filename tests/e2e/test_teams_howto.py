"""The how-to page about teams: a newcomer types every command, from top to bottom."""

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer, outputs_of
from tests.support.preloaded import Preloaded
from tests.support.processes import PATIENCE

PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "teams.md"
COMMAND: Final = "supervisor "


def blocks() -> Iterator[Block]:
    for match in BLOCK.finditer(PAGE.read_text()):
        if match["kind"] == "sh":
            yield Block(kind=match["kind"], rest=match["rest"], text=match["text"])


class ManyCommands(Newcomer):
    """Types a page of commands without the start of a process for each of them."""

    def __init__(self, directory: Path, home: Path, preloaded: Preloaded) -> None:
        super().__init__(directory, home)
        self._preloaded = preloaded

    def follow(self, block: Block) -> str:  # type: ignore[explicit-override]
        if not block.text.startswith(COMMAND):
            return super().follow(block)
        said = [self._call(line) for line in block.text.strip().split("\n")]
        code, output = said[-1][0], "".join(it for _, it in said)
        assert (*(it for it, _ in said[:-1]), code) == (*(0 for _ in said[:-1]), block.exit_code), (
            output
        )
        return output

    def _call(self, line: str) -> tuple[int, str]:
        code, out, err = self._preloaded.call(
            shlex.split(line)[1:],
            directory=self.directory,
            environment=self.environment(),
            seconds=PATIENCE,
        )
        return code, out + err


def test_a_newcomer_can_lead_a_team(tmp_path: Path, preloaded: Preloaded) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = ManyCommands(work, home, preloaded)
    outputs = {block.text: newcomer.follow(block) for block in blocks()}
    assert "SIMPLE (none of the triggers)" in outputs_of(outputs, "team create")
    assert "HANDOFF_DUPLICATE: accepted" in outputs_of(outputs, "--epoch 1")
    assert "CLAIM needs rev, epoch" in outputs_of(outputs, "CLAIM --task 1 --from coder-1\n")
    assert "approval of unified-reviewer" in outputs_of(outputs, '"DONE: task 1" --from')
    assert "'coder-2' is coder" in outputs_of(outputs, "--from coder-2\n")
    assert "I can't implement code changes" in outputs_of(outputs, "Hotfix")
    assert "WARN STUCK task #2 owner=coder-1" in outputs_of(outputs, "team report")
    assert "--of reconcile" in outputs_of(outputs, "team reconcile auth\n")
    assert "auth: DELETED" in outputs_of(outputs, "team delete auth\nsupervisor team status")
    folder = work / "shop/.claude/teams/auth"
    names = sorted(it.name for it in folder.iterdir())
    assert names == [".gitignore", "DECISIONS.md", "TEARDOWN.md", "state.md"]
    decisions = (folder / "DECISIONS.md").read_text()
    assert "STUCK task #2: coder-1" in decisions
    assert "TASK_RELEASED task #2: lead" in decisions
    git = ["git", "-C", str(work / "shop"), "status", "--porcelain", "-uall"]
    assert b".claude" not in subprocess.run(git, capture_output=True, check=True).stdout
