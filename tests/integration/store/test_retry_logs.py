"""Retry logs in files: whole, private, written once, and never through a link."""

import stat
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.store.files.retry_logs import RetryLogFiles

RUN = RunId("20300101-abcd")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def test_a_log_is_a_private_file_that_git_does_not_see(place: Path) -> None:
    files = RetryLogFiles(place)
    files.write(RUN, "first\n")
    files.write(RUN, "second\n")
    assert sorted(path.name for path in place.iterdir()) == [".gitignore", f"{RUN}-retries.md"]
    assert files.path(RUN).read_text() == "second\n"
    assert stat.S_IMODE(files.path(RUN).stat().st_mode) == 0o600
    assert (place / ".gitignore").read_text() == "*\n"


def test_what_says_the_same_is_not_written_again(place: Path) -> None:
    files = RetryLogFiles(place)
    files.write(RUN, "the same\n")
    before = files.path(RUN).stat()
    files.write(RUN, "the same\n")
    after = files.path(RUN).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_link_is_replaced_and_never_followed(place: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("theirs\n")
    place.mkdir()
    files = RetryLogFiles(place)
    files.path(RUN).symlink_to(other)
    files.write(RUN, "ours\n")
    assert (other.read_text(), files.path(RUN).read_text()) == ("theirs\n", "ours\n")
    assert not files.path(RUN).is_symlink()


def test_a_name_from_elsewhere_stays_in_its_place(place: Path) -> None:
    RetryLogFiles(place).write(RunId("../up"), "x\n")
    assert not list(place.parent.glob("up*"))
    assert (place / "..%2Fup-retries.md").exists()


def test_what_cannot_be_written_leaves_nothing_behind(place: Path) -> None:
    files = RetryLogFiles(place)
    files.path(RUN).mkdir(parents=True)
    with pytest.raises(Unavailable, match="cannot be written"):
        files.write(RUN, "x\n")
    assert sorted(path.name for path in place.iterdir()) == [".gitignore", f"{RUN}-retries.md"]


def test_a_place_that_is_a_link_is_refused(place: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match="symbolic link"):
        RetryLogFiles(place).write(RUN, "x\n")
    RetryLogFiles(place).remove_all()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_all_can_be_removed_and_written_again(place: Path) -> None:
    files = RetryLogFiles(place)
    files.remove_all()
    files.write(RUN, "x\n")
    (place / ".draft-left").write_text("by a crash")
    files.remove_all()
    assert [path.name for path in place.iterdir()] == [".gitignore"]
    files.write(RUN, "x\n")
    assert files.path(RUN).read_text() == "x\n"
    files.path(RUN).unlink()
    files.path(RUN).mkdir()
    with pytest.raises(Unavailable, match="cannot be removed"):
        files.remove_all()
