"""What every sandbox must do, as tests that a subclass for pytest runs.

The subclass gives each test its `sandbox` and a `ground`, a directory that is the test's own, as
an autouse fixture does. `SandboxSuite` is for every implementation, a scripted one with
`suite_script` included; `IsolationSuite` is for those that run commands for real, and so are
those for limits and for ways out, each in a module of its own.
"""
# ruff: noqa: D102, PLR2004, S101 - a test's name is its sentence; it asserts and states numbers

import asyncio
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Mount,
    Profile,
    Sandbox,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes.toolchains.toolchain import TOLD
from supervisor_ai.testing.fake_sandbox import ScriptedReply

SPEAK: Final = ("sh", "-c", "printf out; printf err >&2; exit 7")
ECHO: Final = ("cat",)
RAW: Final = ("printf", r"\377\376\000\n")
KILL_ITSELF: Final = ("sh", "-c", "kill -9 $$")
LINGER: Final = ("sh", "-c", "echo ready; exec sleep 600")
FLOOD: Final = ("yes",)
MISSING: Final = ("no-such-command", "--help")

_REPLIES: Final = {
    SPEAK: ScriptedReply(output=((Channel.STDOUT, b"out"), (Channel.STDERR, b"err")), exit_code=7),
    RAW: ScriptedReply(output=((Channel.STDOUT, b"\xff\xfe\x00\n"),)),
    KILL_ITSELF: ScriptedReply(exit_code=137),
    LINGER: ScriptedReply(output=((Channel.STDOUT, b"ready\n"),), takes=timedelta(seconds=600)),
    FLOOD: ScriptedReply(output=((Channel.STDOUT, b"y\n" * 1_000_000),)),
}


def suite_script(spec: SandboxSpec) -> ScriptedReply | None:
    """Play the commands of `SandboxSuite` in a `ScriptedSandbox`."""
    if spec.argv == ECHO:
        return ScriptedReply(output=((Channel.STDOUT, spec.stdin),))
    return _REPLIES.get(spec.argv)


@contextmanager
def expected(kind: type[Exception], *words: str) -> Iterator[None]:
    """Expect an error of this kind with these words."""
    try:
        yield
    except kind as error:
        if all(word in str(error) for word in words):
            return
        raise
    raise AssertionError(f"{kind.__name__} was expected")


class Ear:
    """Hears what a command says."""

    def __init__(self) -> None:
        self.heard = {Channel.STDOUT: b"", Channel.STDERR: b""}
        self.has_heard = asyncio.Event()

    def __call__(self, channel: Channel, piece: bytes) -> None:
        """Take a piece of output."""
        self.heard[channel] += piece
        self.has_heard.set()

    @property
    def output(self) -> bytes:
        """Return what came on the first channel."""
        return self.heard[Channel.STDOUT]


class OnSandbox:
    """What a test has: a sandbox and a directory of its own."""

    sandbox: Sandbox
    ground: Path

    def spec(self, *argv: str) -> SandboxSpec:
        """Describe a command in a workspace that it may change."""
        workspace = self.ground / "workspace"
        workspace.mkdir(exist_ok=True)
        return SandboxSpec(
            label="run-1/step",
            profile=Profile.EXECUTOR,
            argv=argv,
            cwd=workspace,
            mounts=(Mount(source=workspace, target=workspace, is_writable=True),),
            timeout=timedelta(seconds=60),
            output_bytes=1 << 20,
        )

    def run(self, spec: SandboxSpec) -> tuple[SandboxResult, Ear]:
        """Run the command to its end."""
        ear = Ear()
        return asyncio.run(self.sandbox.run(spec, ear)), ear

    def shell(self, script: str) -> tuple[SandboxResult, Ear]:
        """Run a shell script to its end."""
        return self.run(self.spec("sh", "-c", script))


class SandboxSuite(OnSandbox):
    """Output, exit codes, limits and ends."""

    def test_both_channels_and_the_exit_code_come_back(self) -> None:
        result, ear = self.run(self.spec(*SPEAK))
        assert ear.heard == {Channel.STDOUT: b"out", Channel.STDERR: b"err"}
        assert (result.end, result.exit_code) == (SandboxEnd.EXITED, 7)

    def test_stdin_is_delivered_and_closed(self) -> None:
        for given in (b"", b"one\ntwo", b"\x00\xff" * 300_000):
            result, ear = self.run(replace(self.spec(*ECHO), stdin=given))
            assert (result.exit_code, ear.output) == (0, given)

    def test_bytes_that_are_no_text_pass_unchanged(self) -> None:
        _, ear = self.run(self.spec(*RAW))
        assert ear.output == b"\xff\xfe\x00\n"

    def test_a_signal_is_told_by_the_exit_code(self) -> None:
        result, _ = self.run(self.spec(*KILL_ITSELF))
        assert (result.end, result.exit_code) == (SandboxEnd.EXITED, 137)
        assert "SIGKILL" in result.reason

    def test_a_missing_command_is_named_and_says_nothing_itself(self) -> None:
        result, ear = self.run(self.spec(*MISSING))
        assert (result.end, result.exit_code) == (SandboxEnd.COMMAND_MISSING, None)
        assert repr(MISSING[0]) in result.reason
        assert ear.heard == {Channel.STDOUT: b"", Channel.STDERR: b""}

    def test_a_command_without_words_or_with_a_zero_byte_is_refused(self) -> None:
        for argv in ((), ("sh", "-c", "a\0b")):
            with expected(InvalidInput, "'run-1/step'"):
                self.run(self.spec(*argv))

    def test_time_runs_out(self) -> None:
        begin = time.monotonic()
        result, ear = self.run(replace(self.spec(*LINGER), timeout=timedelta(seconds=2)))
        assert (result.end, result.exit_code) == (SandboxEnd.TIMED_OUT, None)
        assert "2 s" in result.reason
        assert ear.output == b"ready\n"
        assert time.monotonic() - begin < 20
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0

    def test_a_command_that_says_nothing_for_too_long_is_ended(self) -> None:
        spec = self.spec(*LINGER)
        limits = replace(spec.limits, idle_timeout=timedelta(seconds=1))
        result, ear = self.run(replace(spec, limits=limits))
        assert (result.end, result.exit_code) == (SandboxEnd.IDLE, None)
        assert "1 s without a word" in result.reason
        assert "`sandbox.limits.executor.idle_timeout`" in result.reason
        assert ear.output == b"ready\n"
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0

    def test_one_byte_too_many_ends_the_command(self) -> None:
        result, ear = self.run(replace(self.spec(*FLOOD), output_bytes=100_001))
        assert (result.end, result.exit_code) == (SandboxEnd.OUTPUT_CAPPED, None)
        assert "100001 bytes" in result.reason
        assert len(ear.output) == 100_001

    def test_the_cap_counts_both_channels_and_is_itself_allowed(self) -> None:
        allowed, _ = self.run(replace(self.spec(*SPEAK), output_bytes=6))
        capped, ear = self.run(replace(self.spec(*SPEAK), output_bytes=5))
        assert allowed.end is SandboxEnd.EXITED
        assert capped.end is SandboxEnd.OUTPUT_CAPPED
        assert sum(map(len, ear.heard.values())) == 5

    def test_output_comes_while_the_command_runs_and_cancelling_ends_it(self) -> None:
        async def scenario() -> None:
            ear = Ear()
            task = asyncio.create_task(self.sandbox.run(self.spec(*LINGER), ear))
            await ear.has_heard.wait()
            assert not task.done()
            used = await self.sandbox.cpu_time("run-1/step")
            assert used is None or used >= timedelta()
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            assert ear.output == b"ready\n"
            assert await self.sandbox.reap("", before=1) == 0

        asyncio.run(scenario())

    def test_a_listener_that_fails_ends_the_command(self) -> None:
        def fail(_: Channel, piece: bytes) -> None:
            raise LookupError(piece.decode())

        with expected(LookupError, "ready"):
            asyncio.run(self.sandbox.run(self.spec(*LINGER), fail))
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0

    def test_reaping_ends_what_has_the_label_and_nothing_else(self) -> None:
        async def scenario() -> None:
            ears = Ear(), Ear()
            first, second = (
                asyncio.create_task(self.sandbox.run(replace(self.spec(*LINGER), label=label), ear))
                for label, ear in zip(("run-1/a", "run-2/a"), ears, strict=True)
            )
            for ear in ears:
                await ear.has_heard.wait()
            assert await self.sandbox.reap("run-1/", before=1) == 1
            assert (await first).exit_code != 0
            assert not second.done()
            assert await self.sandbox.reap("run-", before=1) == 1
            assert (await second).exit_code != 0
            assert await self.sandbox.reap("", before=1) == 0

        asyncio.run(scenario())


class IsolationSuite(OnSandbox):
    """What a command can neither see nor touch nor leave behind."""

    def test_it_proves_itself(self) -> None:
        probe = asyncio.run(self.sandbox.probe())
        assert probe.is_usable, probe
        assert (probe.backend, probe.remedy) == (self.sandbox.name, None)

    def test_the_workspace_is_where_the_command_works(self) -> None:
        spec = self.spec("sh", "-c", "pwd; cat given; echo made > made")
        (spec.cwd / "given").write_text("given\n", encoding="utf-8")
        result, ear = self.run(spec)
        assert result.exit_code == 0
        assert ear.output == f"{spec.cwd}\ngiven\n".encode()
        assert (spec.cwd / "made").read_text(encoding="utf-8") == "made\n"
        assert (spec.cwd / "made").stat().st_uid != 0

    def test_a_mount_appears_at_its_target_and_is_read_only(self) -> None:
        source = self.ground / "source"
        source.mkdir()
        (source / "file").write_text("here", encoding="utf-8")
        mount = Mount(source=source, target=Path("/run/elsewhere"))
        spec = self.spec("sh", "-c", "cat /run/elsewhere/file; echo x > /run/elsewhere/file")
        result, ear = self.run(replace(spec, mounts=(*spec.mounts, mount)))
        assert (result.exit_code, ear.output) == (2, b"here")
        assert (source / "file").read_text(encoding="utf-8") == "here"

    def test_a_file_of_the_host_does_not_exist(self) -> None:
        canary = self.ground / "canary"
        canary.write_text("secret", encoding="utf-8")
        result, ear = self.shell(f"cat {canary}")
        assert (result.exit_code, ear.output) == (1, b"")

    def test_a_link_in_the_workspace_leads_nowhere(self) -> None:
        canary = self.ground / "canary"
        canary.write_text("secret", encoding="utf-8")
        result, ear = self.shell(f"ln -s {canary} link; cat link; echo x > link; cat link")
        assert b"secret" not in ear.output
        assert canary.read_text(encoding="utf-8") == "secret"
        assert result.end is SandboxEnd.EXITED

    def test_the_environment_holds_what_was_given_and_little_else(self) -> None:
        spec = replace(self.spec("env"), environment={"GIVEN": "a b\nc"})
        _, ear = self.run(spec)
        lines = [line for line in ear.output.decode().splitlines() if "=" in line]
        names = {line.partition("=")[0] for line in lines}
        assert names - set(TOLD) == {"PATH", "HOME", "TMPDIR", "LANG", "TERM", "PWD", "GIVEN"}
        assert b"GIVEN=a b\nc\n" in ear.output

    def test_there_is_no_way_to_the_host_by_network(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            script = (
                "import socket,sys\n"
                f"for host in '127.0.0.1', 'localhost':\n"
                f"    try: socket.create_connection((host, {port}), 2); sys.exit(1)\n"
                "    except OSError: pass\n"
            )
            result, ear = self.run(self.spec("python3", "-c", script))
            assert result.exit_code == 0, ear.heard

    def test_a_read_only_path_is_shown_and_cannot_be_changed(self) -> None:
        tool = self.ground / "tool"
        tool.mkdir(mode=0o755)
        (tool / "run").write_text("#!/bin/sh\necho tool runs\n", encoding="utf-8")
        (tool / "run").chmod(0o755)
        spec = self.spec("sh", "-c", f"{tool}/run; touch {tool}/new")
        result, ear = self.run(replace(spec, ro_paths=(str(tool),)))
        assert (result.exit_code, ear.output) == (1, b"tool runs\n")

    def test_keys_deep_in_a_read_only_path_are_covered(self) -> None:
        deep = self.ground / "tool/lib/vendor/deep"
        (deep / ".aws").mkdir(parents=True)
        for name in (".npmrc", ".aws/config", "code"):
            (deep / name).write_text(f"{name} is read\n", encoding="utf-8")
        spec = self.spec("sh", "-c", f"cd {deep} && cat .npmrc code; ls -A .aws; cat .aws/config")
        result, ear = self.run(replace(spec, ro_paths=(str(self.ground / "tool"),)))
        assert (result.exit_code, ear.output) == (1, b"code is read\n")

    def test_a_path_that_must_stay_hidden_is_refused(self) -> None:
        for entry in ("/", "/nowhere/at/all", "relative", "/proc", str(Path.home())):
            with expected(InvalidInput, repr(entry), "sandbox.ro_paths"):
                self.run(replace(self.spec("true"), ro_paths=(entry,)))

    def test_a_source_behind_a_link_in_the_workspace_is_refused(self) -> None:
        spec = self.spec("cat", "link")
        (spec.cwd / "link").symlink_to("/etc/hostname")
        mount = Mount(source=spec.cwd / "link", target=spec.cwd / "link")
        result, ear = self.run(replace(spec, mounts=(*spec.mounts, mount)))
        assert result.end is SandboxEnd.SANDBOX_FAILED
        assert ear.output == b""

    def test_a_daemon_dies_with_its_command(self) -> None:
        token = _token()
        result, _ = self.shell(f"setsid nohup sleep {token} >/dev/null 2>&1 & echo started")
        assert result.exit_code == 0
        assert not _lives(token)

    def test_no_process_is_left_when_time_runs_out(self) -> None:
        token = _token()
        script = f"trap '' TERM; setsid sleep {token} & sleep {token} & sleep {token}"
        spec = replace(self.spec("sh", "-c", script), timeout=timedelta(seconds=1))
        result, _ = self.run(spec)
        assert result.end is SandboxEnd.TIMED_OUT
        assert not _lives(token)

    def test_no_process_is_left_by_a_cancellation_at_any_moment(self) -> None:
        async def scenario(delay: float, token: str) -> None:
            spec = self.spec("sh", "-c", f"setsid sleep {token} & sleep {token}")
            task = asyncio.create_task(self.sandbox.run(spec, Ear()))
            await asyncio.wait([task], timeout=delay)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            assert not _lives(token)

        for step in range(12):
            asyncio.run(scenario(step * 0.005, _token()))
        assert asyncio.run(self.sandbox.reap("", before=1)) == 0

    def test_a_flood_is_stopped_soon(self) -> None:
        begin = time.monotonic()
        spec = self.spec("sh", "-c", "yes | head -c 200000000")
        result, ear = self.run(spec)
        assert result.end is SandboxEnd.OUTPUT_CAPPED
        assert len(ear.output) == spec.output_bytes
        assert time.monotonic() - begin < 20


def _token() -> str:
    """Make a number of seconds to sleep that nothing else on this machine sleeps."""
    return f"600.{secrets.randbelow(10**12):012}"


def _lives(token: str) -> bool:
    """Tell whether a process with the token among its arguments lives anywhere."""
    return any(token.encode() in _arguments(process) for process in Path("/proc").iterdir())


def _arguments(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""
