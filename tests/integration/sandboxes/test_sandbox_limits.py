"""How bubblewrap keeps limits: groups of the kernel for root here, a watch where there are none."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_environment
from tests.support.processes import PATIENCE

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, MIB
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd, SandboxSpec
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.processes.register import ProcessRegister
from supervisor_ai.sandboxes.resource_limits.cgroups import (
    Cgroups,
    VersionTwo,
    dissolve,
    find_cgroups,
    grouped,
)
from supervisor_ai.sandboxes.resource_limits.disk_usage import FREE_SPACE, Disk
from supervisor_ai.testing.sandbox_suite import Ear, OnSandbox

SHARE = """
import mmap, time
kept = mmap.mmap(-1, 160 << 20)
for _ in range(160):
    kept.write(b"x" * (1 << 20))
time.sleep(20)
"""
"""Takes 160 MiB that no process has to itself."""

INHERIT = """
import os, sys, time
kept = b"x" * (48 << 20)
children = []
for _ in range(6):
    children.append(os.fork())
    if children[-1] == 0:
        time.sleep(1)
        os._exit(0)
sys.exit(max(os.waitpid(child, 0)[1] for child in children))
"""
"""Has 48 MiB that its children see as well, and none of them a second time."""

SECOND = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")


@pytest.fixture(scope="module")
def cgroups() -> Cgroups:
    found = find_cgroups()
    if found is None:
        pytest.skip("no control group can be made here")
    return found


class OnLimits(OnSandbox):
    def limited(self, *argv: str, memory: int = 96 * MIB, disk: int = 16 * MIB) -> SandboxSpec:
        spec = self.spec(*argv)
        return replace(spec, limits=replace(EXECUTOR_LIMITS, memory=memory, disk=disk))


class TestGroups(OnLimits):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, cgroups: Cgroups) -> None:
        self.ground = tmp_path
        self.cgroups = cgroups
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"),
            environment=plain_environment(),
            find_cgroups=lambda: cgroups,
        )

    def groups(self) -> list[Path]:
        marks = [path.stem for path in (self.ground / "state/processes").glob("*.json")]
        return [parent / mark for parent in self.cgroups.parents for mark in marks]

    def test_a_command_has_groups_for_as_long_as_it_runs(self) -> None:
        async def scenario() -> list[Path]:
            ear = Ear()
            spec = self.spec("sh", "-c", "sleep 600 & echo ready; wait")
            task = asyncio.create_task(self.sandbox.run(spec, ear))
            await ear.has_heard.wait()
            found = self.groups()
            for group in found:
                # Bubblewrap, the first process inside, the shell and what it started.
                assert len((group / "cgroup.procs").read_text().split()) == 4
            task.cancel()
            await asyncio.wait([task])
            return found

        found = asyncio.run(scenario())
        assert len(found) == len(self.cgroups.parents)
        assert not [group for group in found if group.exists()]

    def test_files_in_memory_count(self) -> None:
        script = "head -c 160000000 /dev/zero > /tmp/full && sleep 20"
        result, _ = self.run(self.limited("sh", "-c", script))
        assert (result.end, result.limits) == (SandboxEnd.LIMIT_EXCEEDED, Hardness.HARD)
        assert "memory limit of 96 MiB" in result.reason

    def test_a_command_that_catches_what_the_kernel_did_can_still_succeed(self) -> None:
        script = "python3 -c 'x = b\"x\" * (160 << 20)'; echo went on"
        result, ear = self.run(self.limited("sh", "-c", script))
        assert (result.end, result.exit_code, ear.output) == (SandboxEnd.EXITED, 0, b"went on\n")

    def test_a_dead_supervisors_group_is_removed_with_all_in_it(self, tmp_path: Path) -> None:
        register = ProcessRegister(tmp_path / "processes")
        parents = self.cgroups.parents
        with (
            register.entry("run-1/step", fence=0, parents=parents) as entry,
            grouped(self.cgroups, entry.mark, EXECUTOR_LIMITS) as group,
            subprocess.Popen(["sleep", "600"]) as left,
        ):
            group.join(left.pid)
            assert asyncio.run(register.reap("run-2/", before=1)) == 0
            assert left.poll() is None
            asyncio.run(register.reap("run-1/", before=1))
            assert left.wait(timeout=PATIENCE) == -9
            assert not [parent for parent in parents if (parent / entry.mark).exists()]

    def test_a_group_of_the_second_version_is_removed_with_all_in_it(self) -> None:
        found = [place for place in SECOND if (place / "cgroup.procs").exists()]
        if not found or not os.access(found[0], os.W_OK):
            pytest.skip("no hierarchy of the second version can be written here")
        group = found[0] / f"supervisor-test-{os.getpid()}"
        group.mkdir()
        # Who joined later might have started the other one outside, where nobody would end it.
        script = 'echo $$ > "$0/cgroup.procs"; setsid sleep 600 & echo ready; exec sleep 600'
        argv = ["sh", "-c", script, str(group)]
        with subprocess.Popen(argv, stdout=subprocess.PIPE) as left:
            assert left.stdout is not None
            assert left.stdout.readline() == b"ready\n"
            dissolve(group)
            assert left.wait(timeout=PATIENCE) == -9
        assert not group.exists()

    def test_a_group_that_cannot_be_made_is_no_reason_to_go_without(self) -> None:
        broken = VersionTwo(parents=(self.ground / "nowhere",))
        self.sandbox = BubblewrapSandbox(
            state=self.ground / "state",
            environment=plain_environment(),
            find_cgroups=lambda: broken,
        )
        with pytest.raises(Unavailable, match="control group"):
            self.run(self.spec("touch", "made"))
        assert not list((self.ground / "workspace").iterdir())


class TestWatch(OnLimits):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"),
            environment=plain_environment(),
            find_cgroups=lambda: None,
        )

    def test_files_in_memory_count(self) -> None:
        script = "head -c 160000000 /dev/zero > /tmp/full && sleep 20"
        result, _ = self.run(self.limited("sh", "-c", script))
        assert (result.end, result.limits) == (SandboxEnd.LIMIT_EXCEEDED, Hardness.SOFT)

    def test_shared_memory_counts(self) -> None:
        result, _ = self.run(self.limited("python3", "-c", SHARE))
        assert result.end is SandboxEnd.LIMIT_EXCEEDED

    def test_memory_that_processes_share_counts_once(self) -> None:
        result, ear = self.run(self.limited("python3", "-c", INHERIT, memory=160 * MIB))
        assert (result.end, result.exit_code) == (SandboxEnd.EXITED, 0), (result, ear.heard)

    def test_a_probe_depends_on_how_limits_are_kept(self, cgroups: Cgroups) -> None:
        state = self.ground / "state"
        hard = BubblewrapSandbox(
            state=state, environment=plain_environment(), find_cgroups=lambda: cgroups
        )
        first, second = asyncio.run(self.sandbox.probe()), asyncio.run(hard.probe())
        assert [each.limits[0].hardness for each in (first, second)] == [
            Hardness.SOFT,
            Hardness.HARD,
        ]
        assert asyncio.run(hard.probe()) == second


@contextmanager
def mounted(place: Path, options: str) -> Iterator[Path]:
    """Give a directory a small file system of its own."""
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@as_root
class TestBoundedDisk(OnLimits):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"), environment=plain_environment()
        )

    def test_who_fills_a_disk_of_its_own_has_reached_the_limit(self) -> None:
        with mounted(self.ground / "workspace", "size=4m"):
            spec = self.limited("sh", "-c", "head -c 8000000 /dev/zero > full")
            result, ear = self.run(spec)
            assert b"No space left" in ear.heard[Channel.STDERR]
            assert result.end is SandboxEnd.LIMIT_EXCEEDED
            assert "`sandbox.limits.executor.disk`" in result.reason

    def test_who_uses_up_the_files_of_such_a_disk_has_too(self) -> None:
        with mounted(self.ground / "workspace", "size=4m,nr_inodes=20"):
            result, _ = self.run(self.limited("sh", "-c", "touch $(seq 50)"))
            assert result.end is SandboxEnd.LIMIT_EXCEEDED
            assert "`sandbox.limits.executor.disk_files`" in result.reason

    def test_who_fails_with_room_left_has_only_failed(self) -> None:
        with mounted(self.ground / "workspace", "size=4m"):
            result, _ = self.run(self.limited("sh", "-c", "touch file; exit 1"))
            assert (result.end, result.exit_code) == (SandboxEnd.EXITED, 1)

    def test_a_disk_that_is_nearly_full_is_told_before_the_limit(self) -> None:
        limits = replace(EXECUTOR_LIMITS, disk=7 * MIB)
        with mounted(self.ground / "workspace", "size=8m") as place:
            disk = Disk([place], limits)
            assert disk.is_watched
            assert disk.exceeded() is None
            (place / "full").write_bytes(b"x" * (8 * MIB - 200_000))
            assert disk.exceeded() == FREE_SPACE
