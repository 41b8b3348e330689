"""An owner that sleeps past its lease, as a laptop does, finds its run taken over and stops."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.crash_scene import AGENT, Sight, environment, git, make_repository
from tests.e2e.short_lease import BUSY
from tests.support.processes import PATIENCE, Owned

ROOT = Path(__file__).parents[2]
SLOW_AT_FIRST = """\
import os, time

if (os.environ["SUPERVISOR_ROLE"], os.environ["SUPERVISOR_ATTEMPT"]) == ("implementer", "1"):
    if os.environ["SUPERVISOR_VISIT"] == "1":
        time.sleep(600)
"""


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that other processes bring about."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def supervisor(place: Path, *words: str) -> Owned:
    return Owned(
        [sys.executable, "-m", "tests.e2e.short_lease", str(place / "repository"), *words],
        cwd=ROOT,
        env=environment(place),
        stderr=subprocess.PIPE,
    )


def processes_of(place: Path) -> list[str]:
    return [line for line in sleeping_agents() if str(place) in line]


def sleeping_agents() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text(errors="replace"))
        except OSError:
            continue
    return [line for line in found if "agent.py" in line]


def test_a_frozen_owner_stops_itself_when_it_wakes(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    make_repository(repository)
    (repository / "tools" / "agent.py").write_text(SLOW_AT_FIRST + AGENT)
    git(repository, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "slow")

    owner = supervisor(tmp_path)
    ledger = repository / ".supervisor" / "state.db"
    until(ledger.exists)
    until(lambda: Sight(repository, tmp_path).types().count("PromptSent") == 2)
    until(lambda: bool(processes_of(tmp_path)))
    os.kill(owner.pid, signal.SIGSTOP)
    run = Sight(repository, tmp_path).run
    assert run is not None

    def take_over() -> bool:
        heir = supervisor(tmp_path, run)
        _, said = heir.communicate(timeout=PATIENCE)
        assert heir.returncode in {0, BUSY}, said
        return heir.returncode == 0

    until(take_over)
    os.kill(owner.pid, signal.SIGCONT)
    _, said = owner.communicate(timeout=PATIENCE)

    assert owner.returncode == BUSY
    assert "LeaseLost" in said
    seen = Sight(repository, tmp_path)
    epochs = [envelope.epoch for envelope in seen.events() if envelope.type == "RunOwned"]
    assert epochs == sorted(set(epochs))
    assert len(epochs) == 2
    assert seen.types().count("AttemptLost") == 1
    assert seen.status == "completed"
    assert len(seen.landed()) == 1
    assert seen.faults() == ()
    assert seen.strays() == []
    assert processes_of(tmp_path) == []
