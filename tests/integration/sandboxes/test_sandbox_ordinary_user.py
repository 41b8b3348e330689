"""The same sandbox for an ordinary user, as most people will run it, tried from a root shell."""

import os
from pathlib import Path

import pytest
from tests.integration.ordinary_user import run_as_nobody

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run like this")

SUITE = """
import asyncio, os, sys, tempfile, traceback
from pathlib import Path
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
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
