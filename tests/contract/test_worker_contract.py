"""Every worker that starts an agent through one suite, and the suite through broken workers."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_environment

from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.run.failures.diagnosis import Diagnosis
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    OutputSink,
    Probe,
    Sandbox,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import Worker, WorkerReport, WorkerRequest
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.testing.worker_live_suite import LivePart, LiveWorkerSuite, PuppetSuite
from supervisor_ai.testing.worker_suite import Recording, Subject, WorkerSuite
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.command import command_worker
from supervisor_ai.workers.scripted import scripted_worker

RECORDED: Final = Path(__file__).parents[1] / "fixtures" / "clis"
HOWTO: Final = Path(__file__).parents[2] / "docs" / "howto" / "add-a-worker.md"
CHOSEN: Final = "test_a_success_holds_the_answer or test_the_whole_prompt_arrives_and_ends"
Make = Callable[[Sandbox, Mapping[str, str]], Worker]


def recorded(cli: str, case: str, answer: str = "") -> Recording:
    """Read what a real CLI once printed."""
    place = RECORDED / cli / case
    return Recording(
        stdout=place.with_suffix(".stdout").read_bytes(),
        stderr=place.with_suffix(".stderr").read_bytes(),
        exit_code=int(place.with_suffix(".exit").read_text()),
        answer=answer,
    )


def started_by(make: Make) -> Subject:
    """Describe a worker that starts any command."""
    return Subject(
        make_worker=make,
        make_cli=lambda program: Cli(name="mine", adapter="command", command=(str(program),)),
    )


def agent(adapter: str, make: Make, key: str, *, success: str, failure: str) -> Subject:
    """Describe a worker for a CLI whose runs are recorded."""
    return Subject(
        make_worker=make,
        make_cli=lambda program: Cli(name=adapter, adapter=adapter, command=(str(program),)),
        success=recorded(adapter, success, "Just text."),
        failure=recorded(adapter, failure),
        keys=(key,),
    )


def play(part: LivePart) -> Cli:
    """Describe a scripted CLI that plays a part."""
    reply = {
        "say": part.stdout.splitlines(),
        "output_bytes": part.noise,
        "daemon": part.stays,
        "hang": part.hangs,
        "exit": part.exit_code,
    }
    return Cli(name="played", adapter="scripted", script=json.dumps({"replies": [reply]}))


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return BubblewrapSandbox(
        state=known_tools(tmp_path_factory.mktemp("state")), environment=plain_environment()
    )


class TestCommand(WorkerSuite, PuppetSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, sandbox: Sandbox) -> None:
        self.ground, self.sandbox = tmp_path, sandbox
        self.subject = started_by(command_worker)


class TestScripted(WorkerSuite, LiveWorkerSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, sandbox: Sandbox) -> None:
        self.ground, self.sandbox, self.script = tmp_path, sandbox, play
        self.subject = Subject(
            make_worker=scripted_worker,
            make_cli=lambda _: play(LivePart()),
            prompt_in=lambda given: given.partition(b"\n")[2],
        )


class TestClaude(WorkerSuite, PuppetSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, sandbox: Sandbox) -> None:
        self.ground, self.sandbox = tmp_path, sandbox
        self.subject = agent(
            "claude",
            find_agent("claude").worker,
            "ANTHROPIC_API_KEY",
            success="success_text_stream",
            failure="http_401_stream",
        )


class TestCodex(WorkerSuite, PuppetSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, sandbox: Sandbox) -> None:
        self.ground, self.sandbox = tmp_path, sandbox
        self.subject = agent(
            "codex",
            find_agent("codex").worker,
            "OPENAI_API_KEY",
            success="success_text_json",
            failure="http_401",
        )


class TestGemini(WorkerSuite, PuppetSuite):
    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path, sandbox: Sandbox) -> None:
        self.ground, self.sandbox = tmp_path, sandbox
        self.subject = agent(
            "gemini",
            find_agent("gemini").worker,
            "GEMINI_API_KEY",
            success="success_text_stream",
            failure="http_401_stream",
        )


class TestDocumented(WorkerSuite):
    """The example of the how-to."""

    @pytest.fixture(autouse=True)
    def _give(self, tmp_path: Path) -> None:
        worker, _ = python_blocks()
        written: dict[str, Make] = {}
        exec(worker, written)  # noqa: S102 - it is our own
        self.ground, self.subject = tmp_path, started_by(written["my_agent_worker"])


def python_blocks() -> list[str]:
    """Find the examples of the how-to: a worker, and its test."""
    return re.findall(r"^```python\n(.*?)^```$", HOWTO.read_text(), re.MULTILINE | re.DOTALL)


def test_the_documented_test_is_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, test = python_blocks()
    place = tmp_path / "my_package"
    (place / "recorded").mkdir(parents=True)
    (place / "recorded" / "success").write_text("Done.\n")
    (place / "recorded" / "failure").write_text("")
    (place / "worker.py").write_text(worker)
    (place / "test_my_agent.py").write_text(test)
    monkeypatch.chdir(tmp_path)
    words = ("-q", "-p", "no:cacheprovider", "--basetemp", "base", "-k", CHOSEN, "my_package")
    command = [sys.executable, "-m", "pytest", *words]
    environment = {**os.environ, "PYTHONPATH": ".", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


# The suite can fail: each of these workers breaks one promise, and one test says so.

Change = Callable[[SandboxSpec, Mapping[str, str]], SandboxSpec]
Deed = Callable[[Worker, WorkerRequest, OutputSink], Awaitable[WorkerReport]]


@dataclass(frozen=True)
class Tampered:
    """A sandbox that is asked for something else than the worker should ask for."""

    sandbox: Sandbox
    change: Callable[[SandboxSpec], SandboxSpec]

    @property
    def name(self) -> str:
        return self.sandbox.name

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        return await self.sandbox.run(self.change(spec), on_output)

    async def cpu_time(self, label: str) -> timedelta | None:
        return await self.sandbox.cpu_time(label)

    async def reap(self, prefix: str, *, before: int) -> int:
        return await self.sandbox.reap(prefix, before=before)

    async def probe(self) -> Probe:
        return await self.sandbox.probe()


@dataclass(frozen=True)
class Wrapped:
    """A sound worker that does not get its way."""

    sound: Worker
    deed: Deed

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        return await self.deed(self.sound, request, on_output)


def asking(change: Change) -> Make:
    """Make workers that ask their sandbox for the wrong thing."""
    return lambda sandbox, user: command_worker(
        Tampered(sandbox, lambda spec: change(spec, user)), user
    )


def doing(deed: Deed) -> Make:
    """Make workers that do the wrong thing around a sound one."""
    return lambda sandbox, user: Wrapped(command_worker(sandbox, user), deed)


async def swallow(sound: Worker, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
    def one_channel(channel: Channel, piece: bytes) -> None:
        if channel is Channel.STDOUT:
            on_output(channel, piece)

    return await sound.run(request, one_channel)


async def be_late(sound: Worker, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
    kept: list[tuple[Channel, bytes]] = []
    report = await sound.run(request, lambda *piece: kept.append(piece))
    for channel, piece in kept:
        on_output(channel, piece)
    return report


async def throw(sound: Worker, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
    report = await sound.run(request, on_output)
    if report.result.exit_code:
        raise ChildProcessError(report.result.reason)
    return report


async def believe(sound: Worker, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
    report = await sound.run(request, on_output)
    return replace(report, diagnosis=Diagnosis(message="It said something."))


def mix() -> Deed:
    """Keep one transcript for all attempts."""
    kept: list[bytes] = []

    async def deed(sound: Worker, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        def collect(channel: Channel, piece: bytes) -> None:
            kept.append(piece)
            on_output(channel, piece)

        report = await sound.run(request, collect)
        return replace(report, output=b"".join(kept).decode())

    return deed


LEFT: Final[list[subprocess.Popen[bytes]]] = []


def start_another() -> None:
    LEFT.append(subprocess.Popen(["sleep", "600"]))


async def leave(sound: Worker, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
    start_another()
    return await sound.run(request, on_output)


def as_argument(spec: SandboxSpec, _: Mapping[str, str]) -> SandboxSpec:
    return replace(spec, argv=(*spec.argv, spec.stdin.decode()[:1000]))


def all_writable(spec: SandboxSpec, _: Mapping[str, str]) -> SandboxSpec:
    return replace(spec, mounts=tuple(replace(each, is_writable=True) for each in spec.mounts))


def leaking(spec: SandboxSpec, user: Mapping[str, str]) -> SandboxSpec:
    return replace(spec, environment={**user, **spec.environment})


def truncated(spec: SandboxSpec, _: Mapping[str, str]) -> SandboxSpec:
    return replace(spec, stdin=spec.stdin[: 1 << 16])


def nameless(spec: SandboxSpec, _: Mapping[str, str]) -> SandboxSpec:
    return replace(spec, label="worker", fence=0)


def unlimited(spec: SandboxSpec, _: Mapping[str, str]) -> SandboxSpec:
    return replace(spec, output_bytes=1 << 30)


def secretive(spec: SandboxSpec, _: Mapping[str, str]) -> SandboxSpec:
    return replace(spec, egress=None)


class BrokenSuite(WorkerSuite, PuppetSuite):
    """The suites for a worker that breaks a promise."""

    def __init__(self, make: Make, ground: Path, sandbox: Sandbox) -> None:
        self.ground, self.sandbox, self.subject = ground, sandbox, started_by(make)
        self.patience = 0.5


BROKEN: Final = [
    (doing(swallow), "every_piece_of_output_is_passed_on_as_it_is"),
    (doing(be_late), "output_is_passed_on_before_the_end_and_a_cancellation_ends_it"),
    (doing(throw), "a_failing_exit_is_a_report"),
    (doing(throw), "an_agent_that_fails_is_reported"),
    (doing(believe), "words_of_success_do_not_make_up_for_a_failing_exit"),
    (doing(believe), "without_its_last_record_it_has_not_succeeded"),
    (doing(mix()), "one_worker_serves_two_attempts_at_once"),
    (doing(leave), "an_agent_that_succeeds_is_believed_and_leaves_nobody"),
    (asking(leaking), "the_agent_gets_nothing_of_the_users"),
    (asking(leaking), "the_environment_is_the_attempts_own"),
    (asking(truncated), "the_prompt_comes_on_stdin_byte_for_byte"),
    (asking(truncated), "the_whole_prompt_arrives_and_ends"),
    (asking(as_argument), "the_prompt_is_nowhere_else"),
    (asking(all_writable), "only_the_workspace_can_be_written"),
    (asking(all_writable), "an_agent_writes_in_its_workspace_and_nowhere_else"),
    (asking(nameless), "an_agent_can_be_found_by_its_label_and_fence"),
    (asking(unlimited), "the_way_in_which_it_ended_is_told"),
    (asking(secretive), "refusals_are_told"),
]


@pytest.fixture
def nobody_stays() -> Iterator[None]:
    """End what a broken worker leaves behind."""
    yield
    while LEFT:
        process = LEFT.pop()
        process.kill()
        process.wait()


@pytest.mark.usefixtures("nobody_stays")
@pytest.mark.parametrize(("make", "promise"), BROKEN, ids=[promise for _, promise in BROKEN])
def test_a_broken_promise_is_caught(
    make: Make, promise: str, tmp_path: Path, sandbox: Sandbox
) -> None:
    test = getattr(BrokenSuite(make, tmp_path, sandbox), f"test_{promise}")
    with pytest.raises((AssertionError, ChildProcessError)):
        test()
