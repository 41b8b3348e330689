"""Kill drivers at random instants, go on, and find each unit of work once and nothing left.

The instants are even over the time that the story takes without a kill, every fourth within the
first half second. Either the process of supervisor is killed alone, or with all that it started.
A story is killed again and again until it ends, and then another one begins.
"""

import random
import shutil
import time
from typing import Final

import pytest
from tests.e2e.command import User
from tests.faults.figures import Figures, dice, figures, scaled
from tests.faults.scene import (
    MakeUser,
    check_leaks,
    check_ledger,
    compare,
    ended,
    git_locks,
    kill,
    roots,
    said,
    start,
)
from tests.faults.stories import STORIES, Story
from tests.support.processes import PATIENCE

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
KILLS: Final = 100
UNAVAILABLE: Final = 6
ENOUGH: Final = 600.0
"""So many seconds a story may take that nobody kills any more."""
MOST: Final = 12
"""So often one story is killed at most; then it may end."""


@pytest.mark.parametrize("driver", STORIES)
def test_a_driver_that_is_killed_at_random_loses_and_doubles_nothing(
    driver: str, make: MakeUser
) -> None:
    story = STORIES[driver]
    with figures("kill -9", driver) as count:
        user = make("whole")
        story.prepare(user)
        began = time.monotonic()
        process = start(user, *story.words)
        assert ended(process, PATIENCE), said(user)
        whole, expected = time.monotonic() - began, story.sight(user)
        assert process.returncode == 0, said(user)
        while count["kills"] < scaled(KILLS) and not count["stuck"]:
            chances = dice("kills", driver, count["stories"])
            user = make(f"story-{count['stories']}")
            story.prepare(user)
            tell(user, story, whole, chances, count)
            if not count["stuck"]:
                compare(story.sight(user), expected, count)
                check_ledger(user, count)
                check_leaks(user, count)
            count["stories"] += 1
            assert count.problems == [], user.home.parent
            shutil.rmtree(user.home.parent)


def tell(user: User, story: Story, whole: float, chances: random.Random, count: Figures) -> None:
    """Start a story and go on with it until it ends, with kills in between."""
    for time_left in range(MOST, -1, -1):
        is_early = chances.random() < 0.25
        instant = chances.uniform(0, 0.5 if is_early else whole) if time_left else ENOUGH
        is_whole = chances.random() < 0.5
        begun = roots(user)
        if begun and begun[0]["status"] == "completed" and not story.is_resumed:
            return
        goes_on = begun and story.is_resumed
        process = start(user, *(("resume", begun[0]["id"]) if goes_on else story.words))
        if ended(process, instant):
            locks = git_locks(user) if process.returncode == UNAVAILABLE else []
            if locks and locks[0].name in said(user):
                count["left locks of git"] += 1
                locks[0].unlink()
                continue
            if process.returncode != 0:
                count.broke("stuck", f"exit code {process.returncode}: {said(user)}")
            return
        kill(process, is_whole=is_whole)
        count["kills"] += 1
        count["within 0.5 s"] += instant < 0.5
    count.broke("stuck", f"did not end: {said(user)}")
