"""Kill a resident of a team, and the commands that speak to it: each word is there once."""

import shutil
from typing import Final

import pytest
from tests.e2e.command import User, furnish
from tests.faults.figures import Figures, dice, figures, scaled
from tests.faults.scene import MakeUser, check_leaks, check_ledger, ended, kill, rows, said, start
from tests.support.processes import PATIENCE, Owned

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
KILLS: Final = 100
WHOLE: Final = 1.5
"""So many seconds a command takes at most where nobody else is busy."""
SERVE: Final = ("team", "serve", "auth", "--yes")
CODER: Final = ("--from", "coder-1")
ADD: Final = ("send", "auth", "TASK_ADDED", "--current")
WORDS: Final = (
    (("handoff", "auth"), "OwnershipHandedOff"),
    (("ack", "auth"), "OwnershipAcknowledged"),
    (("join", "auth", "rev", "--role", "unified-reviewer"), "MemberJoined"),
    (("join", "auth", "coder-1", "--role", "coder"), "MemberJoined"),
    ((*ADD, "--task", "1", "--text", "One"), "TaskOpened"),
    ((*ADD, "--task", "2", "--text", "Two"), "TaskOpened"),
    (("send", "auth", "CLAIM", "--task", "1", "--current", *CODER), "TaskClaimed"),
    (("send", "auth", "IN_REVIEW: task 1. Files: [a.py]", *CODER), "TaskSubmitted"),
    (("send", "auth", "APPROVED: task 1", "--from", "rev"), "TaskApproved"),
    (("send", "auth", "DONE: task 1", *CODER), "TaskClosed"),
)
HEARD: Final = "SELECT type FROM events WHERE stream = 'team:auth'"
DONE, CONFLICT = 0, 4


def heard(user: User) -> dict[str, int]:
    """Count the facts of the team."""
    types = [kind for (kind,) in rows(user, HEARD)]
    return {kind: types.count(kind) for kind in types}


def test_a_team_that_is_killed_at_random_hears_each_word_once(make: MakeUser) -> None:
    with figures("kill -9", "team") as count:
        expected = tell(make("whole"), -1, count)
        assert {kind for _, kind in WORDS} <= expected.keys(), expected
        while count["kills"] < scaled(KILLS):
            user = make(f"story-{count['stories']}")
            found = tell(user, count["stories"], count)
            for kind in {kind for _, kind in WORDS}:
                missing = expected[kind] - found.get(kind, 0)
                if missing:
                    count.broke("lost" if missing > 0 else "doubled", f"{kind}: {missing}")
            check_ledger(user, count)
            check_leaks(user, count)
            count["stories"] += 1
            assert count.problems == [], user.home.parent
            shutil.rmtree(user.home.parent)


def tell(user: User, story: int, count: Figures) -> dict[str, int]:
    """Let a team be served and spoken to, with kills unless the story has no number."""
    chances = dice("team", story)
    furnish(user)
    assert user.call("team", "create", "auth").code == DONE
    resident = start(user, *SERVE, log="resident")
    for words, kind in WORDS:
        before = heard(user).get(kind, 0)
        if story >= 0 and chances.random() < 0.5:
            resident = again(user, resident, chances.uniform(0, WHOLE), count)
        if story >= 0 and chances.random() < 0.5:
            call = start(user, "team", *words)
            if not ended(call, chances.uniform(0, WHOLE)):
                kill(call, is_whole=chances.random() < 0.5)
                count["kills"] += 1
            # What the resident has acknowledged before is no second fact.
            elif (
                call.returncode == DONE and words[0] != "ack" and heard(user).get(kind, 0) == before
            ):
                count.broke("lost", f"acknowledged {words}")
        call = start(user, "team", *words)
        assert ended(call, PATIENCE), said(user)
        if call.returncode not in (DONE, CONFLICT):
            count.broke("stuck", f"{words}: {call.returncode} {said(user)}")
    found = heard(user)
    resident.terminate()
    assert ended(resident, PATIENCE), said(user, "resident")
    return found


def again(user: User, resident: Owned, instant: float, count: Figures) -> Owned:
    """Kill the resident after a while, and start it once more."""
    if ended(resident, instant):
        count.broke("stuck", f"{resident.returncode}: {said(user, 'resident')}")
    else:
        kill(resident, is_whole=instant < WHOLE / 2)
        count["kills"] += 1
    return start(user, *SERVE, log="resident")
