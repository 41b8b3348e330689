"""Kanban files in commits that hold more than ordinary files."""

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.domain.errors import InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import NotSaved, NotTaken, Saved, Standing, Taken
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.kanban.files import GitKanbanFiles
from supervisor_ai.workspaces.repositories.repository import GitRepository

AT: Final = datetime(2030, 1, 1, tzinfo=UTC)
FILE: Final = "tasks/0-kanban-x.md"
ABSENT: Final = CommitSha("1" * 40)


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def files(user: ScratchRepository, tmp_path: Path) -> GitKanbanFiles:
    return GitKanbanFiles(GitRepository(user.path), tmp_path / "state")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    (tmp_path / "plain").mkdir()
    return tmp_path / "plain"


def entries(user: ScratchRepository, commit: CommitSha) -> dict[str, str]:
    listed = user.git.run("ls-tree", "-r", "--full-tree", commit).text.splitlines()
    return {line.partition("\t")[2]: line[:6] for line in listed}


def take(files: GitKanbanFiles, base: CommitSha, plain: Path | None = None) -> Taken | NotTaken:
    place = KanbanPlace(file=FILE, directory=str(plain) if plain else None)
    standing = Standing(branch="ai/r1", base=base, landed=None)
    return asyncio.run(files.take(place, standing, at=AT))


def save(
    files: GitKanbanFiles, plain: Path, start: CommitSha, done: CommitSha, base: CommitSha
) -> Saved | NotSaved:
    place = KanbanPlace(file=FILE, directory=str(plain))
    return asyncio.run(files.save(place, start=start, snapshot=done, base=base, at=AT))


def test_links_and_folders_of_a_commit_are_not_there(
    user: ScratchRepository, files: GitKanbanFiles
) -> None:
    user.write({FILE: "k\n", "tasks/deep.md/1-a.md": "a\n", "tasks/run.md": "r\n"})
    (user.path / "tasks/run.md").chmod(0o755)
    (user.path / "tasks/link.md").symlink_to("/etc/passwd")
    (user.path / "linked").symlink_to("tasks")
    commit = user.commit()
    found = asyncio.run(files.read(commit, "tasks"))
    assert found == {FILE: b"k\n", "tasks/run.md": b"r\n"}
    assert asyncio.run(files.read(commit, "linked")) == {}


def test_bytes_are_read_as_they_are(user: ScratchRepository, files: GitKanbanFiles) -> None:
    user.write({".gitattributes": "* text eol=crlf\n"})
    user.commit()
    blob = user.git.run("hash-object", "-w", "--stdin", stdin=b"\xff\r\n\0").text
    user.git.run("update-index", "--add", "--cacheinfo", f"100644,{blob},{FILE}")
    tree = user.git.run("write-tree").text
    commit = CommitSha(user.git.run("commit-tree", tree, "-m", "x").text)
    assert asyncio.run(files.read(commit, "tasks")) == {FILE: b"\xff\r\n\0"}


@pytest.mark.parametrize("folder", ["", "..", "tasks/..", "/etc", "tasks/", ".git"])
def test_a_folder_is_one_of_the_commit_s_own(
    user: ScratchRepository, files: GitKanbanFiles, folder: str
) -> None:
    with pytest.raises(InvalidInput, match="not one of a commit's own"):
        asyncio.run(files.read(user.commit(), folder))


def test_a_folder_s_name_is_taken_literally(user: ScratchRepository, files: GitKanbanFiles) -> None:
    commit = user.commit({"*/a.md": "star\n", "b/a.md": "b\n", ":(top)/a.md": "top\n"})
    assert asyncio.run(files.read(commit, "*")) == {"*/a.md": b"star\n"}
    assert asyncio.run(files.read(commit, ":(top)")) == {":(top)/a.md": b"top\n"}


def test_links_and_modes_and_submodules_count_as_changes(
    user: ScratchRepository, files: GitKanbanFiles
) -> None:
    start = user.commit({"a": "a\n", "b": "b\n", FILE: "k\n"})
    (user.path / "a").chmod(0o755)
    (user.path / "b").unlink()
    (user.path / "b").symlink_to("a")
    (user.path / "tasks/\udcff").touch()
    user.git.run("add", "--all")
    user.git.run("update-index", "--add", "--cacheinfo", f"160000,{start},module")
    tree = user.git.run("write-tree").text
    commit = CommitSha(user.git.run("commit-tree", tree, "-m", "x").text)
    assert asyncio.run(files.changed(start, commit)) == ("a", "b", "module", "tasks/\udcff")


def test_commits_that_do_not_exist_are_trouble(
    user: ScratchRepository, files: GitKanbanFiles, plain: Path
) -> None:
    commit = user.commit({FILE: "k\n"})
    with pytest.raises(Unavailable):
        asyncio.run(files.read(ABSENT, "tasks"))
    with pytest.raises(Unavailable):
        asyncio.run(files.changed(commit, ABSENT))
    with pytest.raises(NotFound, match=ABSENT):
        save(files, plain, commit, commit, ABSENT)


def test_a_directory_covers_the_links_of_a_commit(
    user: ScratchRepository, files: GitKanbanFiles, plain: Path
) -> None:
    user.write({"tasks/2-b.md": "b\n", "tasks/deep/x": "x\n", "tasks/n.md/1-a.md": "a\n"})
    (user.path / "tasks/link.md").symlink_to("/etc")
    (user.path / FILE).symlink_to("/etc/passwd")
    (user.path / "tasks/2-b.md").chmod(0o755)
    base = user.commit()
    for name in ("0-kanban-x.md", "2-b.md", "n.md"):
        (plain / name).write_bytes(b"\xff")
    taken = take(files, base, plain)
    assert isinstance(taken, Taken)
    assert entries(user, taken.snapshot.commit) == {
        FILE: "100644",
        "tasks/2-b.md": "100755",
        "tasks/deep/x": "100644",
        "tasks/n.md": "100644",
    }


def test_the_checkout_s_own_folder_can_be_the_directory(
    user: ScratchRepository, files: GitKanbanFiles
) -> None:
    base = user.commit({FILE: "k\n"})
    (user.path / FILE).write_text("edited\n")
    taken = take(files, base, user.path / "tasks")
    assert isinstance(taken, Taken)
    assert taken.files == {FILE: b"edited\n"}


def test_a_directory_that_is_none_is_not_taken(
    user: ScratchRepository, files: GitKanbanFiles, plain: Path
) -> None:
    base = user.commit({FILE: "k\n"})
    (plain / "file").touch()
    (user.path / "out").symlink_to(plain)
    for place, reason in (
        (plain / "absent", "No such file"),
        (plain / "file", "Not a directory"),
        (user.path / ".git", "no place"),
        (user.path / ".supervisor", "no place"),
        (user.path / "out", "symbolic link"),
    ):
        taken = take(files, base, place)
        assert isinstance(taken, NotTaken)
        assert reason in taken.reason


def test_the_rest_has_the_folder_of_the_base_whatever_is_in_it(
    user: ScratchRepository, files: GitKanbanFiles, plain: Path
) -> None:
    user.write({"tasks/run.md": "r\n", "tasks/deep/x": "x\n", "README": "hello\n"})
    (user.path / "tasks/run.md").chmod(0o755)
    (user.path / "tasks/link.md").symlink_to("/etc")
    base = user.commit()
    start = user.plant({FILE: "k\n", "README": "hello\n"}, parent=base)
    for done in (
        {FILE: "changed\n", "tasks/other.txt": "o\n", "code": "c\n"},
        {"tasks": "a file\n", "code": "c\n"},
        {"code": "c\n"},
    ):
        (plain / "0-kanban-x.md").write_bytes(b"k\n")
        saved = save(files, plain, start, user.plant(done, parent=start), base)
        assert isinstance(saved, Saved)
        folder = {path: mode for path, mode in entries(user, base).items() if "/" in path}
        assert entries(user, saved.rest.commit) == folder | {"code": "100644"}
        tree = user.git.run("rev-parse", f"{saved.rest.commit}^{{tree}}").text
        assert saved.rest.tree == tree
        wanted = {"0-kanban-x.md": b"changed\n"} if FILE in done else {}
        assert {path.name: path.read_bytes() for path in plain.iterdir()} == wanted


def test_what_cannot_be_written_is_not_saved_and_can_be_tried_again(
    user: ScratchRepository, files: GitKanbanFiles, plain: Path, tmp_path: Path
) -> None:
    (plain / "0-kanban-x.md").write_bytes(b"k\n")
    start = user.commit({FILE: "k\n"})
    done = user.plant({FILE: "changed\n", "tasks/1-a.md": "a\n"}, parent=start)

    def rename(src: str, dst: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if dst == "1-a.md":
            raise OSError(28, "No space left on device", dst)
        os.rename(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    full = GitKanbanFiles(GitRepository(user.path), tmp_path / "state", rename=rename)
    saved = save(full, plain, start, done, start)
    assert isinstance(saved, NotSaved)
    assert "No space left" in saved.reason
    assert [path.name for path in plain.iterdir()] == ["0-kanban-x.md"]
    assert isinstance(save(files, plain, start, done, start), Saved)
    assert sorted(path.read_bytes() for path in plain.iterdir()) == [b"a\n", b"changed\n"]


def test_files_of_a_worker_that_are_too_large_are_not_saved(
    user: ScratchRepository, files: GitKanbanFiles, plain: Path
) -> None:
    start = user.commit({FILE: "k\n"})
    done = user.plant({FILE: "x" * ((1 << 20) + 1)}, parent=start)
    saved = save(files, plain, start, done, start)
    assert isinstance(saved, NotSaved)
    assert FILE in saved.reason
