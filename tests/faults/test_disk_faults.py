"""Let the disk fail under a run, mend the disk, and find that the run goes on to one commit."""

import shutil
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import User
from tests.faults.figures import Figures, dice, figures, scaled
from tests.faults.scene import (
    MakeUser,
    Work,
    check_leaks,
    check_ledger,
    compare,
    ended,
    git_locks,
    roots,
    said,
    start,
    work_of,
)
from tests.faults.shim import FAULTS, NEVER, PLACES, compile_shim, counted, failing
from tests.faults.stories import STORIES
from tests.support.processes import PATIENCE

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
EACH: Final = 3
STORY: Final = STORIES["run"]
DONE, WAITS, UNAVAILABLE = 0, 5, 6


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_shim(tmp_path_factory.mktemp("shim"))


@pytest.mark.parametrize("name", PLACES)
def test_a_run_survives_a_disk_that_fails(name: str, make: MakeUser, library: Path) -> None:
    with figures("disk", name) as count:
        for kind, fault in FAULTS.items():
            user = make("counted")
            STORY.prepare(user)
            watched = failing(user, library, fault, PLACES[name], NEVER)
            assert ended(start(user, *STORY.words, **watched), PATIENCE)
            calls, expected = counted(user), work_of(user)
            shutil.rmtree(user.home.parent)
            for number in range(scaled(EACH) if calls else 0):
                nth = dice("disk", name, kind, number).randint(1, calls)
                user = make("failing")
                STORY.prepare(user)
                broken = failing(user, library, fault, PLACES[name], nth)
                before = len(count.problems)
                fail_and_resume(user, broken, expected, count)
                count["faults"] += 1
                if len(count.problems) > before:
                    count.problems[before] += f" ({kind}, call {nth} of {calls})"
                    user.home.parent.rename(user.home.parent.with_name(f"{kind}-{nth}"))
                else:
                    shutil.rmtree(user.home.parent)


def fail_and_resume(user: User, broken: dict[str, str], expected: Work, count: Figures) -> None:
    """Run on a disk that fails; then go on on one that does not."""
    process = start(user, *STORY.words, **broken)
    assert ended(process, PATIENCE), said(user)
    code = process.returncode
    count["ended with 6" if code == UNAVAILABLE else "waited" if code == WAITS else "went on"] += 1
    if code not in (DONE, WAITS, UNAVAILABLE):
        count.broke("stuck", f"exit code {code}: {said(user)}")
    if code == UNAVAILABLE and "hint: " not in said(user):
        count.broke("stuck", f"no hint: {said(user)}")
    begun = roots(user)
    if code == WAITS:
        assert user.call("approve", begun[0]["id"], "--note", "The disk is mended.").code == DONE
    words = ("resume", begun[0]["id"]) if begun else STORY.words
    again = start(user, *words, log="again")
    assert ended(again, PATIENCE), said(user, "again")
    left = [it for it in git_locks(user) if str(it) in said(user, "again")]
    if again.returncode == UNAVAILABLE and left:
        # Git lost its disk while it held it; who goes on is told the name, and removes it.
        count["resumed after a lock was removed"] += 1
        left[0].unlink()
        again = start(user, *words, log="again")
        assert ended(again, PATIENCE), said(user, "again")
    is_over = begun and begun[0]["status"] == "completed"
    if again.returncode != DONE and not is_over:
        count.broke("stuck", f"resumed: {again.returncode} {said(user, 'again')}")
        return
    compare(work_of(user), expected, count)
    check_ledger(user, count)
    check_leaks(user, count)
