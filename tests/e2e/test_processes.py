"""The tests' own machinery: what is killed is replaced, and what is left is found."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.command import User, until
from tests.support.preloaded import Preloaded
from tests.support.processes import Owned, survivors


@pytest.fixture
def own() -> Iterator[Preloaded]:
    preloaded = Preloaded()
    yield preloaded
    preloaded.stop()


def status(user: User, preloaded: Preloaded) -> int:
    code, _, _ = preloaded.call(
        ("status",), directory=user.repository, environment=user.environment, seconds=300
    )
    return code


def driving(user: User) -> list[int]:
    """Find the processes that drive runs of the user's project."""
    here = str(user.repository)
    found = []
    for pid, _ in survivors():
        try:
            if Path(f"/proc/{pid}/cwd").resolve() == Path(here):
                found.append(pid)
        except OSError:
            continue
    return found


def test_a_call_that_does_not_end_is_ended_and_the_next_one_works(
    user: User, own: Preloaded
) -> None:
    user.script(implement=["hang"])
    assert status(user, own) == 0
    with pytest.raises(AssertionError, match="did not end"):
        own.call(
            ("run", "Do it", "--yes", "--workflow", "quick"),
            directory=user.repository,
            environment=user.environment,
            seconds=3,
        )
    until(lambda: not driving(user), "the end of the run's process")
    assert status(user, own) == 0


def test_a_process_ends_with_the_block_that_breaks(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "input()"]
    with (
        pytest.raises(subprocess.TimeoutExpired),
        Owned(command, cwd=tmp_path, env=os.environ, stdin=subprocess.PIPE) as process,
    ):
        process.wait(timeout=0.01)
    assert process.returncode == -9


def test_a_process_that_is_left_is_found_and_ended(tmp_path: Path) -> None:
    script = "import sys; print('here', flush=True); sys.stdin.read()"
    code = f"""
import os, subprocess, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.support.processes import mark, require_no_survivors
mark()
command, pipe = [sys.executable, "-c", {script!r}], subprocess.PIPE
left = subprocess.Popen(command, stdin=pipe, stdout=pipe)
left.stdout.readline()
try:
    require_no_survivors(patience=0)
except AssertionError as error:
    print(left.wait(), error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("-9 Processes that tests started are left: {")
