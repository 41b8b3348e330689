"""Root's launcher: one for all commands of a supervisor, replaced when it is gone."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_environment

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Egress, Mount, Profile, SandboxResult
from supervisor_ai.sandboxes.bwrap import drop_privileges
from supervisor_ai.sandboxes.bwrap.privileged_start import LaunchedChild
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.testing.sandbox_suite import Ear, OnSandbox

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root needs a launcher")


def children() -> list[int]:
    """List the launchers that this process has started."""
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in found if drop_privileges.__file__.encode() in _arguments(pid)]


def _arguments(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return b""


@contextmanager
def mounted(place: Path) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "test", place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


class TestLaunchpad(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> Iterator[None]:
        self.before = set(children())
        self.ground = tmp_path
        self.sandbox = BubblewrapSandbox(
            state=known_tools(tmp_path / "state"), environment=plain_environment()
        )
        yield
        del self.sandbox
        assert set(children()) <= self.before

    def launchers(self) -> set[int]:
        return set(children()) - self.before

    def says(self, word: str) -> None:
        result, ear = self.run(self.spec("echo", word))
        assert (result.exit_code, ear.output) == (0, f"{word}\n".encode())

    def test_commands_one_after_the_other_share_a_launcher(self) -> None:
        self.says("one")
        first = self.launchers()
        self.says("two")
        assert self.launchers() == first
        assert len(first) == 1

    def test_commands_at_the_same_time_share_a_launcher(self) -> None:
        async def scenario() -> list[SandboxResult]:
            spec = self.spec("sh", "-c", "sleep 0.2")
            runs = [
                self.sandbox.run(replace(spec, label=f"run-{number}"), Ear()) for number in range(8)
            ]
            return await asyncio.gather(*runs)

        assert {result.exit_code for result in asyncio.run(scenario())} == {0}
        assert len(self.launchers()) == 1

    def test_a_launcher_that_was_killed_is_replaced(self) -> None:
        self.says("one")
        (first,) = self.launchers()
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        self.says("two")
        assert len(self.launchers() - {first}) == 1

    def test_another_thread_has_a_launcher_of_its_own(self) -> None:
        self.says("one")
        thread = threading.Thread(target=self.says, args=("two",))
        thread.start()
        thread.join(60)
        # What dies with its parent would have died with that thread.
        self.says("three")

    def test_a_process_that_was_split_off_is_ended_and_buried_once(self) -> None:
        pid = os.spawnvp(os.P_NOWAIT, "sleep", ["sleep", "600"])  # noqa: S606 - no shell, as meant
        child = LaunchedChild(pid)
        child.kill()
        assert child.wait() == -signal.SIGKILL
        assert child.wait() == -signal.SIGKILL
        child.kill()

    def test_nothing_of_the_launcher_reaches_the_command(self) -> None:
        _, ear = self.run(self.spec("ls", "/proc/self/fd"))
        assert ear.output.split() == [b"0", b"1", b"2", b"3"]

    def test_nothing_of_the_launcher_reaches_a_command_with_a_way_out(self) -> None:
        egress = Egress(on_refusal=print, allow=("example.com:443",))
        spec = replace(self.spec("ls", "/proc/self/fd"), profile=Profile.WORKER, egress=egress)
        _, ear = self.run(spec)
        assert ear.output.split() == [b"0", b"1", b"2", b"3"]
        assert len(self.launchers()) == 1

    def test_a_source_that_is_gone_is_said(self) -> None:
        spec = self.spec("true")
        gone = replace(spec.mounts[0], source=self.ground / "gone", is_writable=False)
        result, _ = self.run(replace(spec, mounts=(*spec.mounts, gone)))
        assert result.exit_code is None
        assert "No such file or directory" in result.reason

    def test_a_source_is_shown_wherever_it_is_mounted(self) -> None:
        late = self.ground / "late"
        late.mkdir()
        self.says("the launcher is there before what is mounted")
        with mounted(late), tempfile.TemporaryDirectory(dir="/dev/shm") as shared:
            self.shows(late, Path(shared))

    def shows(self, *places: Path) -> None:
        spec = self.spec("cat", *(f"/shown/{number}/file" for number in range(len(places))))
        for place in places:
            place.chmod(0o755)
            (place / "file").write_text(f"{place}\n")
        shown = [
            Mount(source=place, target=Path(f"/shown/{number}"))
            for number, place in enumerate(places)
        ]
        # A file as well as a directory, and one of them twice.
        more = (Mount(source=places[0] / "file", target=Path("/file")), *shown[:1])
        result, ear = self.run(replace(spec, mounts=(*spec.mounts, *shown, *more)))
        assert (result.exit_code, ear.output) == (0, "".join(f"{it}\n" for it in places).encode())

    def test_the_mounts_of_the_launcher_are_those_of_its_supervisor(self) -> None:
        self.says("one")
        (launcher,) = self.launchers()
        for namespace in ("mnt", "net"):
            ours, theirs = (Path("/proc", it, "ns", namespace) for it in ("self", str(launcher)))
            assert ours.samefile(theirs)

    def test_bubblewrap_sees_no_mount_that_it_does_not_need(self) -> None:
        async def scenario() -> list[str]:
            has_begun = asyncio.Event()
            spec = self.spec("sh", "-c", "echo; exec sleep 600")
            run = asyncio.ensure_future(self.sandbox.run(spec, lambda *_: has_begun.set()))
            try:
                await asyncio.wait_for(has_begun.wait(), 60)
                return self.mounts_of(self.processes()[0])
            finally:
                run.cancel()
                await asyncio.wait([run])

        early = self.ground / "early"
        early.mkdir()
        with mounted(early):
            seen = asyncio.run(scenario())
        assert {"/", "/proc", drop_privileges.STAGE} <= set(seen)
        assert str(early) not in seen

    def processes(self) -> list[int]:
        entries = (self.ground / "state/processes").glob("*.json")
        lines = [json.loads(entry.read_text().splitlines()[-1]) for entry in entries]
        return [process["pid"] for line in lines for process in line["processes"]]

    def mounts_of(self, pid: int) -> list[str]:
        lines = Path("/proc", str(pid), "mountinfo").read_text().splitlines()
        return [line.split(" ")[4] for line in lines]

    def test_a_bubblewrap_behind_links_is_found_wherever_it_is_mounted(self) -> None:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as reachable, mounted(Path(reachable)):
            place = Path(reachable)
            (place / "programs").mkdir()
            shutil.copy("/usr/bin/bwrap", place / "programs/bwrap")
            (place / "bwrap").symlink_to(f"../{place.name}/./programs/bwrap")
            (place / "link").symlink_to(place / "bwrap")
            self.sandbox = BubblewrapSandbox(
                state=known_tools(self.ground / "state"),
                environment=plain_environment(),
                executable=place / "link",
            )
            self.says("one")

    @pytest.mark.parametrize("files", [1, 40, 400])
    def test_however_many_files_there_are_they_are_given(self, files: int) -> None:
        spec = self.spec("find", ".", "-not", "-user", "1000")
        for number in range(files):
            place = spec.cwd / f"{number % 7}" / f"{number}"
            place.parent.mkdir(exist_ok=True)
            place.touch()
        result, ear = self.run(spec)
        assert (result.exit_code, ear.output) == (0, b"")

    def test_time_runs_out_for_what_was_launched(self) -> None:
        spec = replace(self.spec("sleep", "600"), timeout=timedelta(seconds=1))
        result, _ = self.run(spec)
        assert "1 s" in result.reason
