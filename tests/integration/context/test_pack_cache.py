"""The cache: found, forgotten, damaged, deleted, shared."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.unit.context.memory_git import MemoryGit, packer, request

from supervisor_ai.context.pack_cache import PackCache, Shown
from supervisor_ai.domain.run.context_plan import Source, SourceKind

SHOWN = Shown("body", 2, (1, 2, 3))
FILES = {"a.py": b"def f():\n    return 1\n", "b.md": b"words\n"}
ASKED = request(Source(kind=SourceKind.FILES, patterns=("*",)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "context.db"


def test_what_was_kept_is_found_by_the_same_rules_only(path: Path) -> None:
    PackCache(path, "1").keep([("key", SHOWN)])
    assert PackCache(path, "1").find(["key", "other"]) == {"key": SHOWN}
    assert PackCache(path, "2").find(["key"]) == {}


def test_many_keys_are_found(path: Path) -> None:
    made = {f"key{number}": SHOWN for number in range(1200)}
    PackCache(path, "1").keep(made.items())
    assert PackCache(path, "1").find(list(made)) == made


def test_nobody_else_can_read_it(path: Path) -> None:
    PackCache(path, "1").keep([("key", SHOWN)])
    assert path.stat().st_mode & 0o777 == 0o600


def test_without_a_file_nothing_is_remembered() -> None:
    cache = PackCache(None, "1")
    cache.keep([("key", SHOWN)])
    cache.learn("model", 100, 150)
    assert cache.find(["key"]) == {}
    assert cache.correction("model") == 1


def test_a_damaged_file_is_made_anew(path: Path) -> None:
    path.write_bytes(b"this is no database, but long enough to look like one" * 100)
    cache = PackCache(path, "1")
    assert cache.find(["key"]) == {}
    cache.keep([("key", SHOWN)])
    assert cache.find(["key"]) == {"key": SHOWN}


def test_a_file_that_is_damaged_further_on_is_made_anew(path: Path) -> None:
    cache = PackCache(path, "1")
    cache.keep((f"key{number}", Shown("body" * 500, 0, (1,))) for number in range(200))
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    assert cache.find(["key150"]) == {}
    cache.keep([("key150", SHOWN)])
    assert cache.find(["key150"]) == {"key150": SHOWN}


def test_a_file_that_cannot_be_opened_is_no_obstacle(tmp_path: Path) -> None:
    cache = PackCache(tmp_path / "absent" / "context.db", "1")
    cache.keep([("key", SHOWN)])
    assert cache.find(["key"]) == {}


def test_a_locked_file_is_no_obstacle(path: Path) -> None:
    cache = PackCache(path, "1", patience=0)
    cache.keep([("key", SHOWN)])
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert cache.find(["key"]) == {}
    cache.keep([("other", SHOWN)])
    holder.close()
    assert cache.find(["key", "other"]) == {"key": SHOWN}


def test_writers_at_the_same_time_lose_nothing(path: Path) -> None:
    def keep(number: int) -> None:
        PackCache(path, "1").keep([(f"key{number}", SHOWN)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep, range(40)))
    assert len(PackCache(path, "1").find([f"key{number}" for number in range(40)])) == 40


def test_corrections_move_towards_what_was_reported(path: Path) -> None:
    cache = PackCache(path, "1")
    assert cache.correction("model") == 1
    cache.learn("model", estimated=1000, reported=1200)
    assert cache.correction("model") == pytest.approx(1.2)
    cache.learn("model", estimated=1000, reported=1000)
    assert cache.correction("model") == pytest.approx(1.2 * 0.8 + 0.2)
    assert cache.correction("other") == 1


@pytest.mark.parametrize(
    ("estimated", "reported", "ratio"), [(100, 100_000, 2), (100_000, 1, 0.5), (0, 5, 1), (5, 0, 1)]
)
def test_absurd_reports_are_bounded(
    path: Path, estimated: int, reported: int, ratio: float
) -> None:
    cache = PackCache(path, "1")
    cache.learn("model", estimated, reported)
    assert cache.correction("model") == ratio


def test_a_second_packing_reads_no_file(path: Path) -> None:
    git = MemoryGit(FILES)
    first = packer(git, cache=PackCache(path, "1")).pack_now(ASKED)
    assert "cat-file" in git.asked
    git.asked.clear()
    second = packer(git, cache=PackCache(path, "1")).pack_now(ASKED)
    assert second == first
    assert git.asked == ["ls-tree"]


def test_a_deleted_cache_changes_nothing(path: Path) -> None:
    git = MemoryGit(FILES)
    first = packer(git, cache=PackCache(path, "1")).pack_now(ASKED)
    path.unlink()
    assert packer(git, cache=PackCache(path, "1")).pack_now(ASKED) == first


def test_a_session_keeps_the_file_open_and_lets_go_of_it(tmp_path: Path) -> None:
    cache = PackCache(tmp_path / "cache.db", "1")
    with cache.session():
        cache.keep([("key", SHOWN)])
        (tmp_path / "cache.db").rename(tmp_path / "moved.db")
        assert cache.find(["key"]) == {"key": SHOWN}
    assert cache.find(["key"]) == {}
