import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Busy
from supervisor_ai.sandboxes.processes.user_slots import SLOTS, Slots


def test_every_claim_has_a_user_of_its_own(tmp_path: Path) -> None:
    with Slots(tmp_path, 61_000).claim() as first, Slots(tmp_path, 61_000).claim() as second:
        assert (first, second) == (61_000, 61_001)
    with Slots(tmp_path, 61_000).claim() as again:
        assert again == 61_000


def test_a_user_who_has_an_account_is_left_alone(tmp_path: Path) -> None:
    with Slots(tmp_path, os.getuid()).claim() as user:
        assert user != os.getuid()


def test_when_all_are_claimed_it_says_so(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 61_000)
    with ExitStack() as claims:
        users = {claims.enter_context(slots.claim()) for _ in range(SLOTS)}
        assert users == set(slots.users)
        with pytest.raises(Busy, match="All 64 sandbox users from 61000 on"):
            claims.enter_context(slots.claim())


def test_the_claim_of_a_dead_process_is_free(tmp_path: Path) -> None:
    script = (
        "import os, sys, pathlib\n"
        "from supervisor_ai.sandboxes.processes.user_slots import Slots\n"
        "with Slots(pathlib.Path(sys.argv[1]), 61_000).claim() as user:\n"
        "    print(user, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path], stdout=subprocess.PIPE, check=False
    )
    assert (done.stdout, done.returncode) == (b"61000\n", -9)
    with Slots(tmp_path, 61_000).claim() as user:
        assert user == 61_000


def test_whether_a_user_has_an_account_is_asked_again_after_a_while(tmp_path: Path) -> None:
    accounts: set[int] = set()
    times = iter([0.0, 59.0, 61.0, 61.0])
    slots = Slots(
        tmp_path / "not" / "there",
        61_000,
        has_account=lambda user: user in accounts,
        now=lambda: next(times),
    )
    with slots.claim() as user:
        assert user == 61_000
    accounts.add(61_000)
    with slots.claim() as user:
        assert user == 61_000
    with slots.claim() as user:
        assert user == 61_001
