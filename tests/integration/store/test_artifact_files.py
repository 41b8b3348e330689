"""Artifacts as files: private, whole, once, and gone when they are erased."""

import stat
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import HostFailure, NotFound, Unavailable
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.store.files.artifacts import FileArtifacts


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "artifacts"


@pytest.fixture
def artifacts(directory: Path) -> FileArtifacts:
    return FileArtifacts(directory)


def files(directory: Path) -> list[str]:
    found = (path for path in directory.rglob("*") if path.is_file())
    return sorted(path.relative_to(directory).as_posix() for path in found)


def test_a_file_is_named_by_its_content(artifacts: FileArtifacts, directory: Path) -> None:
    name = artifacts.put("hello")
    artifacts.put("hello")
    assert files(directory) == [f"{name[:2]}/{name[2:]}"]
    assert (directory / name[:2] / name[2:]).read_bytes() == b"hello"


def test_nobody_else_can_read_it(artifacts: FileArtifacts, directory: Path) -> None:
    artifacts.erase(artifacts.put("hello"))
    artifacts.put("other")
    modes = {
        path.is_dir(): stat.S_IMODE(path.stat().st_mode)
        for path in (directory, *directory.rglob("*"))
    }
    assert modes == {True: 0o700, False: 0o600}


def test_reading_makes_nothing(artifacts: FileArtifacts, directory: Path) -> None:
    with pytest.raises(NotFound):
        artifacts.get(ArtifactHash("0" * 64))
    assert not directory.exists()


def test_a_draft_has_no_name_yet(artifacts: FileArtifacts, directory: Path) -> None:
    writer = artifacts.writer()
    writer.write("x" * 100_000)
    assert [name.split("/")[0] for name in files(directory)] == ["drafts"]
    writer.abandon()
    assert files(directory) == []


def test_what_a_crash_left_behind_is_tidied_up(artifacts: FileArtifacts, directory: Path) -> None:
    artifacts.put("hello")
    (directory / "drafts" / "left-behind").write_text("half")
    name = artifacts.put("other")
    assert f"{name[:2]}/{name[2:]}" in files(directory)
    assert "drafts/left-behind" not in files(directory)


def test_drafts_of_living_writers_are_left_alone(artifacts: FileArtifacts, directory: Path) -> None:
    first = artifacts.writer()
    first.write("first")
    second = FileArtifacts(directory).writer()
    second.write("second")
    assert artifacts.get(second.finish()) == "second"
    assert artifacts.get(first.finish()) == "first"
    assert len(files(directory)) == 2


def test_an_erased_file_leaves_only_its_tombstone(
    artifacts: FileArtifacts, directory: Path
) -> None:
    name = artifacts.put("secret " * 50_000)
    path = directory / name[:2] / name[2:]
    with path.open("rb") as still_open:
        artifacts.erase(name)
        assert still_open.read().strip(b"\0") == b""
    assert files(directory) == [f"{name[:2]}/{name[2:]}.erased"]
    artifacts.put("secret " * 50_000)
    assert files(directory) == [f"{name[:2]}/{name[2:]}.erased"]


def test_a_changed_file_is_not_believed(artifacts: FileArtifacts, directory: Path) -> None:
    name = artifacts.put("hello")
    path = directory / name[:2] / name[2:]
    path.write_text("hallo")
    with pytest.raises(HostFailure, match="is not what was stored"):
        artifacts.get(name)
    artifacts.put("hello")
    assert artifacts.get(name) == "hello"


def test_a_link_in_place_of_a_directory_is_refused(tmp_path: Path, directory: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    directory.symlink_to(elsewhere)
    with pytest.raises(Unavailable, match="symbolic link"):
        FileArtifacts(directory).put("hello")
    assert list(elsewhere.iterdir()) == []


def test_a_place_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostFailure, match="Not a directory"):
        FileArtifacts(tmp_path / "file" / "artifacts").put("hello")


def test_a_text_that_is_there_is_not_written_again(
    artifacts: FileArtifacts, directory: Path
) -> None:
    name = artifacts.put("hello")
    path = directory / name[:2] / name[2:]
    before, drafts = path.stat(), (directory / "drafts").stat()
    assert artifacts.put("hello") == FileArtifacts(directory).put("hello") == name
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )
    assert (directory / "drafts").stat().st_mtime_ns == drafts.st_mtime_ns


@pytest.mark.parametrize("found", [b"", b"hell", b"hella", b"hello "])
def test_a_file_that_is_not_the_text_is_not_believed(
    artifacts: FileArtifacts, directory: Path, found: bytes
) -> None:
    name = artifacts.put("hello")
    (directory / name[:2] / name[2:]).write_bytes(found)
    assert artifacts.put("hello") == name
    assert artifacts.get(name) == "hello"


def test_a_link_in_the_place_of_a_text_is_replaced(
    artifacts: FileArtifacts, directory: Path
) -> None:
    name = artifacts.put("hello")
    path, elsewhere = directory / name[:2] / name[2:], directory.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    artifacts.put("hello")
    assert not path.is_symlink()


def test_an_erased_text_stays_erased_when_it_comes_again(
    artifacts: FileArtifacts, directory: Path
) -> None:
    name = artifacts.put("hello")
    artifacts.erase(name)
    assert artifacts.put("hello") == name
    assert files(directory) == [f"{name[:2]}/{name[2:]}.erased"]
