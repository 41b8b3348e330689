"""Disks and ledgers that do not work: exact words, exact exit codes, nothing lost."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.e2e.command import User

PAGE = 4096
ROOM = 10 * PAGE

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")


@contextmanager
def mounted(place: Path, *options: str) -> Iterator[None]:
    """Mount something for a while."""
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", *options, place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


def ledger(user: User) -> Path:
    return user.repository / ".supervisor/state.db"


@needs_root
def test_a_full_disk_under_the_ledger(user: User) -> None:
    run = user.run("--workflow", "careful").run
    state = user.repository / ".supervisor"
    kept = user.home / "kept"
    shutil.copytree(state, kept)
    with mounted(state, "-t", "tmpfs", "-o", "size=2m", "tmpfs"):
        shutil.copytree(kept, state, dirs_exist_ok=True)
        fill(state)
        said = user.call("cancel", run["id"], "--json")
        assert said.code == 6, said.out
        assert said.error == {
            "kind": "unavailable",
            "message": f"The ledger '{ledger(user)}' could not be written: the disk is full "
            "(database or disk is full).",
            "hint": "Free some space on the disk and try again; nothing was lost.",
        }
        assert "Traceback" not in said.err
        (state / "ballast").unlink()
        assert user.call("cancel", run["id"], "--json").run["status"] == "cancelled"
        assert user.call("ledger", "verify").code == 0


def fill(directory: Path) -> None:
    """Leave room on a file system to open a ledger, but not to write it."""
    with (directory / "ballast").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * PAGE)
    os.truncate(directory / "ballast", (directory / "ballast").stat().st_size - ROOM)


def test_a_ledger_that_somebody_else_holds(user: User) -> None:
    run = user.run("--workflow", "careful").run
    with sqlite3.connect(ledger(user), isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        said = user.call("approve", run["id"], "--json")
        other.execute("ROLLBACK")
    other.close()
    assert said.code == 4
    assert said.error == {
        "kind": "busy",
        "message": f"The ledger '{ledger(user)}' is locked by another process.",
        "hint": "Wait until it has finished, then try again.",
    }


def test_a_ledger_of_a_newer_version(user: User) -> None:
    user.run("--workflow", "quick")
    with sqlite3.connect(ledger(user), isolation_level=None) as other:
        (known,) = other.execute("PRAGMA user_version").fetchone()
        other.execute("PRAGMA user_version = 9999")
    other.close()
    for verb in (["status"], ["run", "Do it"], ["serve", "--once"]):
        said = user.call(*verb, "--json")
        assert said.code == 6
        assert said.error == {
            "kind": "unavailable",
            "message": f"The ledger '{ledger(user)}' was written by a newer version of supervisor: "
            f"its schema is 9999, this version knows {known}.",
            "hint": "Upgrade supervisor and try again.",
        }


def test_a_ledger_that_is_no_ledger(user: User) -> None:
    ledger(user).write_bytes(b"This is not a database, but it is long enough to be one." * 20)
    said = user.call("status", "--json")
    assert (said.code, said.error["kind"]) == (6, "unavailable")
    assert "is not a database" in said.error["message"]


@needs_root
def test_a_repository_that_cannot_be_written(user: User) -> None:
    place = user.repository
    with mounted(place, "--bind", str(place)):
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)
        said = user.run("--workflow", "quick")
    assert said.code == 6
    assert said.error == {
        "kind": "unavailable",
        "message": f"The repository cannot be marked with '{place / '.git/supervisor-mark'}': "
        "Read-only file system.",
        "hint": "Make the git directory writable for you and try again.",
    }


def test_a_changed_ledger_is_noticed(user: User) -> None:
    user.run("--workflow", "quick")
    with sqlite3.connect(ledger(user), isolation_level=None) as other:
        guards = other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (guard,) in guards:
            other.execute(f"DROP TRIGGER {guard}")
        other.execute("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)")
    other.close()
    said = user.call("ledger", "verify", "--json")
    assert said.code == 1
    assert said.json["verification"]["faults"]
    assert "fault" in user.call("ledger", "verify").out


def test_a_left_lock_of_the_anchor_is_named_and_a_run_completes(user: User) -> None:
    lock = user.repository / ".git/refs/supervisor/ledger.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    done = user.run("--workflow", "quick")
    assert (done.code, done.run["status"]) == (0, "completed"), done.err
    assert "ledger.lock" in done.err
    assert "remove the lock that is named" in done.err
    assert not user.git("for-each-ref", "refs/supervisor/ledger")
    lock.unlink()
    assert user.call("session", "new", "S1", "--pipeline", "spec-only").code == 0
    assert user.git("for-each-ref", "refs/supervisor/ledger")
    assert user.call("ledger", "verify").code == 0


def test_a_left_lock_where_work_is_kept_loses_the_attempt_and_resume_goes_on(user: User) -> None:
    run = user.run("--workflow", "quick", "--queue").run["id"]
    lock = user.repository / f".git/refs/supervisor/{run}/implement/1.1.1.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    for _ in range(2):
        said = user.call("resume", run)
        assert said.code == 6
        assert "1.1.1.lock" in said.err
        assert "hint: If no git runs here any more, remove the lock that is named." in said.err
    assert user.call("status", run, "--json").run["status"] == "running"
    lock.unlink()
    assert user.call("resume", run).code == 0
    types = user.types(run)
    assert (types.count("AttemptLost"), types.count("AttemptFailed")) == (1, 0)
    branch = user.call("status", run, "--json").run["branch"]
    assert len(user.git("log", "--format=%H", f"main..{branch}").splitlines()) == 1
