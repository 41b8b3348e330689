"""The how-to page about sessions: a newcomer types every command, and its pipeline can be used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import BLOCK, Block, Newcomer, outputs_of

from supervisor_ai.definitions.pipelines.files import FilePipelines

PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "sessions.md"


def blocks(kind: str) -> Iterator[Block]:
    for match in BLOCK.finditer(PAGE.read_text()):
        if match["kind"] == kind:
            yield Block(kind=match["kind"], rest=match["rest"], text=match["text"])


def test_a_newcomer_can_work_in_a_session(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = Newcomer(work, home)
    outputs = {block.text: newcomer.follow(block) for block in blocks("sh")}
    assert len(outputs) == 9
    assert outputs_of(outputs, "session new").count("-00") >= 8
    assert "mail address" in outputs_of(outputs, "msg state")
    assert "append-only" in outputs_of(outputs, "msg clear")
    assert "The brief is half done" in outputs_of(outputs, "msg list --from writer")
    assert "proves nobody" in outputs_of(outputs, "All is well")
    assert "writer  worker" in outputs_of(outputs, "session members")
    assert "closed" in outputs_of(outputs, "session close")


def test_the_example_of_a_pipeline_can_be_used(tmp_path: Path) -> None:
    (example,) = blocks("yaml")
    (tmp_path / "own.yaml").write_text(example.text)
    found = FilePipelines().find(str(tmp_path / "own.yaml"))
    assert (found.name, len(found.tasks), len(found.checkpoints)) == ("docs", 3, 1)
