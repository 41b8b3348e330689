"""The folder of a team on a disk: one writer, no link followed, nothing of an edit lost."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.memory_session_files import MemorySessionFolders
from tests.unit.drivers.team.folder.pages import EMPTY, NOTE, PAGE

from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.folder.model import StateFinding
from supervisor_ai.drivers.team.folder.shelf import Shelf
from supervisor_ai.drivers.team.folder.state_page import render_state
from supervisor_ai.drivers.team.text.notes import RefusedNote
from supervisor_ai.drivers.team.text.report import AlertType
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.sessions.folders import DiskSessionFolders

SECRET = "ghp_" + "Ab1" * 12


class Scene:
    """A project with the folder of a team."""

    def __init__(self, top: Path) -> None:
        self.scratch = ScratchRepository(top / "project")
        self.scratch.commit({"a": "a\n"})
        (top / "project/.supervisor").mkdir()
        self.folder = top / "project/.claude/teams/auth"
        self.folders = DiskSessionFolders(GitRepository(top / "project"))

    @property
    def shelf(self) -> Shelf:
        return Shelf(
            self.folders,
            folder=self.folders.choose("auth", str(self.folder)),
            redact=RuleRedactor().redact,
        )

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


FIRST, SECOND = render_state(EMPTY)[0], render_state(PAGE)[0]


def test_a_new_folder_has_its_files_and_is_not_gits(scene: Scene) -> None:
    scene.shelf.furnish("auth")
    scene.shelf.write_text(FIRST, replaces=None)
    assert sorted(it.name for it in scene.folder.iterdir()) == [
        ".gitignore",
        "DECISIONS.md",
        "state.md",
    ]
    assert scene.text("state.md") == FIRST
    assert scene.shelf.hash_of(FIRST) == hashlib.sha256(FIRST.encode()).hexdigest()
    assert scene.text(".gitignore") == "*\n"
    assert ".claude" not in scene.scratch.git.run("status", "--porcelain", "-uall").text
    assert scene.shelf.place == str(scene.folder)


def test_made_twice_it_keeps_what_the_tech_lead_wrote(scene: Scene) -> None:
    scene.shelf.furnish("auth")
    mine = scene.text("DECISIONS.md") + "\nMine.\n"
    (scene.folder / "DECISIONS.md").write_text(mine)
    scene.shelf.furnish("auth")
    assert scene.text("DECISIONS.md") == mine


def test_a_write_replaces_what_it_knows_and_nothing_else(scene: Scene) -> None:
    first, second = map(scene.shelf.hash_of, (FIRST, SECOND))
    scene.shelf.write_text(FIRST, replaces=None)
    scene.shelf.write_text(SECOND, replaces=first)
    scene.shelf.write_text(SECOND, replaces=first)
    (scene.folder / "state.md").write_text("Mine.\n")
    with pytest.raises(Conflict):
        scene.shelf.write_text(FIRST, replaces=second)
    assert scene.shelf.content() == b"Mine.\n"
    look = scene.shelf.look(SECOND, {first})
    assert look.finding is StateFinding.EDITED
    scene.shelf.write_text(FIRST, replaces=look.sha256)
    assert scene.shelf.look(FIRST).finding is StateFinding.OURS


def test_a_text_from_outside_is_one_clean_line_without_secrets(scene: Scene) -> None:
    line = scene.shelf.line(f" a\n\x1b[2J{SECRET}\u202e  b " + "x" * 999)
    assert line.startswith("a [REDACTED_SECRET]<U+202E> b xx")
    assert len(line) == 400


def test_a_note_is_written_once_and_without_secrets(scene: Scene) -> None:
    scene.shelf.furnish("auth")
    note = replace(NOTE, text=f"The key {SECRET} was posted")
    assert scene.shelf.note(note) is None
    assert scene.shelf.note(note) is None
    assert scene.text("DECISIONS.md").count("The key [REDACTED_SECRET] was posted") == 1


def test_a_file_beside_is_put_once(scene: Scene) -> None:
    scene.shelf.furnish("auth")
    place = scene.shelf.put("teardown-report.md", f"token {SECRET}\n")
    assert Path(place).read_text() == "token [REDACTED_SECRET]\n"
    assert scene.shelf.put("teardown-report.md", "changed\n") == place
    assert Path(place).read_text() == "changed\n"
    before = Path(place).stat().st_ino
    scene.shelf.put("teardown-report.md", "changed\n")
    assert Path(place).stat().st_ino == before


def _gone(file: Path, _: Path) -> None:
    file.unlink()


def _linked(file: Path, other: Path) -> None:
    file.unlink()
    file.symlink_to(other)


def _a_fifo(file: Path, _: Path) -> None:
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize("trick", [_gone, _linked, _a_fifo])
def test_what_is_no_regular_file_is_never_written_through(
    scene: Scene, tmp_path: Path, trick: Callable[[Path, Path], None]
) -> None:
    scene.shelf.furnish("auth")
    other = tmp_path / "other.md"
    other.write_text(scene.text("DECISIONS.md"))
    before = other.read_text()
    trick(scene.folder / "DECISIONS.md", other)
    refused = scene.shelf.note(NOTE)
    assert refused is not None
    assert refused.event is AlertType.DECISIONS_MARKER_MISSING
    assert other.read_text() == before


def test_a_hard_link_is_never_written_through(scene: Scene, tmp_path: Path) -> None:
    scene.shelf.furnish("auth")
    other = tmp_path / "other.md"
    os.link(scene.folder / "DECISIONS.md", other)
    refused = scene.shelf.note(NOTE)
    assert refused is not None
    assert refused.event is AlertType.DECISIONS_SCOPE_VIOLATION
    assert "STUCK" not in other.read_text()


def test_a_link_on_the_way_to_the_folder_is_refused(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    scene.folder.parent.parent.mkdir(parents=True)
    scene.folder.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="symbolic link"):
        _ = scene.shelf


class _Impatient(MemorySessionFolders):
    """Folders in which somebody else is always a moment faster."""

    def replace(self, folder: str, path: str, content: bytes, *, expected: str | None) -> None:  # type: ignore[explicit-override]
        if path != "DECISIONS.md" or expected is None:
            super().replace(folder, path, content, expected=expected)
            return
        raise Conflict(f"Somebody has changed {path!r} meanwhile.")


def test_who_is_never_fast_enough_gives_up_and_says_so() -> None:
    folders = _Impatient()
    shelf = Shelf(folders, folder="f", redact=RuleRedactor().redact)
    shelf.furnish("auth")
    refused = shelf.note(NOTE)
    assert isinstance(refused, RefusedNote)
    assert "all the time" in refused.reason
