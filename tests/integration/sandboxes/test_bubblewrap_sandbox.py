"""Bubblewrap against commands that want out, and on machines that are not as they should be."""

import asyncio
import os
import signal
import subprocess
import sys
import tracemalloc
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.known_tools import known_tools

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Egress,
    Mount,
    SandboxEnd,
    SandboxResult,
)
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.testing.sandbox_suite import Ear, OnSandbox

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="root makes users of its own for sandboxes")


class TestBubblewrapSandbox(OnSandbox):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        self.ground = tmp_path
        self.sandbox = self.make(known_tools(tmp_path / "state"))

    def make(self, state: Path, **variables: str) -> BubblewrapSandbox:
        return BubblewrapSandbox(state=state, environment={**os.environ, **variables})

    def output(self, script: str) -> str:
        result, ear = self.shell(script)
        assert result.exit_code == 0, (result, ear.heard)
        return ear.output.decode()

    # What the command finds

    def test_the_tools_of_a_python_project_work(self) -> None:
        self.sandbox = self.make(known_tools(self.ground / "state"), VIRTUAL_ENV=sys.prefix)
        said = self.output(
            "python3 -c 'import sys; print(sys.prefix)'; pytest --version; make --version;"
            " git --version"
        )
        for expected in (sys.prefix, "pytest", "GNU Make", "git version"):
            assert expected in said

    def test_what_is_installed_beside_supervisor_is_no_tool_of_the_project(self) -> None:
        path = f"{sys.prefix}/bin:/usr/bin:/bin"
        self.sandbox = self.make(known_tools(self.ground / "state"), PATH=path, VIRTUAL_ENV="")
        said = self.output(
            "python3 -c 'import sys; print(sys.prefix)'; command -v pytest ruff mypy || true"
        )
        assert sys.prefix not in said

    def test_an_installed_copy_of_the_project_is_not_imported(self) -> None:
        env = self.ground / "env"
        site = env / "lib/python3.11/site-packages"
        for name in ("shop", "others", "shop-1.0.dist-info"):
            (site / name).mkdir(parents=True)
        (env / "pyvenv.cfg").touch()
        (site / "shop/__init__.py").write_text("price = 3\n")
        (site / "others/__init__.py").write_text("price = 4\n")
        (site / "shop-1.0.dist-info/RECORD").write_text(
            "shop/__init__.py,,\nshop-1.0.dist-info/RECORD,,\n"
        )
        self.sandbox = self.make(known_tools(self.ground / "state"), VIRTUAL_ENV=str(env))
        asked = "import {0}; print({0}.price)"
        spec = replace(self.spec("true"), environment={"PYTHONPATH": str(site)})

        def importing(name: str, *hidden: str) -> tuple[int | None, tuple[str, ...]]:
            words = ("/usr/bin/python3", "-c", asked.format(name))
            result, _ = self.run(replace(spec, argv=words, not_installed=hidden))
            return result.exit_code, result.hidden

        assert importing("shop") == (0, ())
        said = (f"shop 1.0 in '{site}'",)
        assert importing("shop", "shop") == (1, said)
        assert importing("others", "shop") == (0, said)

    def test_what_lies_below_a_private_home_can_be_mounted(self) -> None:
        private = self.ground / "private"
        (private / "work").mkdir(parents=True)
        (private / "tool").mkdir()
        (private / "tool/name").write_text("hammer")
        private.chmod(0o700)
        spec = replace(
            self.spec("sh", "-c", f"cat {private}/tool/name > found"),
            cwd=private / "work",
            mounts=(Mount(source=private / "work", target=private / "work", is_writable=True),),
            ro_paths=(f"{private}/tool",),
        )
        result, ear = self.run(spec)
        assert result.exit_code == 0, ear.heard
        assert (private / "work/found").read_text() == "hammer"

    def test_a_file_can_be_mounted_read_only_inside_a_writable_directory(self) -> None:
        spec = self.spec("sh", "-c", "cat .git; rm -f .git; echo x > .git; mv .git other")
        (spec.cwd / ".git").write_text("gitdir: /run/wgit\n")
        pin = Mount(source=spec.cwd / ".git", target=spec.cwd / ".git")
        result, ear = self.run(replace(spec, mounts=(*spec.mounts, pin)))
        assert result.exit_code == 1
        assert ear.output == b"gitdir: /run/wgit\n"
        assert (spec.cwd / ".git").read_text() == "gitdir: /run/wgit\n"

    def test_only_the_mounted_parts_of_a_home_exist(self) -> None:
        home = self.ground / "home"
        (home / ".ssh").mkdir(parents=True)
        (home / ".ssh/id").write_text("key")
        (home / "bin").mkdir()
        self.sandbox = self.make(
            self.ground / "state", HOME=str(home), PATH=f"{home}/bin:/usr/bin:/bin"
        )
        assert self.output(f"ls -A {home}; echo $PATH").startswith("bin\n")
        assert f"{home}/bin" in self.output("echo $PATH").split(":")

    def test_a_package_cache_is_shown_and_cannot_be_changed(self) -> None:
        wheels = self.ground / "home/.cargo/registry/cache"
        wheels.mkdir(parents=True)
        (wheels / "crate").write_text("packed")
        self.sandbox = self.make(self.ground / "state", HOME=str(self.ground / "home"))
        spec = self.spec("sh", "-c", "cat ~/.cargo/registry/cache/crate; rm ~/.cargo/registry/*/*")
        hidden, ear = self.run(spec)
        assert (hidden.exit_code, ear.output) == (1, b"")
        shown, ear = self.run(replace(spec, caches=("cargo",)))
        assert (shown.exit_code, ear.output) == (1, b"packed"), ear.heard
        assert (wheels / "crate").exists()

    # What the command cannot do

    def test_neither_secrets_in_the_environment_nor_open_files_are_inherited(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CANARY", "yellow-bird")
        closed = os.open(self.ground, os.O_RDONLY)
        inheritable = os.dup2(closed, 200)
        try:
            said = self.output("cat /proc/*/environ | tr '\\0' '\\n'; ls /proc/*/fd")
        finally:
            os.close(closed)
            os.close(inheritable)
        assert "yellow-bird" not in said
        assert "200" not in said.splitlines()
        assert {"0", "1", "2"} <= set(said.splitlines())

    def test_variables_are_in_no_list_of_processes(self) -> None:
        spec = replace(self.spec("cat", "/proc/1/cmdline"), environment={"KEY": "yellow-bird"})
        _, ear = self.run(spec)
        assert b"bwrap" in ear.output
        assert b"yellow-bird" not in ear.output

    def test_files_are_bounded(self) -> None:
        result, ear = self.shell("truncate -s 8T huge; head -c 80000000 /dev/zero > ~/full")
        assert result.exit_code == 1
        assert b"No space left" in ear.heard[Channel.STDERR]
        assert (self.ground / "workspace/huge").stat().st_size == 0

    @as_root
    def test_processes_are_bounded(self) -> None:
        # A user whom no other test has: all that the user's processes make is counted together.
        self.sandbox = BubblewrapSandbox(
            state=self.ground / "state", environment=os.environ, first_user=61_200
        )
        script = (
            "import os, signal\n"
            "made = 0\n"
            "try:\n"
            "    while made < 2000:\n"
            "        if os.fork() == 0: signal.pause()\n"
            "        made += 1\n"
            "except OSError: print(made)\n"
        )
        _, ear = self.run(self.spec("python3", "-c", script))
        assert 100 < int(ear.output) < 512

    def test_a_crash_leaves_no_core(self) -> None:
        result, _ = self.shell("ulimit -c unlimited; kill -SEGV $$")
        assert result.exit_code == 128 + signal.SIGSEGV
        assert not list((self.ground / "workspace").iterdir())

    def test_a_signal_to_everybody_reaches_nobody_outside(self) -> None:
        with subprocess.Popen(["sleep", "600"]) as bystander:
            self.shell(f"kill -9 {bystander.pid}; kill -9 -1")
            assert bystander.poll() is None
            bystander.kill()

    def test_a_flood_does_not_fill_the_memory(self) -> None:
        spec = replace(self.spec("head", "-c", "200000000", "/dev/zero"), output_bytes=50_000_000)
        heard = 0

        def count(_: Channel, piece: bytes) -> None:
            nonlocal heard
            heard += len(piece)

        self.shell("true")  # What the first start finds out about the tools is not at stake.
        tracemalloc.start()
        try:
            result = asyncio.run(self.sandbox.run(spec, count))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert (result.end, heard) == (SandboxEnd.OUTPUT_CAPPED, 50_000_000)
        assert peak < 8_000_000

    def test_words_like_those_of_bubblewrap_are_the_commands_own(self) -> None:
        result, ear = self.shell("echo 'bwrap: execvp x: No such file or directory' >&2; exit 1")
        assert (result.end, result.exit_code) == (SandboxEnd.EXITED, 1)
        assert ear.heard[Channel.STDERR].startswith(b"bwrap: execvp x")

    # Who does it

    @as_root
    def test_root_lends_each_sandbox_a_user_of_its_own(self) -> None:
        async def both() -> None:
            ears = Ear(), Ear()
            places = [self.ground / name for name in ("one", "two")]
            tasks = []
            for place, ear in zip(places, ears, strict=True):
                place.mkdir()
                mount = Mount(source=place, target=place, is_writable=True)
                spec = self.spec("sh", "-c", "echo made > file; echo ready; sleep 600")
                spec = replace(spec, cwd=place, mounts=(mount,))
                tasks.append(asyncio.create_task(self.sandbox.run(spec, ear)))
            for ear in ears:
                await ear.has_heard.wait()
            owners = {(place / "file").stat().st_uid for place in places}
            assert await self.sandbox.reap("", before=1) == 2
            await asyncio.wait(tasks)
            assert owners == {61_000, 61_001}
            assert {place.stat().st_uid for place in places} == owners

        asyncio.run(both())

    @as_root
    def test_a_workspace_passes_from_one_user_to_the_next(self) -> None:
        workspace = self.spec("true").cwd
        (workspace / "file").write_text("old")
        os.chown(workspace / "file", 61_007, 61_007)
        (workspace / "file").chmod(0o600)
        assert self.output("cat file; echo new > file") == "old"
        assert (workspace / "file").read_text() == "new\n"

    # When something is wrong

    def test_a_missing_command_says_which_line_would_show_it(self) -> None:
        programs = self.ground / "home/.deno/bin"
        programs.mkdir(parents=True)
        (programs / "frobnicate").write_text("#!/bin/sh\n")
        (programs / "frobnicate").chmod(0o755)
        self.sandbox = self.make(self.ground / "state", HOME=str(self.ground / "home"))
        result, _ = self.run(self.spec("frobnicate"))
        assert result.end is SandboxEnd.COMMAND_MISSING
        assert "The command 'frobnicate' cannot be started: No such file" in result.reason
        assert f"`sandbox: {{ro_paths: [{programs}]}}`" in result.reason

    def test_a_command_that_cannot_be_executed_is_missing_too(self) -> None:
        spec = self.spec("./tool")
        (spec.cwd / "tool").write_text("#!/bin/sh\n")
        result, _ = self.run(spec)
        assert result.end is SandboxEnd.COMMAND_MISSING
        assert "Permission denied" in result.reason

    def test_a_sandbox_that_cannot_be_made_says_why(self) -> None:
        spec = self.spec("true")
        nowhere = Path("/nowhere")
        without_place = replace(spec, cwd=nowhere)
        without_source = replace(spec, mounts=(Mount(source=nowhere, target=nowhere),))
        for impossible in (without_place, without_source):
            result, ear = self.run(impossible)
            assert result.end is SandboxEnd.SANDBOX_FAILED
            assert "/nowhere" in result.reason
            assert "No such file or directory" in result.reason
            assert ear.heard == {Channel.STDOUT: b"", Channel.STDERR: b""}

    def test_a_sandbox_that_cannot_be_made_says_why_if_it_has_a_door_too(self) -> None:
        spec = replace(self.spec("true"), egress=Egress(on_refusal=print))
        nowhere = Path("/nowhere")
        result, _ = self.run(replace(spec, mounts=(Mount(source=nowhere, target=nowhere),)))
        assert result.end is SandboxEnd.SANDBOX_FAILED
        assert "/nowhere" in result.reason

    def test_a_way_out_that_makes_no_sense_leaves_nothing_running(self) -> None:
        spec = replace(self.spec("touch", "made"), egress=Egress(on_refusal=print, allow=("x",)))
        with pytest.raises(InvalidInput, match="'x'"):
            self.run(spec)
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0
        assert not list(spec.cwd.iterdir())

    def test_without_bubblewrap_nothing_runs(self) -> None:
        self.sandbox = BubblewrapSandbox(
            state=self.ground / "state", environment=os.environ, executable=Path("/none/bwrap")
        )
        result, _ = self.run(self.spec("true"))
        assert result.end is SandboxEnd.SANDBOX_FAILED
        assert "/none/bwrap" in result.reason

    def test_a_bubblewrap_that_is_killed_is_no_result_of_the_command(self) -> None:
        async def scenario() -> SandboxResult:
            ear = Ear()
            spec = self.spec("sh", "-c", "echo ready; sleep 600")
            task = asyncio.create_task(self.sandbox.run(spec, ear))
            await ear.has_heard.wait()
            [record] = (self.ground / "state/processes").glob("*.json")
            outer = int(record.read_text().partition('"pid": ')[2].partition(",")[0])
            os.kill(outer, signal.SIGKILL)
            return await task

        result = asyncio.run(scenario())
        assert (result.end, result.exit_code) == (SandboxEnd.SANDBOX_FAILED, None)

    def test_a_command_that_could_not_be_found_again_is_not_started(self) -> None:
        (self.ground / "state/processes").write_text("in the way")
        with pytest.raises(Unavailable, match="register of live commands"):
            self.run(self.spec("touch", "made"))
        assert not list((self.ground / "workspace").iterdir())

    def test_time_that_is_too_short_for_the_start_runs_out_as_well(self) -> None:
        spec = replace(self.spec("touch", "made"), timeout=timedelta(milliseconds=1))
        result, _ = self.run(spec)
        assert result.end is SandboxEnd.TIMED_OUT
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0
