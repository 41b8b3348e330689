"""Copying from a directory that a hostile process prepared, or changes meanwhile."""

import os
import shutil
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.files.safe_copy import Copy, CopyLimits, own_mode
from supervisor_ai.workspaces.files.safe_open import (
    directory_beneath,
    file_at,
    parts_of,
    read_beneath,
    root_directory,
)

SECRET = "the host's secret\n"
ENOUGH = 100_000
DEPTH, LEVEL = 1200, "deep"
"""More directories than a process may have open, and a longer path than the kernel takes."""


@contextmanager
def copying(
    source: Path, target: Path, *, size: int = 1 << 30, count: int = ENOUGH
) -> Iterator[Copy]:
    target.mkdir(exist_ok=True)
    allowance = CopyLimits(what="They", size=size, files=count, hint="Take less.")
    with root_directory(source) as here, root_directory(target) as there:
        yield Copy(source=here, target=there, allowance=allowance)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.mkdir()
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target"
    path.mkdir()
    return path


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside"
    path.mkdir()
    (path / "file").write_text(SECRET)
    return path


def test_a_tree_is_copied_with_its_links_as_links(source: Path, target: Path) -> None:
    (source / "top" / "sub").mkdir(parents=True)
    (source / "top" / "sub" / "run").write_text("run\n")
    (source / "top" / "sub" / "run").chmod(0o4777)
    (source / "top" / "plain").write_text("plain\n")
    (source / "top" / "plain").chmod(0o600)
    (source / "top" / "link").symlink_to("../../etc/passwd")
    with copying(source, target) as copy:
        assert copy.entry(("top",))
        assert not copy.entry(("absent",))
        assert not copy.entry(("absent", "below"))
    assert (target / "top" / "sub" / "run").read_text() == "run\n"
    modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in target.rglob("*")}
    assert (modes["run"], modes["plain"], modes["sub"]) == (0o755, 0o644, 0o755)
    assert str((target / "top" / "link").readlink()) == "../../etc/passwd"


def test_a_hard_link_becomes_a_file_of_its_own(source: Path, target: Path) -> None:
    (source / "a").write_text("a\n")
    os.link(source / "a", source / "b")
    with copying(source, target) as copy:
        assert all(copy.entry((name,)) for name in "ab")
    (target / "a").write_text("changed\n")
    assert (target / "b").read_text() == (source / "a").read_text() == "a\n"


def test_what_is_no_file_is_left_out_and_nobody_waits_for_it(source: Path, target: Path) -> None:
    (source / "top").mkdir()
    os.mkfifo(source / "top" / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(source / "top" / "socket"))
        (source / "top" / "file").write_text("x\n")
        if os.geteuid() == 0:
            os.mknod(source / "top" / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        with copying(source, target) as copy:
            assert copy.entry(("top",))
            for name in ("fifo", "socket", "absent"):
                assert not copy.file(("top", name))
    assert [path.name for path in (target / "top").iterdir()] == ["file"]


ODD = [b"new\nline", b"\x1b[31mred", b"-rf", b"HEAD", b"\xff\xfe", b"$(id)", b"a b", b"~", b"\\"]


@pytest.mark.parametrize("name", ODD)
def test_any_name_is_only_a_name(source: Path, target: Path, name: bytes) -> None:
    (source / "top").mkdir()
    (source / "top" / os.fsdecode(name)).write_text("content\n")
    with copying(source, target) as copy:
        assert copy.entry(("top",))
    assert [os.fsencode(path.name) for path in (target / "top").iterdir()] == [name]


def test_a_deep_tree_is_copied(source: Path, target: Path) -> None:
    with root_directory(source) as root:
        here = os.dup(root)
        for _ in range(DEPTH):
            os.mkdir(LEVEL, dir_fd=here)
            there = os.open(LEVEL, os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = there
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here))
        os.close(here)
    try:
        with copying(source, target) as copy:
            assert copy.entry((LEVEL,))
            with directory_beneath(copy.target, (LEVEL,) * DEPTH) as directory:
                assert stat.S_ISREG(os.stat("file", dir_fd=directory).st_mode)
    finally:
        for left in (source, target):
            remove(left)


def test_a_link_on_the_way_is_not_followed(source: Path, target: Path, outside: Path) -> None:
    (source / "away").symlink_to(outside)
    (source / "file").symlink_to(outside / "file")
    with copying(source, target) as copy:
        assert not copy.file(("away", "file"))
        assert not copy.file(("file",))
        with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
            copy.entry(("away", "file"))
    assert [path for path in target.rglob("*") if path.is_file()] == []


def test_a_directory_that_becomes_a_link_meanwhile_is_skipped(
    source: Path, target: Path, outside: Path
) -> None:
    for name in "abc":
        (source / "top" / name).mkdir(parents=True)
        (source / "top" / name / "file").write_text("x\n")
    charged: list[int] = []

    class Meddler(CopyLimits):
        """Swaps directories for other things once they have been seen."""

        def charge(self, size: int) -> None:  # type: ignore[explicit-override] # comes with 3.12
            super().charge(size)
            charged.append(size)
            if len(charged) == 4:
                for name in "ab":
                    shutil.rmtree(source / "top" / name)
                (source / "top" / "a").symlink_to(outside)

    with root_directory(source) as here, root_directory(target) as there:
        allowance = Meddler(what="They", size=100, files=100)
        assert Copy(source=here, target=there, allowance=allowance).entry(("top",))
    assert [path.relative_to(target) for path in target.rglob("file")] == [Path("top/c/file")]


def test_a_link_in_the_target_is_not_followed(source: Path, target: Path, outside: Path) -> None:
    (source / "sub").mkdir()
    (source / "sub" / "file").write_text("ours\n")
    (target / "sub").symlink_to(outside)
    with copying(source, target) as copy:
        assert not copy.file(("sub", "file"))
        with pytest.raises(FileExistsError):
            copy.entry(("sub",))
    assert (outside / "file").read_text() == SECRET


def test_what_the_target_has_is_not_overwritten_by_a_file(source: Path, target: Path) -> None:
    (source / "file").write_text("ours\n")
    (target / "file").write_text("theirs\n")
    with copying(source, target) as copy:
        assert not copy.file(("file",))
    assert (target / "file").read_text() == "theirs\n"


@pytest.mark.parametrize(("size", "count"), [(9, 10), (10, 1)])
def test_a_limit_is_named(source: Path, target: Path, size: int, count: int) -> None:
    for name in "ab":
        (source / name).write_text("12345")
    expected = f"They are more than {size} bytes in {count} files."
    with copying(source, target, size=size, count=count) as copy:
        copy.entry(("a",))
        with pytest.raises(Unavailable) as no:
            copy.entry(("b",))
    assert (no.value.message, no.value.hint) == (expected, "Take less.")


def test_a_file_of_eight_tebibytes_is_refused_before_it_is_read(source: Path, target: Path) -> None:
    with (source / "sparse").open("wb") as file:
        file.truncate(8 << 40)
    with copying(source, target) as copy, pytest.raises(Unavailable, match="more than"):
        copy.entry(("sparse",))


def test_a_private_file_can_stay_private(source: Path, target: Path) -> None:
    (source / "file").write_text("x\n")
    (source / "file").chmod(0o2660)
    allowance = CopyLimits(what="They", size=10, files=1)
    with root_directory(source) as here, root_directory(target) as there:
        copy = Copy(source=here, target=there, allowance=allowance, mode=own_mode)
        assert copy.file(("file",))
    assert stat.S_IMODE((target / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize("has_openat2", [True, False])
def test_directories_are_opened_beneath_with_and_without_the_newer_call(
    source: Path, outside: Path, *, has_openat2: bool
) -> None:
    (source / "a" / "b").mkdir(parents=True)
    (source / "a" / "b" / "file").write_text("x\n")
    (source / "a" / "away").symlink_to(outside)
    with root_directory(source) as root:
        with (
            directory_beneath(root, ("a", "b"), has_openat2=has_openat2) as found,
            file_at(found, "file") as handle,
        ):
            assert handle is not None
            assert os.read(handle, 10) == b"x\n"
        for parts in (("a", "away"), ("a", "away", "x"), ("away", "..", "..")):
            with (
                pytest.raises(OSError, match=r"symbolic|Not a dir|No such"),
                directory_beneath(root, parts, has_openat2=has_openat2),
            ):
                pass


def test_paths_are_split_into_names() -> None:
    assert parts_of("a//b/./c/") == ("a", "b", "c")


# Races: somebody swaps what is there for a link to the host's secret and back.


@contextmanager
def swapping(place: Path, decoy: Path) -> Iterator[None]:
    """Exchange a name between what belongs there and a link, as fast as possible."""
    ended = threading.Event()
    spare = place.with_name("spare")

    def swap() -> None:
        while not ended.is_set():
            with suppress(OSError):
                place.rename(spare)
                place.symlink_to(decoy)
                place.unlink()
                spare.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def naive(source: Path, target: Path) -> None:
    place = source / "sub" / "file"
    if not place.is_symlink() and not place.parent.is_symlink():
        (target / "sub").mkdir(exist_ok=True)
        shutil.copyfile(place, target / "sub" / "file")


def safe(source: Path, target: Path) -> None:
    with copying(source, target) as copy:
        copy.file(("sub", "file"))


def safe_tree(source: Path, target: Path) -> None:
    with copying(source, target) as copy:
        copy.entry(("sub",))


def is_leaked(target: Path) -> bool:
    """Tell whether the secret arrived; a link that only names it is no leak."""
    way = (target / "sub", target / "sub" / "file")
    return not any(map(Path.is_symlink, way)) and way[-1].read_text() == SECRET


def leaks(copy: Callable[[Path, Path], None], source: Path, target: Path, tries: int) -> int:
    """Count how often the secret arrived; once is enough."""
    for _ in range(tries):
        with suppress(OSError):
            copy(source, target)
        with suppress(OSError):
            if is_leaked(target):
                return 1
        remove(target / "sub")
    return 0


@pytest.mark.parametrize("what", ["sub", "sub/file"])
@pytest.mark.parametrize("copy", [safe, safe_tree])
def test_a_swap_leaks_nothing(
    source: Path, target: Path, outside: Path, copy: Callable[[Path, Path], None], what: str
) -> None:
    (source / "sub").mkdir()
    (source / "sub" / "file").write_text("harmless\n")
    decoy = outside if what == "sub" else outside / "file"
    with swapping(source / what, decoy):
        assert leaks(copy, source, target, 800) == 0


@pytest.mark.parametrize("what", ["sub", "sub/file"])
def test_a_swap_would_leak_from_a_naive_copy(
    source: Path, target: Path, outside: Path, what: str
) -> None:
    (source / "sub").mkdir()
    (source / "sub" / "file").write_text("harmless\n")
    decoy = outside if what == "sub" else outside / "file"
    with swapping(source / what, decoy):
        assert leaks(naive, source, target, 200_000) == 1


def test_a_file_is_read_on_no_way_that_leads_through_a_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a/file").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "there").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    assert read_beneath(root, "a/file", 3) == b"ins"
    for path in ("link", "there/secret", "pipe", "a", "missing", "a/file/x"):
        assert read_beneath(root, path, 10) is None
