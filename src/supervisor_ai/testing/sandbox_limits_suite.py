"""What every sandbox must do about commands that want too much, as tests for a subclass.

No bomb here is a real one: each stops by itself after an amount that does no harm.
"""
# ruff: noqa: D102, S101 - a test's name is its sentence; it asserts and states numbers

import asyncio
from datetime import timedelta
from typing import Final, TypedDict, Unpack

from supervisor_ai.domain.run.definition import MIB
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult, SandboxSpec
from supervisor_ai.testing.sandbox_suite import OnSandbox

EAT: Final = """
import sys, time
eaten = []
try:
    for _ in range(int(sys.argv[1])):
        eaten.append(b"x" * (8 << 20))
except MemoryError:
    pass
time.sleep(20)
"""
"""Takes pieces of 8 MiB each and keeps them for a while."""

EAT_TOGETHER: Final = f"""
import os, subprocess, sys
made = [subprocess.Popen([sys.executable, "-c", {EAT!r}, "6"]) for _ in range(4)]
sys.exit(os.wait()[1] != 0)
"""
"""Takes 48 MiB in each of four processes."""

FORK: Final = """
import os, sys, time
try:
    for _ in range(120):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
except OSError:
    time.sleep(1)
    sys.exit(int(sys.argv[1]))
time.sleep(20)
"""
"""Makes processes that do nothing; ends with the given exit code if it may not."""

SPIN: Final = """
import time
begin = time.monotonic()
while time.process_time() < 0.5: pass
print(time.monotonic() - begin)
"""
"""Uses half a second of a processor."""


class Changes(TypedDict, total=False):
    """The limits that a test sets."""

    memory: int
    cpus: float
    processes: int
    file_size: int
    disk: int
    disk_files: int


class LimitSuite(OnSandbox):
    """Whoever exceeds a limit is ended, and told by which limit and which setting."""

    def limited(self, *argv: str, **changes: Unpack[Changes]) -> SandboxSpec:
        """Describe a command with limits of its own."""
        spec = self.spec(*argv)
        return replace(spec, limits=replace(spec.limits, **changes))

    def check_exceeded(self, result: SandboxResult, name: str, value: str) -> None:
        """Expect that this limit ended the command."""
        assert (result.end, result.exit_code) == (SandboxEnd.LIMIT_EXCEEDED, None), result
        assert f"`sandbox.limits.executor.{name}`" in result.reason
        assert value in result.reason
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0

    def test_it_says_how_it_keeps_limits(self) -> None:
        probe = asyncio.run(self.sandbox.probe())
        found = {finding.name: finding.hardness for finding in probe.limits}
        assert set(found) == {"memory", "cpus", "processes", "file_size", "disk", "disk_files"}
        assert all(finding.detail for finding in probe.limits)
        result, _ = self.run(self.spec("true"))
        assert (result.exit_code, result.limits) == (0, found["memory"])

    def test_a_process_that_takes_too_much_memory_is_ended(self) -> None:
        result, _ = self.run(self.limited("python3", "-c", EAT, "24", memory=96 * MIB))
        self.check_exceeded(result, "memory", "96 MiB")

    def test_the_memory_of_all_processes_counts_together(self) -> None:
        result, _ = self.run(self.limited("python3", "-c", EAT_TOGETHER, memory=128 * MIB))
        self.check_exceeded(result, "memory", "128 MiB")

    def test_who_makes_too_many_processes_is_ended(self) -> None:
        result, _ = self.run(self.limited("python3", "-c", FORK, "3", processes=24))
        self.check_exceeded(result, "processes", "24 processes")

    def test_who_writes_too_large_a_file_is_ended(self) -> None:
        spec = self.limited("sh", "-c", "head -c 3000000 /dev/zero > large", file_size=MIB)
        result, _ = self.run(spec)
        self.check_exceeded(result, "file_size", "1 MiB")
        assert (spec.cwd / "large").stat().st_size <= MIB

    def test_who_fills_the_disk_is_ended(self) -> None:
        script = "for name in a b c; do head -c 4000000 /dev/zero > $name; done; exec sleep 60"
        result, _ = self.run(self.limited("sh", "-c", script, disk=8 * MIB))
        self.check_exceeded(result, "disk", "8 MiB")

    def test_who_makes_too_many_files_is_ended(self) -> None:
        script = "mkdir -p deep/er; cd deep/er; touch $(seq 200); exec sleep 60"
        result, _ = self.run(self.limited("sh", "-c", script, disk_files=100))
        self.check_exceeded(result, "disk_files", "100 files")

    def test_who_fails_with_a_full_disk_before_anybody_looks_is_judged_afterwards(self) -> None:
        script = "head -c 9000000 /dev/zero > large; exit 1"
        result, _ = self.run(self.limited("sh", "-c", script, disk=8 * MIB))
        self.check_exceeded(result, "disk", "8 MiB")

    def test_who_says_that_all_is_well_and_leaves_too_much_is_judged_too(self) -> None:
        script = "head -c 9000000 /dev/zero > large; exit 0"
        result, _ = self.run(self.limited("sh", "-c", script, disk=8 * MIB))
        self.check_exceeded(result, "disk", "8 MiB")

    def test_who_stays_within_the_limits_is_left_alone(self) -> None:
        spec = self.limited("python3", "-c", "x = b'x' * (16 << 20)", memory=96 * MIB, processes=24)
        result, ear = self.run(spec)
        assert (result.end, result.exit_code) == (SandboxEnd.EXITED, 0), (result, ear.heard)

    def test_cpus_are_shared_out_where_that_can_be_had(self) -> None:
        probe = asyncio.run(self.sandbox.probe())
        found = {finding.name: finding.hardness for finding in probe.limits}
        spec = replace(self.limited("python3", "-c", SPIN, cpus=0.2), timeout=timedelta(minutes=2))
        result, ear = self.run(spec)
        assert result.exit_code == 0, (result, ear.heard)
        if found["cpus"] is Hardness.HARD:
            assert float(ear.output) > 1
