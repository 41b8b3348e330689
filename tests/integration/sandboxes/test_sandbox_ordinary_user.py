"""The same sandbox for an ordinary user, as most people will run it, tried from a root shell."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import supervisor_ai

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run like this")

NOBODY = "65534"
SUITE = """
import asyncio, os, sys, tempfile, traceback
from pathlib import Path
from supervisor_ai.domain.run.facts import Hardness
from supervisor_ai.sandboxes.bubblewrap import BubblewrapSandbox
from supervisor_ai.sandboxes.self_test import examine
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox
from supervisor_ai.testing.sandbox_egress_suite import EgressSuite
from supervisor_ai.testing.sandbox_limits_suite import LimitSuite
from supervisor_ai.testing.sandbox_suite import IsolationSuite, SandboxSuite

assert os.geteuid() != 0

class Suite(SandboxSuite, IsolationSuite, LimitSuite, EgressSuite):
    def __init__(self, ground):
        self.ground = ground
        self.sandbox = BubblewrapSandbox(state=ground / "state", environment=os.environ)

    def test_limits_are_soft(self):
        result, _ = self.run(self.spec("true"))
        assert result.limits is Hardness.SOFT, result

    def test_files_in_memory_count(self):
        script = "head -c 160000000 /dev/zero > /tmp/full && sleep 20"
        result, _ = self.run(self.limited("sh", "-c", script, memory=96 << 20))
        self.check_exceeded(result, "memory", "96 MiB")

    def test_the_processes_of_the_user_outside_do_not_count(self):
        _, ear = self.run(self.limited("bash", "-c", "ulimit -u", processes=24))
        assert int(ear.output) == 24 + 512, ear.heard

home = Path(os.environ["HOME"])
for name in dir(Suite):
    if name.startswith("test_"):
        try:
            getattr(Suite(Path(tempfile.mkdtemp(dir=home))), name)()
            print("passed", name)
        except Exception:
            traceback.print_exc()
            print("failed", name)

none = UnsandboxedSandbox(state=home / "none", environment=os.environ)
for finding in asyncio.run(examine(none, home / "none")):
    print("holds" if finding.holds else "broken", finding.name)
"""


def run_as_nobody(*argv: str, home: Path) -> subprocess.CompletedProcess[str]:
    user = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    return subprocess.run(
        [*user, *argv],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(home / "src")},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@pytest.fixture
def home() -> Iterator[Path]:
    """Make a home with a copy of our source, since a clone in root's home is out of reach."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        home = Path(place)
        source = Path(supervisor_ai.__path__[0])
        shutil.copytree(
            source, home / "src/supervisor_ai", ignore=shutil.ignore_patterns("__pycache__")
        )
        os.chown(home, int(NOBODY), int(NOBODY))
        yield home


@pytest.fixture
def interpreter(home: Path) -> str:
    # Root's last act may be to start what its successor cannot even find.
    check = "import os, sys; sys.exit(sys.version_info < (3, 11) or not os.access(sys.argv[1], 1))"
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            if run_as_nobody(candidate, "-c", check, candidate, home=home).returncode == 0:
                return candidate
        except FileNotFoundError:
            continue
    pytest.skip("no interpreter that an ordinary user can run")


def test_an_ordinary_user_has_the_same_sandbox(home: Path, interpreter: str) -> None:
    done = run_as_nobody(interpreter, "-c", SUITE, home=home)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith("failed")], done.stderr
    assert len([line for line in lines if line.startswith("passed")]) >= 51, done.stderr
    broken = {line.removeprefix("broken ") for line in lines if line.startswith("broken")}
    assert {
        "files of the host are hidden",
        "the loopback interface of the host is out of reach",
        "abstract sockets of the host are out of reach",
        "no capabilities, no new privileges, a filter for system calls",
        "the environment of the host is hidden",
        "processes of the host are hidden",
        "files of the host cannot be written",
    } <= broken
