"""What every worker must do with an agent that runs in a real sandbox, as tests for a subclass.

The subclass gives each test a `sandbox` besides what `WorkerSuite` asks for. `LiveWorkerSuite` lets
an agent talk, hang and fail; `PuppetSuite` is for workers that start whatever program their CLI
names: the puppet looks around and tells on stderr what it found.
"""
# ruff: noqa: D102, S101 - a test's name is its sentence; it asserts and states numbers

import asyncio
import hashlib
import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Final, TypeVar, Unpack

from msgspec import Struct
from msgspec.structs import asdict

from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, Sandbox, SandboxEnd
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest
from supervisor_ai.testing.sandbox_suite import Ear
from supervisor_ai.testing.worker_suite import (
    PROMPTS,
    SECRET,
    OnWorker,
    Recording,
    WorkspaceChanges,
    attempt_variables,
)

Outcome = TypeVar("Outcome")
PUPPET: Final = """\
#!/usr/bin/env python3
import hashlib, json, os, pathlib, socket, subprocess, sys, time
part = json.loads(pathlib.Path(__file__).with_name("part.json").read_text())
prompt = sys.stdin.buffer.read()

def can_write(path):
    try:
        pathlib.Path(path).write_text("made")
    except OSError:
        return False
    return True

def connect(target):
    with socket.create_connection(("127.0.0.1", 3128), 20) as way:
        way.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
        return way.recv(64).decode().split()[1]

if part["looks"]:
    seen = {
        "digest": hashlib.sha256(prompt).hexdigest(),
        "environment": dict(os.environ),
        "words": sys.argv,
        "written": [path for path in part["tries"] if can_write(path)],
        "answers": [connect(target) for target in part["connects"]],
    }
    print(json.dumps(seen), file=sys.stderr, flush=True)
if part["stays"]:
    subprocess.Popen(["sleep", "600"], start_new_session=True)
sys.stdout.buffer.write(part["stdout"].encode("latin-1") + b"x" * part["noise"])
sys.stdout.flush()
if part["hangs"]:
    time.sleep(600)
sys.exit(part["exit_code"])
"""
"""An agent that does what the file beside it says."""


class LivePart(Struct, frozen=True, kw_only=True):
    """What an agent does: it prints, perhaps too much, and ends, unless it hangs."""

    stdout: str = ""
    """Bytes, each as the character with its number."""
    noise: int = 0
    stays: bool = False
    """Whether it leaves a process behind."""
    hangs: bool = False
    exit_code: int = 0
    looks: bool = False
    tries: tuple[str, ...] = ()
    """Files that it tries to write."""
    connects: tuple[str, ...] = ()
    """Hosts that it asks the proxy for."""


def part_of(recording: Recording) -> LivePart:
    """Make an agent print a recording."""
    return LivePart(stdout=recording.stdout.decode("latin-1"), exit_code=recording.exit_code)


class LiveWorkerSuite(OnWorker):
    """Output as it comes, ends, and nobody who stays behind."""

    sandbox: Sandbox
    script: Callable[[LivePart], Cli] | None = None
    """Describes a CLI that plays a part, for workers that start no program of the CLI's."""

    def cast(self, part: LivePart) -> Cli:
        """Describe a CLI whose agent plays the part."""
        if self.script is not None:
            return self.script(part)
        self.program.parent.mkdir(exist_ok=True)
        self.program.write_text(PUPPET, encoding="utf-8")
        self.program.chmod(0o755)
        self.program.with_name("part.json").write_text(json.dumps(asdict(part)), encoding="utf-8")
        return self.subject.make_cli(self.program)

    def live(self, part: LivePart, **changes: Unpack[WorkspaceChanges]) -> tuple[WorkerReport, Ear]:
        """Let an agent play its part to the end, and see that nobody of it is left."""
        return self.attend(self.request(self.cast(part), **changes))

    def attend(self, request: WorkerRequest) -> tuple[WorkerReport, Ear]:
        """Run an attempt to its end, and see that nobody of it is left."""

        def act() -> tuple[WorkerReport, Ear]:
            ear = Ear()
            worker = self.subject.make_worker(self.sandbox, self.user)
            return asyncio.run(worker.run(request, ear)), ear

        return self.leaving_nobody(act)

    def leaving_nobody(self, act: Callable[[], Outcome]) -> Outcome:
        """Do something, and see that no process of it is left."""
        before = _children()
        outcome = act()
        if kept := _children() - before:
            # Some sandboxes keep a process of their own, from their first command on.
            outcome = act()
            assert not (_children() - before - kept), "A process is left."
        assert not _found(f"SUPERVISOR_RUN={self.run}"), "A process of the agent is left."
        assert asyncio.run(self.sandbox.reap("", before=99)) == 0
        return outcome

    def test_output_comes_while_the_agent_works_and_cancelling_leaves_nobody(self) -> None:
        said = self.subject.success.stdout
        cli = self.cast(replace(part_of(self.subject.success), hangs=True, stays=True))

        async def scenario() -> None:
            ear = Ear()
            worker = self.subject.make_worker(self.sandbox, self.user)
            task = asyncio.create_task(worker.run(self.request(cli), ear))
            while not task.done() and said not in ear.output:
                ear.has_heard.clear()
                await self.hear(ear, task)
                if not ear.has_heard.is_set():
                    break
            is_running = not task.done()
            task.cancel()
            await asyncio.wait([task])
            assert is_running
            assert ear.output == said
            assert task.cancelled()

        self.leaving_nobody(lambda: asyncio.run(scenario()))

    def test_an_agent_that_succeeds_is_believed_and_leaves_nobody(self) -> None:
        success = self.subject.success
        report, ear = self.live(replace(part_of(success), stays=True))
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 0), ear.heard
        assert ear.output == success.stdout
        assert success.answer in report.output

    def test_an_agent_that_fails_is_reported(self) -> None:
        report, ear = self.live(part_of(replace(self.subject.success, exit_code=7)))
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 7), ear.heard
        assert report.diagnosis is None or not report.diagnosis.has_succeeded

    def test_an_agent_that_takes_too_long_is_ended(self) -> None:
        report, _ = self.live(LivePart(hangs=True), timeout=timedelta(milliseconds=300))
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.TIMED_OUT, None)

    def test_an_agent_that_falls_silent_is_ended(self) -> None:
        policy = SandboxPolicy(ro_paths=(str(self.program.parent),))
        limits = replace(policy.worker, idle_timeout=timedelta(milliseconds=300))
        report, _ = self.live(LivePart(hangs=True), sandbox=replace(policy, worker=limits))
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.IDLE, None)

    def test_an_agent_that_says_too_much_is_ended(self) -> None:
        report, ear = self.live(LivePart(noise=300_000, hangs=True), output_bytes=100_001)
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.OUTPUT_CAPPED, None)
        assert ear.output == b"x" * 100_001

    def test_an_agent_can_be_found_by_its_label_and_fence(self) -> None:
        cli = self.cast(LivePart(noise=1, hangs=True))

        async def scenario() -> WorkerReport:
            ear = Ear()
            request = self.request(cli)
            task = asyncio.create_task(
                self.subject.make_worker(self.sandbox, self.user).run(request, ear)
            )
            await self.hear(ear, task)
            assert await self.sandbox.reap(f"{self.run}/", before=4) == 0
            assert await self.sandbox.reap(f"{self.run}/", before=5) == 1
            return await task

        report = self.leaving_nobody(lambda: asyncio.run(scenario()))
        assert report.result.exit_code != 0


class PuppetSuite(LiveWorkerSuite):
    """What an agent finds, and where it can write."""

    def look(self, part: LivePart, **changes: Unpack[WorkspaceChanges]) -> dict[str, object]:
        """Let the puppet look around and tell what it found."""
        _, ear = self.live(replace(part, looks=True), **changes)
        found: dict[str, object] = json.loads(ear.heard[Channel.STDERR])
        return found

    def test_the_whole_prompt_arrives_and_ends(self) -> None:
        prompt = "".join(PROMPTS)
        found = self.look(LivePart(), prompt=prompt)
        assert found["digest"] == hashlib.sha256(prompt.encode()).hexdigest()

    def test_the_environment_is_the_attempts_own(self) -> None:
        found = self.look(LivePart())
        told = found["environment"]
        assert isinstance(told, dict)
        assert {**told, **attempt_variables(self.run)} == told
        assert not any(SECRET in str(value) for value in told.values())
        assert SECRET not in str(found["words"])

    def test_an_agent_writes_in_its_workspace_and_nowhere_else(self) -> None:
        inside = self.ground / "tree" / "made"
        shown, beside = self.program.parent / "made", self.ground / "made"
        part = LivePart(tries=(str(inside), str(shown)))
        self.look(replace(part, tries=(*part.tries, str(beside))))
        # Beside what is shown there may be room for files that are gone with the sandbox.
        assert not beside.exists()
        assert not shown.exists()
        assert inside.read_text(encoding="utf-8") == "made"
        assert self.look(part, workspace=self.workspace(is_writable=False))["written"] == []

    def test_a_host_that_is_not_listed_is_refused_and_told(self) -> None:
        refusals: list[EgressRefusal] = []
        cli = self.cast(LivePart(looks=True, connects=("evil.test:443",)))
        _, ear = self.attend(replace(self.request(cli), on_refusal=refusals.append))
        assert json.loads(ear.heard[Channel.STDERR])["answers"] == ["403"]
        assert {(told.host, told.port) for told in refusals} == {("evil.test", 443)}

    def test_a_program_that_is_not_there_is_missing(self) -> None:
        report, ear = self.attend(self.request(self.subject.make_cli(self.program)))
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.COMMAND_MISSING, None)
        assert (report.output, ear.output) == ("", b"")


def _children() -> set[int]:
    """Find the processes that this one has started."""
    own = f"\nPPid:\t{os.getpid()}\n".encode()
    return {pid for pid in _processes() if own in _read(pid, "status")}


def _found(variable: str) -> set[int]:
    """Find the processes that have a variable."""
    wanted = variable.encode()
    return {pid for pid in _processes() if wanted in _read(pid, "environ").split(b"\0")}


def _processes() -> list[int]:
    return [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path("/proc", str(pid), name).read_bytes()
    except OSError:
        return b""
