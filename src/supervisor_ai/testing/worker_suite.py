"""What every worker that starts an agent must do, as tests that a subclass for pytest runs.

The subclass gives each test its `ground`, a directory that is the test's own, as an autouse fixture
does, and its `subject`: how the worker is made, what its CLI is called, and what its agent prints
when it succeeds and when it fails. `WorkerSuite` looks at what a worker asks of its sandbox and at
what it makes of the end; nothing is run for it. The suite that runs an agent is in a module of its
own.
"""
# ruff: noqa: D102, S101 - a test's name is its sentence; it asserts and states numbers

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Final, TypedDict, Unpack

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.domain.run.values import NO_USAGE, EgressRefusal, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Mount,
    Profile,
    Sandbox,
    SandboxEnd,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import (
    Observation,
    UsageSeen,
    Worker,
    WorkerReport,
    WorkerRequest,
)
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox
from supervisor_ai.testing.sandbox_suite import Ear

SECRET: Final = "not-for-them"  # noqa: S105 - of nothing
"""The value of all that the user has in the environment."""
PROMPTS: Final = (
    "Do it.",
    "Grüße ✓ 漢字 🙂 e\u0301\r\n\ttab \\n $HOME `id` 'quoted'\n\n",
    "\u2713 a line of a long prompt\n" * 40_000,
)
"""Short, strange, and more than a megabyte."""
ALLOWED: Final = "allowed.test:443"
_SHORT: Final = timedelta(seconds=1)
_NONCE: Final = "kvmq-tzrb-xwph"


class Recording(Struct, frozen=True, kw_only=True):
    """What an agent printed from its start to its end, and the answer in it."""

    stdout: bytes
    stderr: bytes = b""
    exit_code: int = 0
    answer: str = ""


class Played(Struct, frozen=True, kw_only=True):
    """What came of one attempt."""

    report: WorkerReport
    heard: list[tuple[Channel, bytes]]
    specs: list[SandboxSpec]
    refusals: list[EgressRefusal]
    observed: list[Observation]

    @property
    def spec(self) -> SandboxSpec:
        """Return the one command that the worker asked its sandbox to run."""
        [spec] = self.specs
        return spec


class WorkspaceChanges(TypedDict, total=False):
    """What a test asks for besides the usual."""

    prompt: str
    label: str
    fence: int
    timeout: timedelta
    output_bytes: int
    sandbox: SandboxPolicy
    tokens: int | None
    cost_cap: CostCap | None
    workspace: Workspace


_A_CENT: Final = CostCap(
    limit=Decimal("0.01"),
    price=Price(
        input=Decimal(10), output=Decimal(10), cache_read=Decimal(10), cache_write=Decimal(10)
    ),
)
PLAIN: Final = Recording(stdout=b"All is well.\n", answer="All is well.")
BROKEN: Final = Recording(stdout=b"", stderr=b"Something is wrong.\n", exit_code=1)


class Subject(Struct, frozen=True, kw_only=True):
    """A worker to be tested, and its agent."""

    make_worker: Callable[[Sandbox, Mapping[str, str]], Worker]
    """What its entry point names."""
    make_cli: Callable[[Path], Cli]
    """Describes the CLI as a configuration would, with this program instead of the real one."""
    success: Recording = PLAIN
    """What the agent prints when all is well."""
    failure: Recording = BROKEN
    """What it prints when it fails."""
    keys: tuple[str, ...] = ()
    """The variables of the user that the CLI cannot be started without."""
    prompt_in: Callable[[bytes], bytes] = bytes
    """Finds the prompt in what the agent is given on its standard input; usually that is all."""


class OnWorker:
    """What a test has: a worker and an attempt for it."""

    ground: Path
    subject: Subject
    patience: float = 20.0
    """How many seconds are waited for a word that must come."""

    @cached_property
    def run(self) -> RunId:
        """Name a run that no other test has."""
        return RunId(f"run-{secrets.token_hex(6)}")

    @property
    def user(self) -> dict[str, str]:
        """Return the user's environment, which an agent has no business with."""
        names = ("HOME", "SSH_AUTH_SOCK", "TOKEN_OF_THE_USER", *self.subject.keys)
        return {"PATH": os.environ["PATH"], **dict.fromkeys(names, SECRET)}

    @property
    def program(self) -> Path:
        """Tell where the program is that stands for the agent."""
        return self.ground / "program" / "agent"

    def workspace(self, *, is_writable: bool = True) -> Workspace:
        """Make a workspace."""
        tree = self.ground / "tree"
        tree.mkdir(exist_ok=True)
        return Workspace(
            run=self.run,
            key=EffectKey("key"),
            path=tree,
            start=CommitSha("0" * 40),
            mounts=(Mount(source=tree, target=tree, is_writable=is_writable),),
            environment={"GIT_AUTHOR_NAME": "Worker"},
        )

    def request(self, cli: Cli, **changes: Unpack[WorkspaceChanges]) -> WorkerRequest:
        """Describe an attempt."""
        self.program.parent.mkdir(exist_ok=True)
        request = WorkerRequest(
            run=self.run,
            step=StepName("implement"),
            visit=2,
            slot=1,
            attempt=3,
            role="implementer",
            cli=cli,
            prompt="Do it.",
            nonce=_NONCE,
            workspace=self.workspace(),
            program=self.program.parent,
            label=f"{self.run}/implement/2/1/worker/3",
            fence=4,
            timeout=timedelta(seconds=60),
            output_bytes=4 << 20,
            sandbox=SandboxPolicy(ro_paths=(str(self.program.parent),)),
            egress=(ALLOWED,),
            on_refusal=_unexpected,
        )
        return replace(request, **changes)

    async def hear(self, ear: Ear, task: asyncio.Task[WorkerReport]) -> None:
        """Wait for a word, but not for one that never comes."""
        heard = asyncio.create_task(ear.has_heard.wait())
        waits = (task, heard)
        await asyncio.wait(waits, timeout=self.patience, return_when=asyncio.FIRST_COMPLETED)
        heard.cancel()


def _unexpected(refusal: EgressRefusal) -> None:
    raise AssertionError(refusal)


@dataclass(slots=True)
class Audience:
    """Hears and sees all that comes of an attempt, in its order."""

    heard: list[tuple[Channel, bytes]] = field(default_factory=list)
    refusals: list[EgressRefusal] = field(default_factory=list)
    observed: list[Observation] = field(default_factory=list)

    def of(self, request: WorkerRequest) -> WorkerRequest:
        """Let an attempt be followed."""
        return replace(
            request, on_refusal=self.refusals.append, on_observation=self.observed.append
        )

    def __call__(self, channel: Channel, piece: bytes) -> None:
        """Take a piece of output."""
        self.heard.append((channel, piece))


class WorkerSuite(OnWorker):
    """What is asked of the sandbox, what is passed on, and what is made of the end."""

    def play(self, reply: ScriptedReply | None, **changes: Unpack[WorkspaceChanges]) -> Played:
        """Let a sandbox that runs nothing say what the agent does."""
        sandbox = ScriptedSandbox(lambda _: reply, sleep=_at_once)
        worker = self.subject.make_worker(sandbox, self.user)
        audience = Audience()
        request = audience.of(self.request(self.subject.make_cli(self.program), **changes))
        report = asyncio.run(worker.run(request, audience))
        return Played(
            report=report,
            heard=audience.heard,
            specs=sandbox.specs,
            refusals=audience.refusals,
            observed=audience.observed,
        )

    def check_failed(self, report: WorkerReport) -> None:
        """Expect that nobody could take the report for a success."""
        has_exited = report.result.end is SandboxEnd.EXITED
        is_well = has_exited and report.result.exit_code == 0
        if report.diagnosis is not None:
            assert not report.diagnosis.has_succeeded, report
        else:
            assert not is_well, report

    def test_the_prompt_comes_on_stdin_byte_for_byte(self) -> None:
        for prompt in PROMPTS:
            spec = self.play(replies(self.subject.success), prompt=prompt).spec
            assert self.subject.prompt_in(spec.stdin) == prompt.encode()

    def test_the_prompt_is_nowhere_else(self) -> None:
        mark = secrets.token_hex(8)
        spec = self.play(replies(self.subject.success), prompt=f"Do {mark}.").spec
        assert not any(mark in text for text in (*spec.argv, *spec.environment.values()))

    def test_the_agent_is_told_which_attempt_it_is(self) -> None:
        told = self.play(replies(self.subject.success)).spec.environment
        assert {**told, **attempt_variables(self.run)} == dict(told)
        assert told["GIT_AUTHOR_NAME"] == "Worker"

    def test_the_agent_gets_nothing_of_the_users(self) -> None:
        spec = self.play(replies(self.subject.success)).spec
        given = (*spec.argv, *spec.environment.values(), spec.stdin.decode(errors="replace"))
        assert not any(SECRET in text for text in given)
        assert "TOKEN_OF_THE_USER" not in spec.environment

    def test_it_runs_as_a_worker_under_its_label_and_limits(self) -> None:
        limits = replace(SandboxPolicy().worker, memory=1 << 30, idle_timeout=timedelta(minutes=9))
        policy = SandboxPolicy(ro_paths=("/opt/x",), caches=("pip",), worker=limits)
        spec = self.play(replies(self.subject.success), sandbox=policy, output_bytes=1 << 16).spec
        assert (spec.label, spec.fence) == (f"{self.run}/implement/2/1/worker/3", 4)
        assert (spec.profile, spec.cwd) == (Profile.WORKER, self.ground / "tree")
        assert (spec.timeout, spec.output_bytes) == (timedelta(seconds=60), 1 << 16)
        assert (spec.ro_paths, spec.caches, spec.limits) == (("/opt/x",), ("pip",), limits)

    def test_only_the_workspace_can_be_written(self) -> None:
        for is_writable in (True, False):
            workspace = self.workspace(is_writable=is_writable)
            spec = self.play(replies(self.subject.success), workspace=workspace).spec
            assert set(workspace.mounts) <= set(spec.mounts)
            writable = {mount.target for mount in spec.mounts if mount.is_writable}
            assert writable == ({workspace.path} if is_writable else set())

    def test_every_piece_of_output_is_passed_on_as_it_is(self) -> None:
        said = self.subject.success.stdout
        pieces = (
            (Channel.STDERR, b"\xff\x00 noise \x1b[31m\n"),
            *((Channel.STDOUT, said[at : at + 700]) for at in range(0, len(said), 700)),
            (Channel.STDERR, b"more"),
        )
        played = self.play(ScriptedReply(output=pieces))
        for channel in Channel:
            heard = b"".join(piece for where, piece in played.heard if where is channel)
            assert heard == b"".join(piece for where, piece in pieces if where is channel)

    def test_a_success_holds_the_answer(self) -> None:
        report = self.play(replies(self.subject.success)).report
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 0)
        assert self.subject.success.answer in report.output
        assert report.diagnosis is None or report.diagnosis.has_succeeded

    def test_a_failing_exit_is_a_report(self) -> None:
        failure = self.subject.failure
        report = self.play(replies(failure)).report
        assert report.result.end is SandboxEnd.EXITED
        assert report.result.exit_code == failure.exit_code
        self.check_failed(report)

    def test_words_of_success_do_not_make_up_for_a_failing_exit(self) -> None:
        self.check_failed(self.play(replies(replace(self.subject.success, exit_code=7))).report)

    def test_without_its_last_record_it_has_not_succeeded(self) -> None:
        whole = self.subject.success.stdout
        for said in (b"", whole[: whole.rstrip(b"\n").rfind(b"\n") + 1]):
            report = self.play(replies(Recording(stdout=said))).report
            # A worker without records of its own leaves it to the answer that is missing.
            assert report.diagnosis is None or not report.diagnosis.has_succeeded

    def test_the_way_in_which_it_ended_is_told(self) -> None:
        well = replies(self.subject.success)
        silent = SandboxPolicy(worker=replace(SandboxPolicy().worker, idle_timeout=_SHORT))
        spent = replace(well, usage=Usage(tokens_in=600, tokens_out=400))
        long = replace(well, takes=timedelta(minutes=9))
        for end, played in (
            (SandboxEnd.TIMED_OUT, self.play(long, timeout=_SHORT)),
            (SandboxEnd.IDLE, self.play(long, sandbox=silent)),
            (SandboxEnd.OUTPUT_CAPPED, self.play(well, output_bytes=5)),
            (SandboxEnd.LIMIT_EXCEEDED, self.play(replace(well, limit="memory"))),
            (SandboxEnd.CUT_OFF, self.play(spent, tokens=1000)),
            (SandboxEnd.CUT_OFF, self.play(spent, cost_cap=_A_CENT)),
        ):
            assert played.report.result.end is end
            self.check_failed(played.report)

    def test_a_missing_command_is_a_report_without_an_answer(self) -> None:
        report = self.play(None).report
        assert (report.result.end, report.result.exit_code) == (SandboxEnd.COMMAND_MISSING, None)
        assert report.output == ""
        self.check_failed(report)

    def test_refusals_are_told(self) -> None:
        refused = EgressRefusal(host="evil.test", port=443, reason="not on the list")
        played = self.play(replace(replies(self.subject.success), refusals=(refused,)))
        assert played.refusals == [refused]
        assert played.spec.egress is not None
        assert played.spec.egress.allow == (ALLOWED,)

    def test_what_went_through_the_broker_is_reported(self) -> None:
        seen = Usage(tokens_in=900_000, tokens_out=80_000)
        report = self.play(replace(replies(self.subject.success), usage=seen)).report
        assert (report.usage.tokens_in, report.usage.tokens_out) == (900_000, 80_000)

    def test_usage_is_what_was_told_on_the_way_or_nothing(self) -> None:
        played = self.play(replies(self.subject.success))
        told = [seen.usage for seen in played.observed if isinstance(seen, UsageSeen)]
        assert played.report.usage == (told[-1] if told else NO_USAGE)

    def test_one_worker_serves_two_attempts_at_once(self) -> None:
        def script(spec: SandboxSpec) -> ScriptedReply:
            own = ((Channel.STDERR, spec.label.encode()),)
            said = replies(self.subject.success)
            return replace(said, output=(*own, *said.output), takes=timedelta(seconds=1))

        async def both() -> None:
            worker = self.subject.make_worker(ScriptedSandbox(script, sleep=_at_once), self.user)
            cli = self.subject.make_cli(self.program)
            ears = {label: Ear() for label in ("one", "two")}
            reports = await asyncio.gather(
                *(worker.run(self.request(cli, label=it), ear) for it, ear in ears.items())
            )
            for (label, ear), report in zip(ears.items(), reports, strict=True):
                assert ear.heard[Channel.STDERR].startswith(label.encode())
                assert report.output.count(self.subject.success.answer) == 1

        asyncio.run(both())

    def test_output_is_passed_on_before_the_end_and_a_cancellation_ends_it(self) -> None:
        hanging = replace(replies(self.subject.success), takes=timedelta(minutes=9))
        sandbox = ScriptedSandbox(lambda _: hanging)

        async def scenario() -> None:
            worker = self.subject.make_worker(sandbox, self.user)
            ear = Ear()
            request = self.request(self.subject.make_cli(self.program))
            task = asyncio.create_task(worker.run(request, ear))
            await self.hear(ear, task)
            is_heard = ear.has_heard.is_set()
            assert not task.done()
            task.cancel()
            await asyncio.wait([task])
            assert is_heard
            assert task.cancelled()
            assert await sandbox.reap("", before=99) == 0

        asyncio.run(scenario())


def replies(recording: Recording) -> ScriptedReply:
    """Let a scripted sandbox print a recording."""
    pieces = ((Channel.STDOUT, recording.stdout), (Channel.STDERR, recording.stderr))
    said = tuple((channel, piece) for channel, piece in pieces if piece)
    return ScriptedReply(output=said, exit_code=recording.exit_code)


def attempt_variables(run: RunId) -> dict[str, str]:
    """Return the variables that tell an agent which attempt it is."""
    return {
        "SUPERVISOR_RUN": run,
        "SUPERVISOR_STEP": "implement",
        "SUPERVISOR_ROLE": "implementer",
        "SUPERVISOR_VISIT": "2",
        "SUPERVISOR_SLOT": "1",
        "SUPERVISOR_ATTEMPT": "3",
        "SUPERVISOR_NONCE": _NONCE,
    }


async def _at_once(_: float) -> None:
    """Let time pass without waiting for it."""
    await asyncio.sleep(0)
