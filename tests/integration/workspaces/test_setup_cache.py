"""What set-ups made: had again, usable, bounded, and never a way out of the workspace."""

import asyncio
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import SetupCache, Workspace
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.files.safe_open import root_directory
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.setup_cache import SetupCaches
from supervisor_ai.workspaces.workspaces import GitWorkspaces

CACHE = SetupCache(command=("make", "deps"), key_files=("lock",), paths=("deps", "web/modules"))


@pytest.fixture
def caches(tmp_path: Path) -> SetupCaches:
    return SetupCaches(tmp_path / "cache")


def tree(place: Path, name: str, lock: str = "1\n") -> Path:
    path = place / name
    path.mkdir()
    (path / "lock").write_text(lock)
    return path


def made(place: Path, name: str, lock: str = "1\n") -> Path:
    """Do what a set-up does."""
    path = tree(place, name, lock)
    (path / "deps").mkdir()
    (path / "deps" / "lib").write_text("lib\n")
    (path / "web" / "modules" / ".bin").mkdir(parents=True)
    (path / "web" / "modules" / ".bin" / "tool").symlink_to("../tool/cli.js")
    return path


def test_an_entry_is_whole_or_absent(caches: SetupCaches, tmp_path: Path) -> None:
    first, second = made(tmp_path, "first"), tree(tmp_path, "second")
    assert not caches.take(second, CACHE)
    caches.keep(first, CACHE)
    assert caches.take(second, CACHE)
    assert (second / "deps" / "lib").read_text() == "lib\n"
    assert str((second / "web" / "modules" / ".bin" / "tool").readlink()) == "../tool/cli.js"
    (name,) = (path.name for path in (tmp_path / "cache").iterdir())
    assert len(name) == 64


def test_a_second_keeper_does_no_harm(caches: SetupCaches, tmp_path: Path) -> None:
    for name in ("first", "second"):
        caches.keep(made(tmp_path, name), CACHE)
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_nothing_made_is_nothing_kept(caches: SetupCaches, tmp_path: Path) -> None:
    caches.keep(tree(tmp_path, "first"), CACHE)
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    caches = SetupCaches(tmp_path / "cache", entry_size=3)
    caches.keep(made(tmp_path, "first"), CACHE)
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    caches = SetupCaches(tmp_path / "cache", total_size=8)
    for number in "12":
        caches.keep(made(tmp_path, number, lock=number), CACHE)
    for entry in (tmp_path / "cache").iterdir():
        os.utime(entry, (1, 1))
    assert caches.take(tree(tmp_path, "user", lock="1"), CACHE)
    caches.keep(made(tmp_path, "3", lock="3"), CACHE)
    kept = [caches.take(tree(tmp_path, f"t{it}", lock=it), CACHE) for it in "123"]
    assert kept == [True, False, True]


def test_what_is_being_copied_is_not_removed(tmp_path: Path) -> None:
    caches = SetupCaches(tmp_path / "cache", total_size=4)
    caches.keep(made(tmp_path, "1", lock="1"), CACHE)
    (entry,) = (tmp_path / "cache").iterdir()
    os.utime(entry, (1, 1))
    with root_directory(entry) as handle:
        fcntl.flock(handle, fcntl.LOCK_SH)
        caches.keep(made(tmp_path, "2", lock="2"), CACHE)
        assert entry.exists()
    caches.keep(made(tmp_path, "3", lock="3"), CACHE)
    assert not entry.exists()


def test_what_nobody_finished_is_removed_later(caches: SetupCaches, tmp_path: Path) -> None:
    left = tmp_path / "cache" / "unfinished-0"
    (left / "files").mkdir(parents=True)
    os.utime(left, (1, 1))
    caches.keep(made(tmp_path, "first"), CACHE)
    assert not left.exists()


def test_a_link_in_the_way_leads_nowhere(caches: SetupCaches, tmp_path: Path) -> None:
    caches.keep(made(tmp_path, "first"), CACHE)
    outside = tmp_path / "outside"
    outside.mkdir()
    for link in ("deps", "web"):
        victim = tree(tmp_path, f"victim of {link}")
        (victim / link).symlink_to(outside)
        assert not caches.take(victim, CACHE)
        assert {path.name for path in victim.iterdir()} == {"lock", link}
    assert list(outside.iterdir()) == []


def test_what_the_commit_has_is_not_replaced(caches: SetupCaches, tmp_path: Path) -> None:
    caches.keep(made(tmp_path, "first"), CACHE)
    second = tree(tmp_path, "second")
    (second / "web" / "modules").mkdir(parents=True)
    (second / "web" / "modules" / "tracked").write_text("tracked\n")
    assert not caches.take(second, CACHE)
    assert not (second / "deps").exists()
    assert [path.name for path in (second / "web" / "modules").iterdir()] == ["tracked"]


def test_a_link_that_a_set_up_left_is_not_followed(caches: SetupCaches, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret\n")
    first, second = tree(tmp_path, "first"), tree(tmp_path, "second")
    (first / "deps").symlink_to(tmp_path / "secret")
    (first / "web").symlink_to(tmp_path / "secret")
    caches.keep(first, CACHE)
    assert not caches.take(second, CACHE)
    (first / "web").unlink()
    caches.keep(first, CACHE)
    assert caches.take(second, CACHE)
    assert (second / "deps").is_symlink()
    assert not [path for path in (tmp_path / "cache").rglob("key") if not path.is_symlink()]


@pytest.mark.parametrize("kind", ["absent", "link", "directory"])
def test_a_lock_file_that_is_none_is_like_no_other(
    caches: SetupCaches, tmp_path: Path, kind: str
) -> None:
    caches.keep(made(tmp_path, "first"), CACHE)
    second = tree(tmp_path, "second")
    (second / "lock").unlink()
    if kind == "link":
        (second / "lock").symlink_to(tmp_path / "first" / "lock")
    if kind == "directory":
        (second / "lock").mkdir()
    assert not caches.take(second, CACHE)


def test_a_python_environment_works_in_its_new_place(caches: SetupCaches, tmp_path: Path) -> None:
    cache = SetupCache(command=("venv",), key_files=(), paths=(".venv",))
    first, second = tree(tmp_path, "first"), tree(tmp_path, "second")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", first / ".venv"], check=True)
    script = first / ".venv" / "bin" / "hello"
    script.write_text(f"#!{first}/.venv/bin/python\nimport sys, mine\nprint(sys.prefix, mine.X)\n")
    script.chmod(0o755)
    (site,) = (first / ".venv" / "lib").glob("*/site-packages")
    (site / "mine.pth").write_text(f"{first}/src\n")
    (first / ".venv" / "absolute").symlink_to(first / ".venv" / "bin")
    (second / "src").mkdir()
    (second / "src" / "mine.py").write_text("X = 1\n")
    caches.keep(first, cache)
    shutil.rmtree(first)
    assert caches.take(second, cache)
    ended = subprocess.run([second / ".venv" / "bin" / "hello"], capture_output=True, check=True)
    assert ended.stdout.decode() == f"{second}/.venv 1\n"
    assert (second / ".venv" / "absolute").readlink() == second / ".venv" / "bin"


def test_a_cache_outlives_its_run(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "home")
    start = user.commit({"lock": "1\n"})
    workspaces = GitWorkspaces(GitRepository(user.path), tmp_path / "state")

    def opened(run: str) -> Workspace:
        key = EffectKey(f"{run}/implement/1/1/worker/1")
        return asyncio.run(workspaces.open(RunId(run), key, fence=1, start=start))

    first = opened("r1")
    (first.path / "deps").mkdir()
    (first.path / "deps" / "lib").write_text("lib\n")
    asyncio.run(workspaces.keep_cached(first, CACHE))
    asyncio.run(workspaces.forget(RunId("r1")))
    second = opened("r2")
    assert asyncio.run(workspaces.take_cached(second, CACHE))
    assert (second.path / "deps" / "lib").read_text() == "lib\n"
