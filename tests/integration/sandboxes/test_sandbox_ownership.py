import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from supervisor_ai.sandboxes.processes.ownership import Handover
from supervisor_ai.workspaces.files.removal import remove

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")

USERS = range(61_000, 61_064)
TO_FIRST = Handover(owner=61_000, users=USERS)
TO_SECOND = Handover(owner=61_001, users=USERS)


def owner(path: Path) -> int:
    return path.lstat().st_uid


def test_everything_below_is_given_and_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").touch()
    root = tmp_path / "root"
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/file").touch()
    (root / "link").symlink_to(outside)
    (root / "a/file-link").symlink_to(outside / "file")
    TO_FIRST.give(root)
    given = (root, root / "a", root / "a/b", root / "a/b/file", root / "link", root / "a/file-link")
    assert {owner(path) for path in given} == {61_000}
    assert (owner(outside), owner(outside / "file"), owner(tmp_path)) == (0, 0, 0)
    assert (root / "a/b/file").stat().st_gid == 61_000


def test_a_single_file_and_a_link_can_be_roots(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    TO_FIRST.give(tmp_path / "link")
    assert (owner(tmp_path / "link"), owner(tmp_path / "file")) == (61_000, 0)
    TO_FIRST.give(tmp_path / "file")
    assert owner(tmp_path / "file") == 61_000


def test_a_file_with_a_second_name_stays_with_its_owner(tmp_path: Path) -> None:
    (tmp_path / "object").touch()
    root = tmp_path / "root"
    root.mkdir()
    (root / "object").hardlink_to(tmp_path / "object")
    TO_FIRST.give(root)
    assert (owner(root), owner(tmp_path / "object")) == (61_000, 0)


def test_a_second_name_that_a_sandbox_made_passes_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    TO_FIRST.give(tmp_path)
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    TO_SECOND.give(tmp_path)
    assert owner(tmp_path / "one") == 61_001


@pytest.fixture
def abyss() -> Iterator[tuple[Path, int]]:
    """Make a chain of directories that ordinary code can neither walk nor remove."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as top:
        try:
            here = os.open(top, os.O_RDONLY)
            for _ in range(1200):
                os.mkdir("deep", dir_fd=here)
                here = _move(here, "deep")
            yield Path(top), here
            os.close(here)
        finally:
            remove(Path(top, "deep"))


def _move(here: int, name: str) -> int:
    there = os.open(name, os.O_RDONLY, dir_fd=here)
    os.close(here)
    return there


def test_a_tree_deeper_than_any_limit_is_given(abyss: tuple[Path, int]) -> None:
    top, bottom = abyss
    TO_FIRST.give(top)
    assert os.fstat(bottom).st_uid == 61_000
