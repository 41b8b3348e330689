"""Lists are read again when something that they depend on is another one, and only then."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

from supervisor_ai.definitions.sources.row_cache import RowCache
from supervisor_ai.domain.errors import InvalidInput

ABOUT = ("commit", "user")


class Line(Struct, frozen=True, kw_only=True):
    """A row of a list."""

    name: str


class Reader:
    """Counts how often the definitions themselves are read."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> list[Line]:
        self.times += 1
        return [Line(name=f"row {self.times}")]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Make the user's own directory, with a file in it."""
    place = tmp_path / "own" / "roles"
    place.mkdir(parents=True)
    (place / "cook.yaml").write_text("writes: true\n")
    return tmp_path / "own"


@pytest.fixture
def cache(tmp_path: Path, own: Path) -> RowCache:
    """Make an empty cache."""
    return RowCache(directory=tmp_path / "lists", places=(own, tmp_path / "nowhere"))


def test_what_is_known_is_not_read_again(cache: RowCache) -> None:
    read = Reader()
    assert cache.rows("lines", ABOUT, Line, read) == cache.rows("lines", ABOUT, Line, read)
    assert read.times == 1


def _edit(own: Path) -> None:
    (own / "roles/cook.yaml").write_text("writes: nope\n")


def _replace(own: Path) -> None:
    """Bring another file of the same size and time to the same place."""
    old = own / "roles/cook.yaml"
    seen = old.stat()
    (own / "other").write_text("writes: yeah\n")
    os.utime(own / "other", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    (own / "other").replace(old)


def _add(own: Path) -> None:
    (own / "roles/baker.yaml").write_text("")


def _remove(own: Path) -> None:
    (own / "roles/cook.yaml").unlink()


@pytest.mark.parametrize("change", [_edit, _replace, _add, _remove])
def test_a_changed_directory_is_noticed(
    cache: RowCache, own: Path, change: Callable[[Path], None]
) -> None:
    read = Reader()
    cache.rows("lines", ABOUT, Line, read)
    change(own)
    assert cache.rows("lines", ABOUT, Line, read) == [Line(name="row 2")]


def test_another_commit_and_another_list_are_read_by_themselves(cache: RowCache) -> None:
    read = Reader()
    for name, about in (("lines", ABOUT), ("lines", ("other", "user")), ("words", ABOUT)):
        cache.rows(name, about, Line, read)
    assert read.times == 3


@pytest.mark.parametrize("content", [b"", b"[1, 2]", b"\x00", b'["key", [{"nome": 1}]]'])
def test_what_cannot_be_read_counts_as_nothing(cache: RowCache, content: bytes) -> None:
    read = Reader()
    cache.rows("lines", ABOUT, Line, read)
    (cache.directory / "lines.json").write_bytes(content)
    assert cache.rows("lines", ABOUT, Line, read) == [Line(name="row 2")]


def test_where_nothing_can_be_kept_everything_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    read, cache = Reader(), RowCache(directory=tmp_path / "file", places=())
    assert cache.rows("lines", ABOUT, Line, read) == [Line(name="row 1")]
    assert cache.rows("lines", ABOUT, Line, read) == [Line(name="row 2")]


def test_a_mistake_is_reported_every_time(cache: RowCache) -> None:
    def mistaken() -> list[Line]:
        raise InvalidInput("There is a mistake.")

    for _ in range(2):
        with pytest.raises(InvalidInput):
            cache.rows("lines", ABOUT, Line, mistaken)


def test_a_huge_directory_is_not_looked_at_each_time(cache: RowCache, own: Path) -> None:
    for number in range(5_000):
        (own / f"{number}.yaml").touch()
    read = Reader()
    cache.rows("lines", ABOUT, Line, read)
    cache.rows("lines", ABOUT, Line, read)
    assert read.times == 2


def test_nothing_but_the_lists_is_left(cache: RowCache) -> None:
    cache.rows("lines", ABOUT, Line, Reader())
    assert [it.name for it in cache.directory.iterdir()] == ["lines.json"]
    assert cache.directory.stat().st_mode & 0o077 == 0


def test_a_change_behind_a_link_is_noticed(cache: RowCache, own: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (own / "prompts").symlink_to(tmp_path / "elsewhere")
    read = Reader()
    cache.rows("lines", ABOUT, Line, read)
    (tmp_path / "elsewhere" / "cook.md").write_text("Cook.\n")
    assert cache.rows("lines", ABOUT, Line, read) == [Line(name="row 2")]


def test_links_in_a_circle_come_to_an_end(cache: RowCache, own: Path) -> None:
    (own / "again").symlink_to(own)
    (own / "itself").symlink_to("itself")
    assert cache.rows("lines", ABOUT, Line, Reader()) == [Line(name="row 1")]


def test_what_others_could_write_is_closed_to_them(cache: RowCache) -> None:
    cache.rows("lines", ABOUT, Line, Reader())
    cache.directory.chmod(0o777)
    cache.rows("lines", ABOUT, Line, Reader())
    assert cache.directory.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_what_is_somebody_elses_is_not_believed(cache: RowCache) -> None:
    read = Reader()
    cache.rows("lines", ABOUT, Line, read)
    os.chown(cache.directory, 65534, 65534)
    cache.rows("lines", ABOUT, Line, read)
    assert read.times == 2
