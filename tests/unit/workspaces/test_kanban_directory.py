"""A plain directory that somebody hostile may have filled, and saves that are interrupted."""

import os
import stat
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.drivers.kanban.board.bounds import FILE_BYTES, MOST_FILES
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.kanban.directory import KanbanDirectory, Wish
from supervisor_ai.workspaces.repositories.definite_directory import find_directory
from supervisor_ai.workspaces.repositories.repository import GitRepository

WISHES: Final[dict[str, Wish]] = {
    "1-a.md": (b"a\n", b"A\n"),
    "2-b.md": (b"b\n", None),
    "3-c.md": (None, b"C\n"),
    "4-d.md": (b"d\n", b"D\n"),
}
BEFORE: Final = {"1-a.md": b"a\n", "2-b.md": b"b\n", "4-d.md": b"d\n"}
AFTER: Final = {"1-a.md": b"A\n", "3-c.md": b"C\n", "4-d.md": b"D\n"}


class StubbornDisk:
    """A disk that gives out after some renames."""

    def __init__(self, renames: int) -> None:
        self.left = renames

    def rename(self, src: str, dst: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if not self.left:
            raise OSError(5, "Input/output error", dst)
        self.left -= 1
        os.rename(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    plain = tmp_path / "plain"
    plain.mkdir()
    for name, content in BEFORE.items():
        (plain / name).write_bytes(content)
    return plain


def look(here: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in here.iterdir()}


def test_links_pipes_and_directories_are_not_there(here: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    (here / "link.md").symlink_to(tmp_path / "secret.md")
    (here / "dangling.md").symlink_to(tmp_path / "absent.md")
    (here / "folder.md").mkdir()
    (here / "folder.md/5-e.md").write_text("e\n")
    (here / "notes.txt").write_text("n\n")
    os.mkfifo(here / "pipe.md")
    assert KanbanDirectory(path=here).read() == BEFORE


def test_a_file_without_an_end_is_refused(here: Path) -> None:
    with (here / "huge.md").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InvalidInput, match=r"huge\.md"):
        KanbanDirectory(path=here).read()
    with pytest.raises(InvalidInput, match=r"huge\.md"):
        KanbanDirectory(path=here).fulfil({"huge.md": (b"h\n", b"H\n")})


def test_too_many_files_are_refused(here: Path) -> None:
    for number in range(MOST_FILES):
        (here / f"x-{number}.md").touch()
    with pytest.raises(InvalidInput, match="1003 markdown files"):
        KanbanDirectory(path=here).read()


def test_a_file_of_the_greatest_size_is_read(here: Path) -> None:
    (here / "5-e.md").write_bytes(b"x" * FILE_BYTES)
    assert len(KanbanDirectory(path=here).read()["5-e.md"]) == FILE_BYTES


def test_a_name_that_is_no_text_is_refused(here: Path) -> None:
    (here / os.fsdecode(b"\xff.md")).touch()
    with pytest.raises(InvalidInput, match="not UTF-8"):
        KanbanDirectory(path=here).read()


def test_wishes_are_fulfilled_and_then_there_is_nothing_to_do(here: Path) -> None:
    directory = KanbanDirectory(path=here)
    directory.fulfil(WISHES)
    assert look(here) == AFTER
    before = (here / "1-a.md").stat().st_ino
    directory.fulfil(WISHES)
    assert look(here) == AFTER
    assert (here / "1-a.md").stat().st_ino == before


def test_the_mode_of_a_file_stays_and_a_new_one_is_ordinary(here: Path) -> None:
    (here / "1-a.md").chmod(0o640)
    KanbanDirectory(path=here).fulfil(WISHES)
    assert stat.S_IMODE((here / "1-a.md").stat().st_mode) == 0o640
    assert stat.S_IMODE((here / "3-c.md").stat().st_mode) == 0o644


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_files_belong_to_whom_they_did_before(here: Path) -> None:
    os.chown(here / "1-a.md", 1234, 1235)
    os.chown(here, 1236, 1237)
    KanbanDirectory(path=here).fulfil(WISHES)
    found = [(here / name).stat() for name in ("1-a.md", "3-c.md")]
    assert [(each.st_uid, each.st_gid) for each in found] == [(1234, 1235), (1236, 1237)]


@pytest.mark.parametrize("renames", range(len(AFTER)))
def test_a_save_can_be_interrupted_between_any_two_files(here: Path, renames: int) -> None:
    disk = StubbornDisk(renames)
    with pytest.raises(OSError, match="Input/output error"):
        KanbanDirectory(path=here, rename=disk.rename).fulfil(WISHES)
    left = look(here)
    assert left != AFTER
    for name, content in left.items():
        assert content in WISHES[name]
    KanbanDirectory(path=here).fulfil(WISHES)
    assert look(here) == AFTER


def test_a_draft_that_a_crash_left_is_overwritten(here: Path) -> None:
    class PulledPlug(BaseException):
        """The end of everything."""

    def rename(src: str, dst: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        raise PulledPlug(src, dst, src_dir_fd, dst_dir_fd)

    with pytest.raises(PulledPlug):
        KanbanDirectory(path=here, rename=rename).fulfil(WISHES)
    assert len(look(here)) == len(BEFORE) + 1
    assert KanbanDirectory(path=here).read() == BEFORE
    KanbanDirectory(path=here).fulfil(WISHES)
    assert look(here) == AFTER


def test_nothing_is_written_where_one_file_is_not_as_it_was(here: Path) -> None:
    (here / "4-d.md").write_bytes(b"edited\n")
    before = look(here)
    with pytest.raises(Conflict, match=r"4-d\.md"):
        KanbanDirectory(path=here).fulfil(WISHES)
    assert look(here) == before


@pytest.mark.parametrize("name", ["1-a.md", "3-c.md"])
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "directory"])
def test_nothing_is_written_where_a_file_is_something_else(
    here: Path, tmp_path: Path, name: str, kind: str
) -> None:
    secret = tmp_path / "secret.md"
    secret.write_bytes(b"a\n")
    place = here / name
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "directory":
        place.mkdir()
    else:
        place.symlink_to(secret if kind == "link" else tmp_path / "absent.md")
    with pytest.raises(Conflict, match="no regular file"):
        KanbanDirectory(path=here).fulfil(WISHES)
    assert (here / "4-d.md").read_bytes() == b"d\n"
    assert secret.read_bytes() == b"a\n"
    assert not (tmp_path / "absent.md").exists()


@pytest.mark.parametrize("name", ["../x.md", "a/b.md", ".bashrc", "x.txt", "\udcff.md"])
def test_only_names_of_kanban_files_are_written(here: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        KanbanDirectory(path=here).fulfil({name: (None, b"x")})
    assert look(here) == BEFORE


def test_a_directory_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    gone = KanbanDirectory(path=tmp_path / "gone")
    with pytest.raises(FileNotFoundError):
        gone.fulfil(WISHES)
    gone.fulfil({"1-a.md": (None, b"a\n")})
    assert look(tmp_path / "gone") == {"1-a.md": b"a\n"}


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    ScratchRepository(tmp_path / "home/project").commit({"docs/a": "a\n"})
    return GitRepository(tmp_path / "home/project")


def test_a_directory_is_inside_the_checkout_or_anywhere_else(
    repository: GitRepository, tmp_path: Path
) -> None:
    for place in (repository.root / "docs", repository.root / "absent/one", tmp_path / "other"):
        assert find_directory(str(place), repository, what="a kanban") == place
    (tmp_path / "way").symlink_to(tmp_path / "home")
    way = tmp_path / "way/project/docs"
    assert find_directory(str(way), repository, what="a kanban") == repository.root / "docs"


@pytest.mark.parametrize(
    "path", [".git/x", ".supervisor", ".supervisor/tasks", "docs/.GIT", "../other/.git/x"]
)
def test_a_directory_is_never_git_s_nor_ours(repository: GitRepository, path: str) -> None:
    place = os.path.normpath(repository.root / path)
    with pytest.raises(InvalidInput, match="no place"):
        find_directory(place, repository, what="a kanban")


@pytest.mark.parametrize("path", ["tasks", "a/../tasks", "", "/tmp/a\0b"])
def test_a_directory_is_named_without_doubt(repository: GitRepository, path: str) -> None:
    with pytest.raises(InvalidInput, match="not a definite path"):
        find_directory(path, repository, what="a kanban")


@pytest.mark.parametrize("way", ["tasks", "tasks/deep"])
def test_a_link_of_the_checkout_leads_nowhere(
    repository: GitRepository, tmp_path: Path, way: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (repository.root / "tasks").symlink_to(outside)
    (tmp_path / "way").symlink_to(tmp_path / "home")
    for root in (repository.root, tmp_path / "way/project"):
        with pytest.raises(InvalidInput, match="symbolic link"):
            find_directory(str(root / way), repository, what="a kanban")


def test_a_link_in_a_circle_is_no_directory(repository: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    path = find_directory(str(tmp_path / "circle"), repository, what="a kanban")
    with pytest.raises(OSError, match="circle"):
        KanbanDirectory(path=path).read()
