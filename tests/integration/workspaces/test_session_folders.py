"""The folders of sessions on the disk, filled by somebody hostile."""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Busy, Conflict, InvalidInput, SupervisorError, Unavailable
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.tools.file_lock import held
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.sessions.folders import DiskSessionFolders
from supervisor_ai.workspaces.sessions.walk import FILE_BYTES, MOST_FILES

REPORT = "CHECKPOINT-001-report.md"


class Scene:
    """A project, a team's own folder beside it, and a file that is nobody's business."""

    def __init__(self, top: Path) -> None:
        ScratchRepository(top / "project").commit({"a": "a\n"})
        self.project = top / "project"
        (self.project / ".supervisor").mkdir()
        self.team = top / "team"
        self.team.mkdir()
        self.secret = top / "secret.md"
        self.secret.write_text("secret\n")
        self.folders = DiskSessionFolders(GitRepository(self.project))
        self.folder = self.folders.choose("S1", str(self.team))

    def paths(self) -> list[str]:
        return [it.path for it in self.folders.list(self.folder).files]

    def notes(self) -> tuple[str, ...]:
        return self.folders.list(self.folder).notes


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_our_own_place_is_hidden_from_git(scene: Scene) -> None:
    folder = scene.folders.choose("S1", None)
    scene.folders.prepare(folder, ("artifacts",))
    assert folder == ".supervisor/sessions/S1"
    assert scene.folders.place(folder) == str(scene.project / ".supervisor/sessions/S1")
    assert (scene.project / ".supervisor/sessions/S1/artifacts").is_dir()
    assert (scene.project / ".supervisor/sessions/.gitignore").read_text() == "*\n"


def test_a_folder_that_moves_with_its_project_is_found_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    folder = scene.folders.choose("S1", None)
    scene.folders.append_wisdom(folder, "w.md", "- a")
    scene.project.rename(tmp_path / "moved")
    moved = DiskSessionFolders(GitRepository(tmp_path / "moved"))
    assert moved.read(folder, "wisdom/w.md") == "- a\n"


@pytest.mark.parametrize(
    "folder",
    [
        *(".supervisor/sessions/..", ".supervisor/sessions/a/b", ".supervisor/artifacts", "team"),
        *("", "/a/../b", ".supervisor/sessions/", ".supervisor/sessions/.hidden"),
    ],
)
def test_a_folder_is_named_without_doubt(scene: Scene, folder: str) -> None:
    with pytest.raises(InvalidInput):
        scene.folders.list(folder)
    with pytest.raises(InvalidInput):
        scene.folders.append_wisdom(folder, "w.md", "x")


@pytest.mark.parametrize("place", [".git/x", ".supervisor/x", ".supervisor/sessions/S2"])
def test_a_teams_folder_is_never_gits_nor_ours(scene: Scene, place: str) -> None:
    with pytest.raises(InvalidInput):
        scene.folders.choose("S1", str(scene.project / place))


def test_a_link_in_a_checkout_is_no_folder(scene: Scene) -> None:
    (scene.project / "team").symlink_to(scene.team)
    with pytest.raises(InvalidInput, match="symbolic link"):
        scene.folders.choose("S1", str(scene.project / "team"))


@pytest.mark.parametrize("link", [".supervisor/sessions", ".supervisor/sessions/S1"])
def test_a_link_in_place_of_our_folder_leads_nowhere(scene: Scene, link: str) -> None:
    place = scene.project / link
    place.parent.mkdir(exist_ok=True)
    (scene.team / "S1").mkdir()
    place.symlink_to(scene.team if link.endswith("sessions") else scene.team / "S1")
    folder = scene.folders.choose("S1", None)
    assert scene.folders.list(folder).files == ()
    with pytest.raises(SupervisorError):
        scene.folders.append_wisdom(folder, "w.md", "x")
    assert list(scene.team.rglob("*.md")) == []


def test_what_is_no_regular_file_is_not_there(scene: Scene) -> None:
    (scene.team / "artifacts").mkdir()
    (scene.team / "artifacts/link.md").symlink_to(scene.secret)
    (scene.team / "artifacts/gone.md").symlink_to(scene.team / "absent")
    (scene.team / "plan").symlink_to(scene.secret.parent)
    os.mkfifo(scene.team / "artifacts/pipe.md")
    (scene.team / "artifacts/real.md").write_text("real\n")
    assert scene.paths() == ["artifacts/real.md"]
    for path in ("artifacts/link.md", "artifacts/pipe.md", "plan/secret.md", "artifacts"):
        assert scene.folders.read(scene.folder, path) is None
        assert scene.folders.fetch(scene.folder, path, 100) is None


@pytest.mark.parametrize("path", ["../secret.md", "artifacts/../../secret.md", "/etc/passwd"])
def test_no_path_leaves_the_folder(scene: Scene, path: str) -> None:
    assert scene.folders.read(scene.folder, path) is None
    with pytest.raises(InvalidInput):
        scene.folders.append(scene.folder, path, b"x")
    with pytest.raises(InvalidInput):
        scene.folders.replace(scene.folder, path, b"x", expected=None)
    assert scene.secret.read_text() == "secret\n"


def _link(place: Path, secret: Path) -> None:
    place.symlink_to(secret)


def _hard_link(place: Path, secret: Path) -> None:
    place.hardlink_to(secret)


def _pipe(place: Path, secret: Path) -> None:
    del secret
    os.mkfifo(place)


def _directory(place: Path, secret: Path) -> None:
    del secret
    place.mkdir()


@pytest.mark.parametrize("put", [_link, _hard_link, _pipe, _directory])
def test_nothing_is_written_through_or_over_what_is_no_file(
    scene: Scene, put: Callable[[Path, Path], None]
) -> None:
    for name in ("artifacts", "wisdom", ".msg"):
        (scene.team / name).mkdir()
    put(scene.team / f"artifacts/{REPORT}", scene.secret)
    put(scene.team / "wisdom/w.md", scene.secret)
    put(scene.team / ".msg/messages.jsonl", scene.secret)
    put(scene.team / "team-session.json", scene.secret)
    with pytest.raises(Conflict):
        scene.folders.write_report(scene.folder, REPORT, "report")
    with pytest.raises(Conflict):
        scene.folders.append_wisdom(scene.folder, "w.md", "- a")
    with pytest.raises(Conflict):
        scene.folders.append(scene.folder, ".msg/messages.jsonl", b"{}\n")
    with pytest.raises(Conflict):
        scene.folders.replace(scene.folder, "team-session.json", b"{}", expected=None)
    assert scene.secret.read_text() == "secret\n"


def test_nothing_is_written_below_a_linked_folder(scene: Scene) -> None:
    outside = scene.team.parent / "outside"
    outside.mkdir()
    for folder in ("artifacts", "wisdom"):
        (scene.team / folder).symlink_to(outside)
    with pytest.raises(SupervisorError):
        scene.folders.write_report(scene.folder, REPORT, "report")
    with pytest.raises(SupervisorError):
        scene.folders.append_wisdom(scene.folder, "w.md", "- a")
    assert list(outside.iterdir()) == []


def test_names_that_nobody_can_read_are_told_and_left(scene: Scene) -> None:
    (scene.team / "artifacts").mkdir()
    names = [b"\xff.md", b"a\nb.md", b"\x1b[31m.md", b"x" * 250, "a\u202eb.md".encode()]
    for name in (*names, b"good.md"):
        Path(os.fsdecode(os.fsencode(scene.team / "artifacts") + b"/" + name)).write_text("x")
    assert scene.paths() == ["artifacts/good.md"]
    notes = scene.notes()
    assert len(notes) == len(names)
    assert all(note.isprintable() and note.isascii() for note in notes)


def test_sizes_and_depths_are_bounded(scene: Scene) -> None:
    (scene.team / "artifacts").mkdir()
    (scene.team / "artifacts/most.md").write_bytes(b"x" * FILE_BYTES)
    (scene.team / "artifacts/more.md").write_bytes(b"x" * (FILE_BYTES + 1))
    deep = scene.team.joinpath(*(["d"] * 12))
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("deep")
    assert scene.paths() == ["artifacts/most.md"]
    assert len(scene.notes()) == 2
    assert scene.folders.read(scene.folder, "artifacts/more.md") is None
    with pytest.raises(InvalidInput):
        scene.folders.fetch(scene.folder, "artifacts/more.md", FILE_BYTES)
    for text in ("x" * (FILE_BYTES + 1), "é" * FILE_BYTES):
        with pytest.raises(InvalidInput):
            scene.folders.write_report(scene.folder, REPORT, text)


def test_all_files_together_are_bounded(scene: Scene) -> None:
    (scene.team / "artifacts").mkdir()
    for number in range(66):
        with (scene.team / f"artifacts/{number:03}.md").open("wb") as file:
            file.truncate(FILE_BYTES)
    assert len(scene.paths()) == 64
    assert len(scene.notes()) == 2


def _fill(folder: Path, number: int) -> None:
    folder.mkdir()
    for at in range(number):
        os.close(os.open(folder / f"{at:06}", os.O_CREAT | os.O_WRONLY))


def test_very_many_files_are_counted_not_read(scene: Scene) -> None:
    _fill(scene.team / "artifacts", MOST_FILES + 7)
    assert len(scene.paths()) == MOST_FILES
    assert scene.notes() == (f"7 more files are left out: {MOST_FILES} are the most.",)


@pytest.mark.long
def test_a_hundred_thousand_files_do_not_stop_us(scene: Scene) -> None:
    _fill(scene.team / "artifacts", 100_001)
    _fill(scene.team / "wisdom", 10)
    assert len(scene.paths()) == MOST_FILES
    assert any("Only 100000 entries" in note for note in scene.notes())


def test_our_writers_take_turns(scene: Scene) -> None:
    scene.folders.append_wisdom(scene.folder, "w.md", "- a")
    with held(os.open(scene.team, os.O_RDONLY)):
        quick = DiskSessionFolders(GitRepository(scene.project), patience=0.05)
        with pytest.raises(Busy):
            quick.append_wisdom(scene.folder, "w.md", "- b")
    assert (scene.team / "wisdom/w.md").read_text() == "- a\n"


def test_a_file_keeps_its_rights_and_a_draft_is_not_left(scene: Scene) -> None:
    file = scene.team / "team-session.json"
    scene.folders.replace(scene.folder, "team-session.json", b"1", expected=None)
    file.chmod(0o640)
    before = hashlib.sha256(b"1").hexdigest()
    scene.folders.replace(scene.folder, "team-session.json", b"2", expected=before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [it.name for it in scene.team.iterdir()] == ["team-session.json"]


def test_a_disk_that_gives_out_leaves_the_file_as_it_was(scene: Scene) -> None:
    scene.folders.write_report(scene.folder, REPORT, "one")

    def rename(src: str, dst: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        del src, src_dir_fd, dst_dir_fd
        raise OSError(28, "No space left on device", dst)

    full = DiskSessionFolders(GitRepository(scene.project), rename=rename)
    with pytest.raises(Unavailable, match="No space left"):
        full.write_report(scene.folder, REPORT, "two")
    found = {it.name: it.read_text() for it in (scene.team / "artifacts").iterdir()}
    assert found == {REPORT: "one"}


def test_text_that_is_not_utf8_can_be_read(scene: Scene) -> None:
    (scene.team / "a.md").write_bytes(b"a\xffb")
    assert scene.folders.read(scene.folder, "a.md") == "a\N{REPLACEMENT CHARACTER}b"
