"""Locks that a killed git left: the run completes or is refused by name, and goes on without."""

from pathlib import Path
from typing import Final

import pytest
from tests.faults.figures import figures
from tests.faults.scene import MakeUser, check_ledger, compare, work_of
from tests.faults.stories import STORIES

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
LOCKS: Final = (
    *("index.lock", "HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock"),
    *("refs/heads/main.lock", "refs/supervisor/ledger.lock", "supervisor.lock"),
    *("supervisor-checkout.lock", "refs/heads/ai/RUN.lock", "refs/supervisor/RUN/_base.lock"),
)
DONE, CONFLICT, WAITS, UNAVAILABLE = 0, 4, 5, 6


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_that_was_left_is_named_and_loses_nothing(name: str, make: MakeUser) -> None:
    story = STORIES["run"]
    with figures("left lock", name) as count:
        user = make("free")
        story.prepare(user)
        assert user.run("--workflow", "quick").code == DONE
        expected = work_of(user)
        user = make("locked")
        story.prepare(user)
        run = user.run("--workflow", "quick", "--queue").run
        place = name.replace("heads/ai/RUN", f"heads/{run['branch']}").replace("RUN", run["id"])
        lock = user.repository / ".git" / place
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
        said = user.call("resume", run["id"])
        count[f"run: exit code {said.code}"] += 1
        if said.code not in (DONE, UNAVAILABLE):
            count.broke("stuck", said.err)
        if said.code == UNAVAILABLE and (lock.name not in said.err or "hint: " not in said.err):
            count.broke("stuck", f"the lock is not named: {said.err}")
        if said.code == DONE:
            merged = user.call("merge", run["id"])
            count[f"merge: exit code {merged.code}"] += 1
            if merged.code not in (DONE, CONFLICT, UNAVAILABLE):
                count.broke("stuck", merged.err)
            if merged.code != DONE and lock.name not in merged.err:
                count.broke("stuck", f"the lock is not named: {merged.err}")
            if user.git("status", "--porcelain", "--untracked-files=no"):
                count.broke("lost", user.git("status", "--short"))
        Path(lock).unlink()
        again = user.call("resume", run["id"])
        if again.code != DONE:
            count.broke("stuck", again.err)
        branch = user.git("rev-parse", run["branch"])
        done = user.call("merge", run["id"])
        if done.code != DONE or user.git("rev-parse", "main") != branch:
            count.broke("lost", f"merged: {done.code} {done.err}")
        user.git("reset", "--quiet", "--hard", "HEAD~1")
        compare(work_of(user), expected, count)
        check_ledger(user, count)
