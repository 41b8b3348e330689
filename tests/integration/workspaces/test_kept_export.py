"""The export of one run serves the next, and only as what a check-out of its own would be."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.files.kept_directory import KeptDirectory
from supervisor_ai.workspaces.files.mounts import unmount
from supervisor_ai.workspaces.inventory import GitInventory
from supervisor_ai.workspaces.layout import RunLayout
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can lay a directory over another"
)

FILES = {"README": "hello\n", "src/a.py": "a\n", "src/deep/b.txt": "b\n"}
KEPT = {".export", ".history"}
Files = dict[str, str]


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a directory that other users can traverse, and leave nothing mounted below it."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o711)
    yield path
    for mounted in path.glob("**/tree"):
        unmount(mounted)
    shutil.rmtree(path)


@pytest.fixture
def user(place: Path) -> ScratchRepository:
    return ScratchRepository(place / "project")


@pytest.fixture
def workspaces(user: ScratchRepository, place: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), place / "state", layered_from=0)


def begun(workspaces: GitWorkspaces, run: str, start: CommitSha) -> Files:
    """Begin a run and return the files that its first worker has."""
    key = EffectKey(f"{run}/implement/1/1/worker/1")
    workspace = asyncio.run(workspaces.open(RunId(run), key, fence=1, start=start))
    assert workspace.path.is_mount()
    return files_in(workspace.path)


def ended(workspaces: GitWorkspaces, run: str) -> None:
    asyncio.run(workspaces.forget(RunId(run)))


def files_in(tree: Path) -> Files:
    found = (path for path in tree.rglob("*") if path.name != ".git")
    return {str(it.relative_to(tree)): it.read_text() for it in found if not it.is_dir()}


def inode(place: Path, run: str) -> int:
    (tree,) = place.glob(f"state/{run}/program/*/tree")
    return tree.stat().st_ino


def left(place: Path) -> set[str]:
    return {path.name for path in (place / "state").iterdir()}


def kept_by(place: Path) -> Path:
    return place / "state" / ".export"


def test_the_next_run_has_the_same_directory_with_the_files_of_its_own_base(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    first = user.commit(FILES)
    assert begun(workspaces, "r1", first) == FILES
    there = inode(place, "r1")
    ended(workspaces, "r1")
    assert left(place) == KEPT
    assert str(place) not in Path("/proc/self/mountinfo").read_text()
    assert begun(workspaces, "r2", first) == FILES
    assert inode(place, "r2") == there
    assert not kept_by(place).exists()
    ended(workspaces, "r2")
    second = user.commit({"README": "changed\n", "new/c.py": "c\n"})
    assert begun(workspaces, "r3", second) == {**FILES, "README": "changed\n", "new/c.py": "c\n"}
    assert inode(place, "r3") == there
    ended(workspaces, "r3")
    assert begun(workspaces, "r4", first) == FILES
    assert inode(place, "r4") == there


def test_runs_at_the_same_time_have_exports_of_their_own_and_one_is_kept(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    begun(workspaces, "r0", start)
    ended(workspaces, "r0")
    assert begun(workspaces, "r1", start) == begun(workspaces, "r2", start) == FILES
    assert inode(place, "r1") != inode(place, "r2")
    ended(workspaces, "r1")
    ended(workspaces, "r2")
    assert left(place) == KEPT


def _write(tree: Path) -> None:
    (tree / "README").write_text("jello\n")


def _write_unseen(tree: Path) -> None:
    before = (tree / "README").stat()
    (tree / "README").write_text("jello\n")
    os.utime(tree / "README", ns=(before.st_atime_ns, before.st_mtime_ns))


def _remove(tree: Path) -> None:
    (tree / "src" / "a.py").unlink()


def _add(tree: Path) -> None:
    (tree / "src" / "conftest.py").write_text("x\n")


def _replace_by_link(tree: Path) -> None:
    shutil.rmtree(tree / "src")
    (tree / "src").symlink_to("/etc")


def _forget_how(tree: Path) -> None:
    (tree.parent / "made").unlink()


def _lose_the_index(tree: Path) -> None:
    (tree.parent / "index").unlink()


def _spoil_the_index(tree: Path) -> None:
    (tree.parent / "index").write_bytes(b"DIRC")


def _restart(tree: Path) -> None:
    made = tree.parent / "made"
    made.write_text(f"another-boot {made.read_text().split()[1]}\n")


def _lose_everything(tree: Path) -> None:
    shutil.rmtree(tree.parent)


SPOILERS = (
    _write, _write_unseen, _remove, _add, _replace_by_link,
    _forget_how, _lose_the_index, _spoil_the_index, _restart, _lose_everything,
)  # fmt: skip


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda it: it.__name__.strip("_"))
def test_what_is_not_as_it_was_made_is_made_anew(
    user: ScratchRepository,
    workspaces: GitWorkspaces,
    place: Path,
    spoil: Callable[[Path], None],
) -> None:
    start = user.commit({**FILES, ".gitignore": "conftest.py\n"})
    wanted = begun(workspaces, "r1", start)
    ended(workspaces, "r1")
    spoil(kept_by(place) / "tree")
    assert begun(workspaces, "r2", start) == wanted == {**FILES, ".gitignore": "conftest.py\n"}
    assert left(place) == {"r2"}


def test_files_are_written_anew_where_other_attributes_write_them_in_another_way(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    first = user.commit(FILES)
    begun(workspaces, "r1", first)
    ended(workspaces, "r1")
    second = user.commit({"src/.gitattributes": "*.txt eol=crlf\n"})
    begun(workspaces, "r2", second)
    (tree,) = place.glob("state/r2/program/*/tree")
    assert (tree / "src/deep/b.txt").read_bytes() == b"b\r\n"


def test_a_base_whose_old_one_is_gone_from_the_repository_is_checked_out(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    first = user.commit(FILES)
    begun(workspaces, "r1", first)
    ended(workspaces, "r1")
    made = kept_by(place) / "made"
    made.write_text(f"{made.read_text().split()[0]} {'0' * 40}\n")
    assert begun(workspaces, "r2", first) == FILES


def test_who_dies_with_it_leaves_it_to_whoever_forgets_the_run(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    begun(workspaces, "r1", start)
    ended(workspaces, "r1")
    # As it is where a process is killed while it moves what was kept.
    programs = RunLayout(path=place / "state" / "r2").programs
    programs.mkdir(parents=True)
    kept_by(place).rename(programs / "unfinished-1")
    assert begun(workspaces, "r2", start) == FILES
    ended(workspaces, "r2")
    assert left(place) == KEPT
    assert begun(workspaces, "r3", start) == FILES


def test_cleaning_up_removes_it_and_what_a_killed_one_left(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    begun(workspaces, "r1", start)
    ended(workspaces, "r1")
    inventory = GitInventory(GitRepository(user.path), place / "state")
    shutil.copytree(kept_by(place), place / "state" / ".export-1234")
    inventory.drop_spare()
    assert list((place / "state").iterdir()) == []
    inventory.drop_spare()
    assert begun(workspaces, "r2", start) == FILES


def test_small_repositories_keep_nothing(user: ScratchRepository, place: Path) -> None:
    plain = GitWorkspaces(GitRepository(user.path), place / "state")
    start = user.commit(FILES)
    asyncio.run(plain.program(RunId("r1"), start))
    ended(plain, "r1")
    assert list((place / "state").iterdir()) == []


def test_where_nobody_knows_whether_the_machine_was_restarted_nothing_is_kept(place: Path) -> None:
    given = place / "given"
    given.mkdir()
    silent = KeptDirectory(place=place / "kept", boot=place / "nothing")
    silent.give(given, "note")
    assert given.exists()
    assert not silent.place.exists()
    KeptDirectory(place=place / "kept").give(given, "note")
    assert silent.place.exists()
    assert silent.take(given) is None
    assert not given.exists()


def history(place: Path, run: str) -> tuple[int, str]:
    """Tell one history of a run from another, and what is in it."""
    git = RunLayout(path=place / "state" / run).base_git
    asked = ["git", f"--git-dir={git}", "rev-list", "--objects", "--all"]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    return git.stat().st_ino, said


def test_the_history_of_the_same_base_is_not_packed_again(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    first = user.commit(FILES)
    second = user.commit({"README": "changed\n"})
    begun(workspaces, "r1", second)
    packed, said = history(place, "r1")
    ended(workspaces, "r1")
    begun(workspaces, "r2", second)
    assert history(place, "r2") == (packed, said)
    assert not list((place / "state").rglob("made"))
    ended(workspaces, "r2")
    begun(workspaces, "r3", first)
    fewer = history(place, "r3")[1]
    assert fewer != said
    assert set(fewer.splitlines()) < set(said.splitlines())
    ended(workspaces, "r3")
    (user.path / ".git" / "shallow").write_text(f"{first}\n")
    begun(workspaces, "r4", first)
    assert (RunLayout(path=place / "state" / "r4").base_git / "shallow").exists()


def test_what_cannot_be_kept_does_not_keep_a_run_from_being_forgotten(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    begun(workspaces, "r1", start)
    (layout,) = RunLayout(path=place / "state" / "r1").exports()
    layout.index.unlink()
    ended(workspaces, "r1")
    assert left(place) == {".history"}


def test_a_history_whose_making_was_cut_off_is_not_kept(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    begun(workspaces, "r1", start)
    RunLayout(path=place / "state" / "r1").origin.unlink()
    ended(workspaces, "r1")
    assert left(place) == {".export"}
