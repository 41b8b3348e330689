"""What lies in a state directory is looked at before SQLite reads a byte of it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Busy, Denied, Unavailable
from supervisor_ai.store.connection import Connection
from supervisor_ai.store.ledger_file import StateFiles


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / ".supervisor"


def test_there_is_none_before_it_is_made(directory: Path) -> None:
    files = StateFiles(directory)
    assert files.find() is None
    assert files.leftovers() == ()
    assert not directory.exists()


def test_its_number_can_be_read_without_sqlite_from_the_first_moment(directory: Path) -> None:
    files = StateFiles(directory)
    files.make(2**31 - 1)
    found = files.find()
    assert found is not None
    assert (found.number, found.path) == (2**31 - 1, directory / "state.db")
    with closing(Connection.open(found.path)) as connection:
        assert connection.query("SELECT count(*) FROM events") == [(0,)]
        found = files.find()
        assert found is not None
        assert found.number == 2**31 - 1


@pytest.mark.parametrize("content", [b"x", b"SQLite format 3\0", b"x" * 200])
def test_what_is_no_ledger_has_no_number(directory: Path, content: bytes) -> None:
    directory.mkdir()
    (directory / "state.db").write_bytes(content)
    found = StateFiles(directory).find()
    assert found is not None
    assert (found.number, found.size) == (0, len(content))


def test_an_empty_file_says_nothing(directory: Path) -> None:
    directory.mkdir()
    (directory / "state.db").touch()
    assert StateFiles(directory).find() is None


def test_what_was_taken_over_brings_neither_letters_nor_folded_states(directory: Path) -> None:
    files = StateFiles(directory)
    with closing(Connection.open(_prepared(directory))) as connection:
        with connection.transaction() as sql:
            sql.execute("INSERT INTO states VALUES ('run-x', 'workflow:1', 1, x'00')")
        assert connection.query("SELECT count(*) FROM states") == [(1,)]
    files.adopt(42)
    found = files.find()
    assert found is not None
    assert found.number == 42
    with closing(sqlite3.connect(directory / "state.db")) as sql:
        assert sql.execute("SELECT count(*) FROM states").fetchone() == (0,)
        assert sql.execute("SELECT count(*) FROM letters").fetchone() == (0,)


def test_one_that_is_read_meanwhile_is_not_taken_over_by_halves(directory: Path) -> None:
    path = _prepared(directory)
    Connection.open(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        with (
            closing(Connection.open(path)) as connection,
            pytest.raises(Busy, match="locked by another process"),
        ):
            connection.stamp(42)


@pytest.mark.parametrize("name", ["state.db", "state.db-wal", "artifacts", "locks", ""])
def test_a_link_is_refused_wherever_it_stands(directory: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    if name:
        directory.mkdir()
    (directory / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Denied, match="of its own"):
        StateFiles(directory).find()


def test_a_file_with_a_second_name_is_refused(directory: Path, tmp_path: Path) -> None:
    files = StateFiles(directory)
    files.make(1)
    os.link(directory / "state.db", tmp_path / "second")
    with pytest.raises(Denied, match="second name"):
        files.find()


@pytest.mark.parametrize("name", ["state.db", "artifacts"])
def test_a_pipe_is_refused_and_not_waited_for(directory: Path, name: str) -> None:
    directory.mkdir()
    os.mkfifo(directory / name)
    with pytest.raises(Denied):
        StateFiles(directory).find()


def test_what_belongs_to_a_ledger_is_named_without_one(directory: Path) -> None:
    (directory / "artifacts").mkdir(parents=True)
    (directory / "state.db-wal").write_text("x")
    (directory / "config.yaml").write_text("")
    assert StateFiles(directory).leftovers() == ("artifacts", "state.db-wal")


def test_a_directory_that_is_a_file_is_refused(directory: Path) -> None:
    directory.write_text("")
    with pytest.raises(Denied, match="a directory of its own"):
        StateFiles(directory).find()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
@pytest.mark.parametrize("name", ["state.db", ""])
def test_what_cannot_be_read_is_said(directory: Path, name: str) -> None:
    StateFiles(directory).make(1)
    (directory / name).chmod(0)
    with pytest.raises(Unavailable, match="cannot be read"):
        StateFiles(directory).find()
    (directory / name).chmod(0o700)


def _prepared(directory: Path) -> Path:
    directory.mkdir()
    return directory / "state.db"
