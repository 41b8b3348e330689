"""Work that cannot be kept: the attempt fails or is lost, the run goes on, and can be stopped."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.support.kernel import Kernel, flow, stop, work
from typing_extensions import override

from supervisor_ai.domain.errors import (
    Conflict,
    HostFailure,
    InternalError,
    InvalidInput,
    LeaseLost,
    NotFound,
    Unavailable,
)
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, Cancel, Command, Reject
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import LeftOut, LeftOutSink, Workspace
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.world import says

DONE = says(AnswerKind.IMPLEMENTATION)
ONCE = flow(replace(work("build"), max_retries=1))
ERRORS = [
    Unavailable("Git does not work."),
    InvalidInput("A path is wrong."),
    NotFound("It is gone."),
    Conflict("Git refuses."),
    InternalError("A bug."),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    RecursionError("too deep"),
]


class Refusing(MemoryWorkspaces):
    """Workspaces of which nothing can be kept or removed."""

    def __init__(self, kernel: Kernel, error: Exception) -> None:
        fakes = kernel.fakes.workspaces
        super().__init__(commits=fakes.commits, refs=fakes.refs, branches=fakes.branches)
        self._error = error

    @override
    async def snapshot(
        self,
        workspace: Workspace,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> Snapshot:
        raise self._error

    @override
    async def keep_lost(
        self,
        run: RunId,
        key: EffectKey,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> str | None:
        raise self._error

    @override
    async def close(self, workspace: Workspace) -> None:
        raise Unavailable("It cannot be removed.")

    @override
    async def forget(self, run: RunId) -> None:
        raise Unavailable("It cannot be removed.")


class Choosy(MemoryWorkspaces):
    """Workspaces that leave something out whenever they keep something."""

    def __init__(self, kernel: Kernel, paths: list[str]) -> None:
        fakes = kernel.fakes.workspaces
        super().__init__(commits=fakes.commits, refs=fakes.refs, branches=fakes.branches)
        self._paths = paths

    @override
    async def snapshot(
        self,
        workspace: Workspace,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> Snapshot:
        assert on_left_out is not None
        for path in self._paths:
            on_left_out(LeftOut(path=path, reason="it is too large"))
        return await super().snapshot(workspace, ref=ref, at=at)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_snapshot_that_cannot_be_made_is_a_failed_attempt(error: Exception) -> None:
    kernel = Kernel(None, lambda _request: FakeReply(output=DONE))
    world = replace(kernel.world, workspaces=Refusing(kernel, error))
    run = kernel.submit(ONCE)
    assert kernel.drive(run, world=world).status is RunStatus.WAITING
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert (failed.category, failed.snapshot) == (FailureCategory.RESOURCE, None)
    assert "could not be kept" in failed.reason
    assert [it.reason for it in kernel.events(run, e.FilesLeftOut)] == [failed.reason]
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert (asked.reason, asked.question) == (ApprovalReason.BLOCKED, failed.feedback)


@pytest.mark.parametrize(
    ("word", "status"),
    [
        (Approve, RunStatus.COMPLETED),
        (Reject, RunStatus.FAILED),
        (None, RunStatus.CANCELLED),
    ],
    ids=["go on", "leave it", "cancel"],
)
def test_a_person_says_what_follows_where_nothing_could_be_kept(
    word: type[Approve] | type[Reject] | None, status: RunStatus
) -> None:
    kernel = Kernel(None, lambda _request: FakeReply(output=DONE))
    run = kernel.submit(ONCE)
    kernel.drive(run, world=replace(kernel.world, workspaces=Refusing(kernel, ERRORS[0])))
    (asked,) = kernel.events(run, e.ApprovalRequested)
    note = kernel.world.artifacts.put("There is room again.")
    said: Command = Cancel(reason=None)
    if word is not None:
        said = word(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    kernel.send(run, "word", said)
    assert kernel.drive(run).status is status


def test_work_that_a_failing_disk_cannot_keep_is_lost_and_costs_no_retry() -> None:
    kernel = Kernel(None, lambda _request: FakeReply(output=DONE))
    broken = HostFailure("No space.", hint="Free some.")
    world = replace(kernel.world, workspaces=Refusing(kernel, broken))
    run = kernel.submit(flow(replace(work("build"), max_retries=0)))
    for _ in range(3):
        with pytest.raises(HostFailure):
            kernel.drive(run, world=world)
    assert kernel.status(run) is RunStatus.RUNNING
    assert not kernel.events(run, e.AttemptLost)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.AttemptLost)) == 1
    assert not kernel.events(run, e.AttemptFailed)
    assert not kernel.events(run, e.ApprovalRequested)


def test_a_run_whose_disk_fails_can_be_cancelled() -> None:
    kernel = Kernel(None, killed)
    run = killed_in_an_attempt(kernel)
    world = replace(kernel.world, workspaces=Refusing(kernel, HostFailure("No space.")))
    with pytest.raises(HostFailure):
        kernel.drive(run, world=world)
    kernel.send(run, "stop", Cancel(reason=None))
    assert kernel.drive(run, world=world).status is RunStatus.CANCELLED
    assert "No space." in kernel.events(run, e.FilesLeftOut)[0].reason


def test_who_lost_its_lease_is_told_so() -> None:
    kernel = Kernel(None, lambda _request: FakeReply(output=DONE))
    world = replace(kernel.world, workspaces=Refusing(kernel, LeaseLost("Taken over.")))
    run = kernel.submit(ONCE)
    with pytest.raises(LeaseLost):
        kernel.drive(run, world=world)
    with pytest.raises(LeaseLost):
        kernel.drive(run, world=world)


def test_a_worker_that_failed_by_itself_failed_for_its_own_reason() -> None:
    kernel = Kernel(None, lambda _request: FakeReply(exit_code=3))
    world = replace(kernel.world, workspaces=Refusing(kernel, ERRORS[0]))
    run = kernel.submit(ONCE)
    kernel.drive(run, world=world)
    assert kernel.events(run, e.AttemptFailed)[0].reason == "The worker exited with code 3."


class Killed(BaseException):
    """The process is gone."""


def killed(request: WorkerRequest) -> FakeReply:
    del request
    raise Killed


def slow(request: WorkerRequest) -> FakeReply:
    del request
    return FakeReply(output=DONE, takes=timedelta(minutes=9))


def queued(kernel: Kernel) -> RunId:
    return kernel.submit(ONCE)


def killed_in_an_attempt(kernel: Kernel) -> RunId:
    run = kernel.submit(ONCE)
    with pytest.raises(Killed):
        kernel.drive(run)
    assert kernel.play(run).run.status is RunStatus.RUNNING
    return run


def waiting_for_a_person(kernel: Kernel) -> RunId:
    run = kernel.submit(flow(stop("ask", StepKind.HUMAN), work("build")))
    assert kernel.drive(run).status is RunStatus.WAITING
    return run


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("before", [queued, killed_in_an_attempt, waiting_for_a_person])
def test_a_run_in_any_state_can_be_cancelled_without_a_snapshot(
    before: Callable[[Kernel], RunId], error: Exception
) -> None:
    kernel = Kernel(None, killed)
    run = before(kernel)
    kernel.send(run, "stop", Cancel(reason=None))
    world = replace(kernel.world, workspaces=Refusing(kernel, error))
    assert kernel.drive(run, world=world).status is RunStatus.CANCELLED
    assert kernel.drive(run, world=world).status is RunStatus.CANCELLED


def test_an_attempt_under_way_is_cancelled_without_a_snapshot() -> None:
    kernel = Kernel(None, slow)
    run = kernel.submit(ONCE)

    class Stopping(Refusing):
        @override
        async def program(
            self, run: RunId, base: CommitSha, *, hides: tuple[str, ...] = ()
        ) -> Path:
            kernel.send(run, "stop", Cancel(reason=None))
            await asyncio.sleep(0)
            return await super().program(run, base, hides=hides)

    world = replace(kernel.world, workspaces=Stopping(kernel, ERRORS[0]))
    assert kernel.drive(run, world=world).status is RunStatus.CANCELLED
    (left,) = kernel.events(run, e.FilesLeftOut)
    assert "Git does not work." in left.reason


def test_what_is_left_out_is_a_fact_with_names_that_can_be_read() -> None:
    kernel = Kernel(None, lambda _request: FakeReply(output=DONE))
    paths = ["a\x1b[31m\nb", "x" * 4_000, "\u202egpj.exe", *map(str, range(20))]
    world = replace(kernel.world, workspaces=Choosy(kernel, paths))
    run = kernel.submit(ONCE)
    assert kernel.drive(run, world=world).status is RunStatus.COMPLETED
    (left,) = kernel.events(run, e.FilesLeftOut)
    assert (left.count, len(left.paths), left.reason) == (23, 10, "it is too large")
    assert left.paths[0] == "a b"
    assert len(left.paths[1]) < 250
    assert left.paths[2] == "<U+202E>gpj.exe"
    assert left.report is not None
    assert kernel.world.artifacts.get(left.report).endswith("19: it is too large")


@pytest.mark.parametrize("first", [says(AnswerKind.IMPLEMENTATION, status="FAILED"), "no answer"])
def test_the_next_attempt_is_told_what_was_left_out(first: str) -> None:
    prompts: list[str] = []

    def reply(request: WorkerRequest) -> FakeReply:
        prompts.append(request.prompt)
        return FakeReply(output=DONE if len(prompts) > 1 else first)

    kernel = Kernel(None, reply)
    paths = ["a\x1b[31m\nb", *(f"pipe-{number}" for number in range(20))]
    world = replace(kernel.world, workspaces=Choosy(kernel, paths))
    assert kernel.drive(kernel.submit(ONCE), world=world).status is RunStatus.COMPLETED
    before, after = prompts
    assert "pipe-0" not in before
    named = "\n".join(("a b", *(f"pipe-{number}" for number in range(9))))
    assert f"build: {named}\nand 11 more\nWhy: it is too large" in after
    assert "\x1b" not in after


def test_the_next_attempt_is_told_that_nothing_could_be_kept() -> None:
    prompts: list[str] = []

    def reply(request: WorkerRequest) -> FakeReply:
        prompts.append(request.prompt)
        return FakeReply(output="no answer" if len(prompts) == 1 else DONE)

    kernel = Kernel(None, reply)
    run = kernel.submit(ONCE)
    world = replace(kernel.world, workspaces=Refusing(kernel, ERRORS[0]))
    kernel.drive(run, world=world)
    assert "The work of this attempt could not be kept: Git does not work." in prompts[1]
