"""Commands that decide about the same run at once: one of them holds, and nothing is lost."""

import shutil
from typing import Final

import pytest
from tests.e2e.command import User, until
from tests.faults.figures import Figures, dice, figures, scaled
from tests.faults.scene import (
    MakeUser,
    check_leaks,
    check_ledger,
    ended,
    roots,
    rows,
    said,
    start,
)
from tests.faults.stories import STORIES, Story, prepare_run
from tests.support.processes import PATIENCE

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
DONE, ENDED, CONFLICT, WAITS = 0, 1, 4, 5
LINES: Final = "SELECT count(*) FROM events WHERE type = 'RunCompleted'"


def at_once(user: User, *calls: tuple[str, ...]) -> list[int]:
    """Start several commands at the same time; return how they ended."""
    processes = [start(user, *words) for words in calls]
    assert all(ended(it, PATIENCE) for it in processes), said(user)
    return [it.returncode for it in processes]


def queued(user: User, workflow: str = "quick") -> str:
    run: str = user.run("--workflow", workflow, "--queue").run["id"]
    return run


def commits_of(user: User, run: str) -> int:
    branch = user.call("status", run, "--json").run["branch"]
    return int(user.git("rev-list", "--count", f"main..{branch}"))


def decided(user: User, number: int, count: Figures) -> None:
    """Approve, reject and approve at once; the run goes on once, whoever was heard."""
    prepare_run(user)
    run = user.run("--workflow", "careful").run["id"]
    no = ("reject", run, "--reason", "No.")
    codes = at_once(user, ("approve", run), no, ("approve", run))
    count["taken"] += codes.count(DONE)
    if not codes.count(DONE) >= 1 or not set(codes) <= {DONE, CONFLICT}:
        count.broke("stuck", f"{codes} {said(user)}")
    for _ in range(3):
        if user.call("resume", run).code == DONE:
            break
        user.call("approve", run)
    if commits_of(user, run) != 1:
        count.broke("doubled", f"{codes}: {user.git('log', '--oneline', '--all')}")


def merged(user: User, number: int, count: Figures) -> None:
    """Approve with --drive beside merges of the same run and of another one."""
    prepare_run(user)
    other = user.run("--workflow", "quick").run["id"]
    run = user.run("--workflow", "careful").run["id"]
    merge = ("merge", run)
    codes = at_once(user, ("approve", run, "--drive"), merge, merge, ("merge", other))
    if not set(codes) <= {DONE, ENDED, CONFLICT}:
        count.broke("stuck", f"{codes} {said(user)}")
    again = at_once(user, merge, merge, merge)
    count["merges"] += len(codes) - 1 + len(again)
    if user.call("merge", run).code != DONE and "conflict" not in said(user):
        count.broke("stuck", said(user))
    if user.git("status", "--porcelain", "--untracked-files=no"):
        count.broke("lost", user.git("status", "--short"))
    if "implement" not in (user.repository / "done.txt").read_text():
        count.broke("lost", "the merged file")


def served(user: User, number: int, count: Figures) -> None:
    """Let two residents and three passers-by drive the same queue."""
    prepare_run(user)
    runs = [queued(user) for _ in range(4)]
    residents = [start(user, "serve", log=f"serve{at}") for at in range(2)]
    codes = at_once(user, *[("serve", "--once")] * 3)
    if not set(codes) <= {DONE, CONFLICT}:
        count.broke("stuck", f"{codes} {said(user)}")
    until(lambda: rows(user, LINES) == [(len(runs),)], "four completed runs")
    for it in residents:
        it.terminate()
        assert ended(it, PATIENCE)
    for run in runs:
        if commits_of(user, run) != 1:
            count.broke("doubled", run)


def resumed(user: User, number: int, count: Figures) -> None:
    """Let three resume the same run."""
    prepare_run(user)
    run = queued(user)
    codes = at_once(user, *[("resume", run)] * 3)
    count["refused"] += codes.count(CONFLICT)
    if DONE not in codes or not set(codes) <= {DONE, CONFLICT}:
        count.broke("stuck", f"{codes} {said(user)}")
    if commits_of(user, run) != 1:
        count.broke("doubled", user.git("log", "--oneline", "--all"))


RACES: Final = {
    "approve, reject, approve": (decided, 5),
    "approve --drive and merges": (merged, 5),
    "two serve, three serve --once": (served, 3),
    "resume by three": (resumed, 5),
}


@pytest.mark.parametrize("race", RACES)
def test_of_commands_at_once_one_holds(race: str, make: MakeUser) -> None:
    act, times = RACES[race]
    with figures("race", race) as count:
        for number in range(scaled(times)):
            user = make(f"race-{number}")
            act(user, number, count)
            check_ledger(user, count)
            check_leaks(user, count)
            count["races"] += 1
            assert count.problems == [], user.home.parent
            shutil.rmtree(user.home.parent)


CANCELLED: Final = {"run": 30, "feature": 8}


@pytest.mark.parametrize("driver", CANCELLED)
def test_what_is_cancelled_at_random_ends_whole(driver: str, make: MakeUser) -> None:
    story = STORIES[driver]
    with figures("race", f"cancel of a {driver}") as count:
        for number in range(scaled(CANCELLED[driver])):
            user = make(f"cancel-{number}")
            story.prepare(user)
            cancel(user, story, dice("cancel", driver, number).uniform(0, 2.5), count)
            check_ledger(user, count)
            check_leaks(user, count)
            assert count.problems == [], user.home.parent
            shutil.rmtree(user.home.parent)


def cancel(user: User, story: Story, instant: float, count: Figures) -> None:
    """Cancel a run that is driven; it is cancelled or completed, with all that it started."""
    process = start(user, *story.words)
    until(lambda: bool(roots(user)), "a run")
    ended(process, instant)
    run = roots(user)[0]["id"]
    code = user.call("cancel", run).code
    assert ended(process, PATIENCE), said(user)
    user.call("serve", "--once")
    runs = user.call("status", "--limit", "1000", "--json").json["runs"]
    statuses = {it["status"] for it in runs}
    count["cancelled" if "cancelled" in statuses else "completed before"] += 1
    if not statuses <= {"cancelled", "completed"} or code not in (DONE, CONFLICT):
        count.broke("stuck", f"{code}, {statuses}: {said(user)}")
    if user.git("status", "--porcelain", "--untracked-files=no"):
        count.broke("lost", user.git("status", "--short"))
