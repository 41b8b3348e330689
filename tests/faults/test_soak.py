"""Soak `serve` with 8 slots: agents of every bad kind, kills and stops of serve in between."""

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import User, furnish
from tests.faults.figures import Figures, dice, figures
from tests.faults.scene import MakeUser, check_leaks, check_ledger, ended, kill, roots, said, start
from tests.support.processes import PATIENCE, Owned

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
SECONDS: Final = float(os.environ.get("FAULTS_SOAK_SECONDS", "900"))
SERVE: Final = ("serve", "--limit", "8")
QUEUED: Final = 12
"""So many runs wait or are driven at a time."""
KINDS: Final = ("well", "well", "slow", "child", "large", "long line", "crash", "hang")
AGENT: Final = """
import os, subprocess, sys, time
prompt = sys.stdin.read()
kind = next(it for it in {kinds!r} if f"soak: {{it}}" in prompt)
first = os.environ["SUPERVISOR_ATTEMPT"] == "1"
nowhere = subprocess.DEVNULL
if kind == "crash" and first:
    sys.exit("on fire")
if kind == "hang" and first:
    time.sleep(1000)
if kind == "slow":
    time.sleep(5)
if kind == "child":
    more = [sys.executable, "-c", "import time; time.sleep(1000)"]
    subprocess.Popen(more, start_new_session=True, stdout=nowhere, stderr=nowhere)
files = ["done.txt"]
if kind == "large":
    open("large.bin", "wb").write(os.urandom(2 << 20))
    files.append("large.bin")
if kind == "long line":
    print("x" * 300_000)
open("done.txt", "a").write(kind + "\\\\n")
print('```json\\\\n{{"nonce": "%s", "status": "SUCCESS", "summary": "", "files_created": %s, '
      '"files_modified": [], "tests_written": []}}\\\\n```'
      % (os.environ["SUPERVISOR_NONCE"], str(files).replace("'", '"')))
"""
CONFIG: Final = """\
cli: my_agent
clis:
  my_agent: {adapter: command, command: [python3, tools/agent.py]}
  failing: {adapter: command, command: [python3, tools/agent.py]}
gates:
  test: {command: [test, -f, done.txt]}
limits: {step_max_retries: 3, step_timeout: 20s, retry_base_delay: 1s, retry_max_delay: 2s}
"""


def prepare(user: User) -> None:
    furnish(user)
    agent = AGENT.format(kinds=tuple(dict.fromkeys(KINDS))).replace("\\\\", "\\")
    user.commit({".supervisor/config.yaml": CONFIG, "tools/agent.py": agent})


def test_serve_stays_as_it_was_while_agents_and_owners_fail(make: MakeUser) -> None:
    with figures("soak", f"serve --limit 8, {round(SECONDS)} s") as count:
        user = make("soak")
        prepare(user)
        chances, deadline = dice("soak"), time.monotonic() + SECONDS
        samples: list[tuple[int, int, int]] = []
        serve = start(user, *SERVE, log="serve")
        try:
            while time.monotonic() < deadline:
                fill(user, chances, count)
                serve = disturb(user, serve, chances, count)
                samples += sampled(serve)
                time.sleep(chances.uniform(0, 2))
            finish(user, count)
            serve.terminate()
            assert ended(serve, PATIENCE)
        finally:
            serve.kill()
            serve.wait()
        look(user, count)
        growth(samples, count)
        check_ledger(user, count)
        check_leaks(user, count)


def fill(user: User, chances: random.Random, count: Figures) -> None:
    """Queue runs until there are enough."""
    under_way = [it for it in roots(user) if it["status"] in ("queued", "running")]
    for _ in range(max(0, QUEUED - len(under_way))):
        kind = chances.choice(KINDS)
        # The breaker opens for an agent that fails often, and its runs wait; for this one alone.
        agent = "failing" if kind in ("crash", "hang") else "my_agent"
        words = ("run", f"soak: {kind}", "--workflow", "quick", "--queue", "--yes", "--cli", agent)
        queued = user.call(*words)
        assert queued.code in (0, 5), queued.err
        count["runs"] += 1


def disturb(user: User, serve: Owned, chances: random.Random, count: Figures) -> Owned:
    """Now and then kill serve, and now and then stop it for two seconds."""
    chance = chances.random()
    if chance < 0.04:
        kill(serve, is_whole=chance < 0.02)
        count["kills"] += 1
        return start(user, *SERVE, log="serve")
    if chance < 0.08:
        serve.send_signal(signal.SIGSTOP)
        time.sleep(2)
        serve.send_signal(signal.SIGCONT)
        count["stops"] += 1
    if ended(serve, 0):
        count.broke("stuck", f"serve: {serve.returncode} {said(user, 'serve')}")
        return start(user, *SERVE, log="serve")
    return serve


def sampled(process: Owned) -> list[tuple[int, int, int]]:
    """Return descriptors, KiB of memory and threads of a process."""
    place = Path(f"/proc/{process.pid}")
    with suppress(OSError, KeyError):
        lines = (place / "status").read_text().splitlines()
        told = dict(line.split(":", 1) for line in lines)
        memory, threads = int(told["VmRSS"].split()[0]), int(told["Threads"])
        return [(len(list((place / "fd").iterdir())), memory, threads)]
    return []


def finish(user: User, count: Figures) -> None:
    """Let serve come to the end of its queue."""
    deadline = time.monotonic() + 2 * PATIENCE
    while any(it["status"] in ("queued", "running") for it in roots(user)):
        if time.monotonic() > deadline:
            count.broke("stuck", "the queue did not come to an end")
            return
        time.sleep(1)


def look(user: User, count: Figures) -> None:
    """Find one commit and one line on the branch of each completed run."""
    for run in roots(user):
        count[str(run["status"])] += 1
        if run["status"] != "completed":
            continue
        made = user.git("rev-list", "--count", f"main..{run['branch']}")
        lines = user.git("show", f"{run['branch']}:done.txt").splitlines()
        if made != "1" or len(lines) != 1:
            count.broke("lost" if "0" in (made, str(len(lines))) else "doubled", run["id"])


def growth(samples: list[tuple[int, int, int]], count: Figures) -> None:
    """Compare the first and the last third: what only grows does not come back."""
    third = max(1, len(samples) // 3)
    for at, name in enumerate(("descriptors", "KiB", "threads")):
        first = sorted(it[at] for it in samples[:third])[third // 2]
        last = sorted(it[at] for it in samples[-third:])[third // 2]
        count[f"{name} at first"], count[f"{name} at last"] = first, last
        if last > 2 * first + 16:
            count.broke("leaked", f"{name}: {first} -> {last}")
