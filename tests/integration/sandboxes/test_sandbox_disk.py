"""Counting what lies in a directory that a hostile command has had its hands in."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, MIB
from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.resource_limits.disk_usage import Disk, Tally
from supervisor_ai.workspaces.files.removal import remove

FEW = replace(EXECUTOR_LIMITS, disk=MIB, disk_files=50)


def count(*roots: Path) -> tuple[int, int]:
    tally = Tally(limits=EXECUTOR_LIMITS)
    for root in roots:
        tally.count(root)
    return tally.size, tally.files


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    return work


def test_every_kind_of_entry_counts(work: Path) -> None:
    (work / "directory").mkdir()
    (work / "directory/file").write_bytes(b"x" * 100_000)
    (work / "link").symlink_to("nowhere")
    os.mkfifo(work / "pipe")
    size, files = count(work)
    assert files == 5
    assert 100_000 <= size < 200_000


def test_holes_take_no_room(work: Path) -> None:
    with (work / "holes").open("wb") as file:
        file.truncate(1 << 40)
    assert count(work)[0] < MIB


def test_links_are_not_followed(work: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(20):
        (outside / str(number)).touch()
    (work / "link").symlink_to(outside)
    assert count(work)[1] == 2
    (tmp_path / "root").symlink_to(outside)
    assert count(tmp_path / "root")[1] == 1


def test_a_file_with_two_names_counts_once(work: Path) -> None:
    (work / "one").write_bytes(b"x" * 100_000)
    (work / "two").hardlink_to(work / "one")
    size, files = count(work)
    assert (files, size < 200_000) == (2, True)


def test_a_tree_may_be_deeper_than_any_path(work: Path) -> None:
    try:
        here = os.open(work, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("deeper", dir_fd=here)
            there = os.open("deeper", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = there
        os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        os.close(here)
        assert count(work)[1] == 3002
    finally:
        # What pytest removes, it removes by recursion, and that ends before the tree does.
        remove(work / "deeper")


HOLDER = """
import sys, tempfile
place, number, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
held = [tempfile.TemporaryFile(dir=place) for _ in range(number)]
for file in held:
    file.write(b"x" * size)
    file.flush()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def holding(place: Path, *, files: int, size: int) -> Iterator[int]:
    """Let a process hold deleted files open; this one may have others that tests left to it."""
    words = [sys.executable, "-S", "-c", HOLDER, str(place), str(files), str(size)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield holder.pid
        holder.communicate()


def test_a_deleted_file_counts_while_somebody_has_it_open(work: Path) -> None:
    disk = Disk([work], FEW)
    with holding(work, files=1, size=2 * MIB) as pid:
        assert disk.exceeded() is None
        assert disk.exceeded(pids=[pid]) == "disk"
    assert disk.exceeded(pids=[pid]) is None


def test_a_deleted_file_elsewhere_does_not_count(work: Path) -> None:
    with holding(Path("/dev/shm"), files=1, size=2 * MIB) as pid:
        assert Disk([work], FEW).exceeded(pids=[pid]) is None


def test_many_deleted_files_are_many_files(work: Path) -> None:
    with holding(work, files=60, size=0) as pid:
        assert Disk([work], FEW).exceeded(pids=[pid]) == "disk_files"


def test_a_count_ends_when_it_is_over_or_told_to(work: Path) -> None:
    for number in range(200):
        (work / str(number)).mkdir()
        (work / str(number) / "file").touch()
    tally = Tally(limits=FEW).count(work)
    assert (tally.exceeded, tally.files) == ("disk_files", 51)
    assert Tally(limits=EXECUTOR_LIMITS, is_stopped=lambda: True).count(work).files == 201


def test_who_moves_a_directory_meanwhile_does_not_lead_the_count_out(work: Path) -> None:
    (work / "a/b/c").mkdir(parents=True)
    (work.parent / "beside").mkdir()
    moved: list[bool] = []

    def move_once() -> bool:
        # Asked before each step: move the innermost directory up while the count is in it.
        if len(moved) == 3:
            (work / "a/b/c").rename(work / "c")
        moved.append(True)
        return False

    tally = Tally(limits=EXECUTOR_LIMITS, is_stopped=move_once).count(work)
    assert tally.files == 4
    assert len(moved) == 4


def test_what_is_gone_or_cannot_be_read_is_no_failure(work: Path) -> None:
    assert count(work / "gone") == (0, 0)
    (work / "file").touch()
    assert count(work / "file")[1] == 1


def test_a_mount_inside_another_counts_once(work: Path) -> None:
    (work / "inner").mkdir()
    for number in range(30):
        (work / "inner" / str(number)).touch()
    assert Disk([work, work / "inner", work], FEW).exceeded() is None
    (work / "large").write_bytes(b"x" * 2 * MIB)
    assert Disk([work], FEW).exceeded() == "disk"


def test_a_disk_that_is_larger_than_the_limit_has_to_be_watched(work: Path) -> None:
    assert Disk([work], FEW).is_watched
    assert not Disk([work], replace(FEW, disk=1 << 62)).is_watched
    assert not Disk([], FEW).is_watched


def test_a_count_that_was_torn_is_made_again(work: Path) -> None:
    (work / "a" / "b" / "c").mkdir(parents=True)

    def move_when_inside() -> bool:
        calls.append("look")
        if len(calls) == 3:
            (work / "a" / "b").rename(work / "moved")
        return False

    calls: list[str] = []
    assert Tally(limits=EXECUTOR_LIMITS, is_stopped=move_when_inside).count(work).is_torn
    (work / "moved").rename(work / "a" / "b")
    many = work / "a" / "many"
    many.mkdir()
    for number in range(60):
        (many / str(number)).touch()
    calls.clear()
    assert Disk([work], FEW).overrun(move_when_inside) == "disk_files"
