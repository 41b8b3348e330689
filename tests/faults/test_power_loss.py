"""Cut the power at random instants of a run: ledger, artifacts and git agree on every disk."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import User
from tests.faults.figures import Figures, dice, figures, scaled
from tests.faults.power import Disk, read_log
from tests.faults.scene import (
    MakeUser,
    check_ledger,
    compare,
    ended,
    roots,
    rows,
    said,
    start,
    work_of,
)
from tests.faults.shim import compile_shim, with_git
from tests.faults.stories import STORIES
from tests.support.processes import PATIENCE

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
DISKS: Final = 300
EVERY: Final = 10
"""Of so many disks one is gone on with."""
LANDED: Final = """
    SELECT asked.payload ->> 'branch', landed.payload ->> 'commit'
    FROM events asked JOIN events landed USING (stream)
    WHERE asked.type = 'IntegrationStarted' AND landed.type = 'IntegrationLanded'
"""
LOCK: Final = re.compile(r"Unable to create '([^']+\.lock)'")


def test_no_disk_after_a_power_loss_contradicts_itself(make: MakeUser) -> None:
    story = STORIES["run"]
    with figures("power loss", "ledger, artifacts and git") as count:
        user = make("watched")
        place, log = user.home.parent, user.home.parent.with_name("log")
        story.prepare(user)
        base = Path(shutil.copytree(place, place.with_name("base"), symlinks=True))
        disk = Disk(base, place)
        log.touch()
        library = compile_shim(log.parent)
        watch = {"LD_PRELOAD": str(library), "FAULT_ROOT": str(place), "FAULT_LOG": str(log)}
        assert ended(start(user, *story.words, **with_git(user, watch)), PATIENCE), said(user)
        expected, changes = work_of(user), list(read_log(log))
        chances = dice("power")
        instants = sorted(chances.choices(range(len(changes) + 1), k=scaled(DISKS)))
        real = place.rename(place.with_name("real"))
        place.mkdir()
        at = 0
        for number, instant in enumerate(instants):
            for change in changes[at:instant]:
                disk.play(change)
            at = instant
            disk.write(place, dice("disk", number))
            count["disks"] += 1
            before = len(count.problems)
            look(user, count)
            if number % EVERY == 0:
                go_on(user, story.words, count)
                compare(work_of(user), expected, count)
                check_ledger(user, count)
                count["gone on with"] += 1
            if len(count.problems) > before:
                count.problems[before] += f" (disk {number}, change {instant} of {len(changes)})"
                shutil.copytree(place, place.with_name(f"disk-{number}"), dirs_exist_ok=True)
        for change in changes[at:]:
            disk.play(change)
        shutil.rmtree(place)
        real.rename(place)
        # A shim that sees only a part would prove nothing.
        assert disk.strange(user.repository) == []


def look(user: User, count: Figures) -> None:
    """Find a ledger without a fault and, in git, what it says of git."""
    shown = user.call("status", "--json")
    if shown.code != 0:
        count.broke("lost", shown.out + shown.err)
    elif shown.json["runs"]:
        check_ledger(user, count)
        for branch, commit in rows(user, LANDED):
            is_there(user, branch, commit, count)


def is_there(user: User, branch: str, commit: str, count: Figures) -> None:
    """Find a commit that has landed, with all that it names, on its branch."""
    try:
        assert user.git("rev-parse", "--verify", branch) == commit
        user.git("rev-list", "--objects", commit)
        user.git("cat-file", "--batch-check", "--batch-all-objects")
    except (AssertionError, subprocess.CalledProcessError) as error:
        count.broke("lost", f"landed {commit} on {branch}: {error!r}")


def go_on(user: User, words: tuple[str, ...], count: Figures) -> None:
    """Resume what the disk still knows of, or begin."""
    begun = roots(user)
    if begun and begun[0]["status"] == "completed":
        return
    process = start(user, *(("resume", begun[0]["id"]) if begun else words))
    assert ended(process, PATIENCE), said(user)
    for lock in LOCK.findall(said(user))[-1:]:
        # A lock of git that was there when the power went is the user's to remove: it is named.
        Path(lock).unlink(missing_ok=True)
        user.home.parent.joinpath("out").unlink()
        count["git locks removed"] += 1
        go_on(user, words, count)
        return
    if process.returncode != 0:
        count.broke("stuck", f"{process.returncode}: {said(user)}")
