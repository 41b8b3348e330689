"""Stop owners at random instants, let another take over, and wake them: one commit, whoever won.

A stop that is shorter than the lease is one of the real command, whose lease lasts long; for a
longer one the lease is short.
"""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import User, until
from tests.e2e.short_lease import BUSY, LEASE
from tests.faults.figures import Figures, dice, figures, scaled
from tests.faults.scene import (
    MakeUser,
    check_leaks,
    check_ledger,
    compare,
    ended,
    roots,
    rows,
    said,
    start,
    work_of,
)
from tests.faults.stories import prepare_run
from tests.support.processes import PATIENCE, Owned

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
STOPS: Final = 20
ROOT: Final = Path(__file__).parents[2]
RUN: Final = ("run", "Do it", "--yes")
CONFIG: Final = "workflow: quick\n"


def supervisor(user: User, kind: str, *words: str) -> Owned:
    """Start the command, or a supervisor with a short lease."""
    if kind == "shorter":
        return start(user, *(("resume", *words) if words else RUN))
    with (user.home.parent / "out").open("ab") as file:
        return Owned(
            [sys.executable, "-m", "tests.e2e.short_lease", str(user.repository), *words],
            cwd=ROOT,
            env=user.environment,
            stdin=subprocess.DEVNULL,
            stdout=file.fileno(),
            stderr=file.fileno(),
        )


def is_begun(user: User) -> bool:
    with suppress(sqlite3.OperationalError):  # it is being made
        return rows(user, "SELECT 1 FROM events WHERE type = 'RunOwned'") != []
    return False


def prepare(user: User) -> None:
    prepare_run(user)
    config = user.repository / ".supervisor/config.yaml"
    user.commit({".supervisor/config.yaml": CONFIG + config.read_text()})


@pytest.mark.parametrize("kind", ["shorter", "longer"])
def test_an_owner_that_stands_still_doubles_nothing(kind: str, make: MakeUser) -> None:
    with figures("SIGSTOP", f"{kind} than the lease") as count:
        user = make("whole")
        prepare(user)
        owner = supervisor(user, kind)
        until(lambda: is_begun(user), "a run")
        began = time.monotonic()
        assert ended(owner, PATIENCE), said(user)
        whole, expected = time.monotonic() - began, work_of(user)
        assert owner.returncode == 0, said(user)
        for number in range(scaled(STOPS)):
            user = make(f"stopped-{number}")
            prepare(user)
            stop(user, kind, dice("stop", kind, number).uniform(0, whole), count)
            compare(work_of(user), expected, count)
            check_ledger(user, count)
            check_leaks(user, count)
            assert count.problems == [], user.home.parent
            shutil.rmtree(user.home.parent)


def stop(user: User, kind: str, instant: float, count: Figures) -> None:
    """Stop an owner, let another one try, wake the first, and let somebody finish."""
    owner = supervisor(user, kind)
    until(lambda: is_begun(user), "a run")
    if ended(owner, instant):
        count["ended before"] += 1
        return
    os.kill(owner.pid, signal.SIGSTOP)
    count["stops"] += 1
    begun = roots(user)
    is_over = begun[0]["status"] == "completed"
    deadline = time.monotonic() + (0 if kind == "shorter" else LEASE.lease.total_seconds() * 20)
    while True:
        heir = supervisor(user, kind, begun[0]["id"])
        assert ended(heir, PATIENCE), said(user)
        if heir.returncode == 0 or time.monotonic() > deadline:
            break
    count["taken over"] += heir.returncode == 0 and not is_over
    count["refused"] += heir.returncode == BUSY
    os.kill(owner.pid, signal.SIGCONT)
    assert ended(owner, PATIENCE), said(user)
    count["owner fenced"] += owner.returncode == BUSY
    codes = (owner.returncode, heir.returncode)
    if not set(codes) <= {0, BUSY}:
        count.broke("stuck", f"{codes}: {said(user)}")
    if roots(user)[0]["status"] != "completed":
        last = supervisor(user, kind, begun[0]["id"])
        assert ended(last, PATIENCE), said(user)
        count["resumed"] += 1
