"""Kill who completes a task, at its boundaries; then complete it: it lands and is merged once."""

import json

import pytest
from tests.e2e.command import Said, User

POINTS = (
    ("squash", "before the answer"),
    ("ff", "after the answer"),
    ("ff", "before commit of ApprovalGiven"),
    ("ff", "after commit of ApprovalGiven"),
    ("ff", "before land"),
    ("squash", "after land"),
    ("ff", "after commit of IntegrationLanded"),
    ("merge", "before the merge"),
    ("merge", "after the commit of a merge"),
    ("squash", "before the branch moves"),
    ("squash", "after the branch moves"),
)


def die(user: User, strategy: str, name: str) -> Said:
    return user.play("tests.e2e.crash_completion", str(user.repository), strategy, name)


@pytest.mark.parametrize("shard", range(3))
def test_a_task_lands_once_whoever_dies_meanwhile(user: User, shard: int) -> None:
    for number, (strategy, name) in enumerate(POINTS[shard::3]):
        before = user.git("rev-parse", "main")
        task = ("start-task", f"Add number {number}", "--workflow", "quick", "--yes", "--json")
        run = user.call(*task).run
        killed = die(user, strategy, name)
        assert killed.code == -9, (name, killed)
        said = user.call("complete-task", run["id"], f"--{strategy}", "--yes", "--json")
        assert said.code == 0, (name, said)
        assert said.run["status"] == "completed", name
        only = user.git("rev-list", "--count", "--first-parent", f"{before}..main")
        assert only == "1", name
        trailer = "--format=%(trailers:key=Supervisor-Op,valueonly,separator=)"
        keys = user.git("log", trailer, f"{before}..{run['branch']}").split()
        assert len(keys) == 1, name
        assert user.types(run["id"]).count("IntegrationLanded") == 1, name
        assert user.git("status", "--porcelain", "--untracked-files=no") == "", name
        assert user.call("complete-task", "--yes").code == 3, name


def test_every_point_is_one_that_is_passed(user: User) -> None:
    passed: set[str] = set()
    for strategy in ("ff", "merge", "squash"):
        task = ("start-task", f"Add {strategy}", "--workflow", "quick", "--yes", "--json")
        user.call(*task)
        done = die(user, strategy, "no such boundary")
        assert done.code == 0, done
        passed |= {f"{strategy} {name}" for name in json.loads(done.out)}
    for strategy, name in POINTS:
        assert any(it.startswith(f"{strategy} {name}") for it in passed), (strategy, name)
