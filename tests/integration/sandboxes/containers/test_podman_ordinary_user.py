"""Podman without root, as most people will run it, tried from a root shell.

The user exists only in a mount namespace of the test, where files of its own lie over those that
name the users of this machine.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.integration.sandboxes.containers.engines import require
from tests.support.product_copy import copy_product

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, MIB
from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.resource_limits.cgroups import Group, find_cgroups, grouped

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run like this")

USER, NAME = 61_999, "supervisor-test"
BECOME = """
home=$1; shift
for file in passwd group subuid subgid; do mount --bind "$home/$file" "/etc/$file" || exit 99; done
exec setpriv --reuid 61999 --regid 61999 --clear-groups "$@"
"""
TRIAL = """
import subprocess, sys
assert sys.version_info >= (3, 11), sys.version
options = sys.argv[1:]
done = subprocess.run(["podman", *options, "unshare", "cat", "/proc/self/uid_map"])
sys.exit(done.returncode)
"""
SUITE = """
import asyncio, os, sys, tempfile, traceback
from pathlib import Path
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.sandboxes.containers.sandbox import PodmanSandbox
from supervisor_ai.testing.sandbox_suite import IsolationSuite, SandboxSuite

assert os.geteuid() == 61999
NAMES = (
    "test_it_proves_itself",
    "test_both_channels_and_the_exit_code_come_back",
    "test_the_workspace_is_where_the_command_works",
    "test_time_runs_out",
    "test_reaping_ends_what_has_the_label_and_nothing_else",
    "test_a_daemon_dies_with_its_command",
)

class Suite(SandboxSuite, IsolationSuite):
    def __init__(self, home, number):
        self.ground = home / str(number)
        self.ground.mkdir()
        self.sandbox = PodmanSandbox(
            state=home / "state", environment=os.environ, options=sys.argv[1:]
        )

home = Path(os.environ["HOME"])
for number, name in enumerate(NAMES):
    try:
        getattr(Suite(home, number), name)()
        print("passed", name)
    except Exception:
        traceback.print_exc()
        print("failed", name)
suite = Suite(home, "last")
probe = asyncio.run(suite.sandbox.probe())
print("limits", suite.shell("true")[0].limits, probe.limits[0].hardness)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """Make a home with a copy of our source, and the files that name its owner."""
    for program in ("podman", "newuidmap", "unshare"):
        require(program)
    with tempfile.TemporaryDirectory(prefix="pod-", dir="/var/tmp") as place:
        home = Path(place)
        for name, line in (
            ("passwd", f"{NAME}:x:{USER}:{USER}::{home}:/bin/sh"),
            ("group", f"{NAME}:x:{USER}:"),
        ):
            (home / name).write_text(f"{Path('/etc', name).read_text()}{line}\n")
        for name in ("subuid", "subgid"):
            if not Path("/etc", name).exists():
                pytest.skip(f"there is no /etc/{name} to lay a file over")
            (home / name).write_text(f"{NAME}:1000000:65536\n")
        (home / "run").mkdir(mode=0o700)
        copy_product(home / "src")
        for path in (home, home / "run"):
            os.chown(path, USER, USER)
        yield home
        end_pause(home)


def end_pause(home: Path) -> None:
    """End the process that keeps the user's namespace for the next podman."""
    for record in (home / "run").rglob("pause.pid"):
        pid = int(record.read_text())
        if Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}").stat().st_uid == USER:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def group() -> Iterator[Group]:
    """Make a control group in which something was killed before, as on many a machine."""
    cgroups = find_cgroups()
    if cgroups is None:
        yield Group(())
        return
    limits = replace(EXECUTOR_LIMITS, memory=512 * MIB)
    with grouped(cgroups, f"supervisor-test-{os.getpid()}", limits) as group:
        hungry = [sys.executable, "-c", "x = b'x' * (600 << 20)"]
        died = subprocess.run(hungry, preexec_fn=lambda: group.join(os.getpid()), check=False)
        assert died.returncode == -signal.SIGKILL
        assert group.exceeded() == ("memory",)
        yield group


def run_as_user(home: Path, group: Group, text: str) -> subprocess.CompletedProcess[str]:
    options = ("--root", f"{home}/s", "--runroot", f"{home}/run/r")
    words = ("unshare", "--mount", "--propagation", "private", "sh", "-c", BECOME, "become")
    return subprocess.run(
        [*words, str(home), "/usr/bin/python3", "-c", text, *options],
        env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "PYTHONPATH": str(home / "src"),
        },
        cwd=home,
        capture_output=True,
        text=True,
        preexec_fn=lambda: group.join(os.getpid()),
        timeout=110,
        check=False,
    )


def test_an_ordinary_user_has_the_same_sandbox(home: Path, group: Group) -> None:
    trial = run_as_user(home, group, TRIAL)
    if trial.returncode != 0 or "1000000" not in trial.stdout:
        pytest.skip(f"podman has no namespace for an ordinary user here: {trial.stderr[-500:]}")
    done = run_as_user(home, group, SUITE)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith("failed")], done.stderr
    assert len([line for line in lines if line.startswith("passed")]) == 6, done.stderr
    (limits,) = [line.split()[1:] for line in lines if line.startswith("limits")]
    # Where control groups are not delegated, the limits are kept by watching, and that is said.
    assert limits in (["soft", "soft"], ["hard", "hard"])
