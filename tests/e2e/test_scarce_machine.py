"""A machine that lacks something: what can be read is read, and no run ends for good."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.e2e.command import SUPERVISOR, User

CODE_UNAVAILABLE = 6
READS = [
    *("status", "status RUN", "logs RUN", "events", "events RUN", "diff RUN", "replay RUN"),
    *("approvals", "ledger verify", "conflicts", "workspace list", "feature list"),
    *("session list", "session show S1", "session members S1", "checkpoint list S1"),
    *("msg list", "msg status", "msg state", "knowledge list", "directives", "trust --show"),
]


@contextmanager
def read_only(user: User) -> Iterator[None]:
    """Let nobody write the project: by a mount where the user is root, else by its mode."""
    state = user.repository / ".supervisor"
    if os.geteuid() != 0:
        state.chmod(0o500)
        yield
        state.chmod(0o755)
        return
    subprocess.run(["mount", "--bind", user.repository, user.repository], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", user.repository], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", user.repository], check=True)


def without_index(state: Path) -> None:
    """Leave the ledger as a process that was killed leaves it, its index gone."""
    (state / "state.db-shm").unlink()


def as_closed(state: Path) -> None:
    """Leave the ledger as the last process does that closes it."""
    with closing(sqlite3.connect(state / "state.db")) as sql:
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not (state / "state.db-wal").exists()


def kept_journal(state: Path) -> None:
    """Leave the ledger with its journal and its index, as a process does that is killed."""
    with closing(sqlite3.connect(state / "state.db")) as sql:
        sql.execute("SELECT count(*) FROM events").fetchone()
        names = ("state.db", "state.db-wal", "state.db-shm")
        kept = {name: (state / name).read_bytes() for name in names}
    for name, content in kept.items():
        (state / name).write_bytes(content)
        (state / name).chmod(0o600)


def test_every_reading_verb_works_on_a_read_only_project_and_nothing_is_written(
    user: User,
) -> None:
    assert user.run("--workflow", "quick").code == 0
    run = (user.newest() or {})["id"]
    assert user.call("session", "new", "S1", "--pipeline", "spec-only").code == 0
    state = user.repository / ".supervisor"
    for prepare in (kept_journal, without_index, as_closed):
        prepare(state)
        with read_only(user):
            said = {it: user.call(*it.replace("RUN", run).split()) for it in READS}
            refused = [user.call("msg", "log", "lost"), user.call("session", "close", "S1")]
        assert {it: said[it].out + said[it].err for it in READS if said[it].code != 0} == {}, (
            prepare.__name__
        )
        assert [it.code for it in refused] == [CODE_UNAVAILABLE] * 2
        assert all("ead-only" in it.err for it in refused)
    assert user.call("msg", "list", "--json").json["messages"] == []
    assert user.call("msg", "log", "Here").code == 0


@pytest.mark.parametrize("files", [24, 26, 28, 30])
def test_a_run_without_descriptors_is_kept_and_goes_on(user: User, files: int) -> None:
    words = [str(SUPERVISOR), "run", "Do it", "--yes", "--workflow", "quick"]
    done = subprocess.run(
        ["prlimit", f"--nofile={files}", *words],
        cwd=user.repository,
        env=user.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, CODE_UNAVAILABLE}, done.stderr
    if done.returncode:
        assert "hint:" in done.stderr or "podman failed" in done.stderr
    run = user.newest()
    if run is not None:
        assert user.call("resume", run["id"]).code == 0
