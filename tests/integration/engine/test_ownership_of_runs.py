"""At most one owner: who is refused, who takes over, and what becomes of a former owner."""

import asyncio
from datetime import timedelta

import pytest
from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import Kernel, flow, stop, work
from typing_extensions import override

from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.errors import Busy, LeaseLost, NotFound, Unavailable
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.run import cancelled, ending_event
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import Process
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.drive import DriveResult
from supervisor_ai.engine.ports.ledger import Batch, Lease, Leases, StreamAppend
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import (
    PLAIN,
    Landed,
    Landing,
    NotLanded,
    Workspace,
    WorkspacePlan,
)
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import World
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import says

DONE = says(AnswerKind.IMPLEMENTATION)
LANDING = flow(work("build"), stop("commit", StepKind.COMMIT))


def build(request: WorkerRequest) -> FakeReply:
    slow = timedelta(minutes=1) if request.attempt == 1 else timedelta()
    return FakeReply(output=DONE, files={"built.txt": f"{request.attempt}"}, takes=slow)


class Trouble(MemoryWorkspaces):
    """Workspaces whose disk fails when a test says so."""

    def __init__(self, kernel: Kernel) -> None:
        usual = kernel.fakes.workspaces
        super().__init__(usual.commits, usual.refs, usual.branches, usual._directories)
        self.fails_before_landing = False
        self.fails_after_landing = False
        self.fails_to_open = False

    @override
    async def open(
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        if self.fails_to_open:
            raise Unavailable("The disk is full.")
        return await super().open(run, key, fence=fence, start=start, plan=plan)

    @override
    async def land(self, landing: Landing) -> Landed | NotLanded:
        if self.fails_before_landing:
            raise Unavailable("The disk is full.")
        landed = await super().land(landing)
        if self.fails_after_landing:
            raise Unavailable("The disk is full.")
        return landed


def test_a_second_owner_is_refused_by_name(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = kernel.submit(LANDING)
    process, ttl = kernel.world.processes.current(), timedelta(seconds=15)
    kernel.world.leases.acquire(run, owner="the first", process=process, ttl=ttl)
    before = kernel.types(run)
    with pytest.raises(Busy, match="the first"):
        kernel.drive(run, world=kernel.process())
    assert kernel.types(run) == before


def test_an_unknown_run_is_not_taken(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    with pytest.raises(NotFound, match="no-such-run"):
        kernel.drive(RunId("no-such-run"))


def test_a_frozen_owner_is_taken_over_and_stops_itself(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run = kernel.submit(LANDING)
    frozen, heir = kernel.world, kernel.process()

    async def scene() -> tuple[DriveResult | BaseException, DriveResult]:
        first = asyncio.create_task(Runtime(world=frozen, owner="frozen").drive(run))
        await asyncio.sleep(2)
        kernel.fakes.clock.advance(timedelta(seconds=20))
        last = await Runtime(world=heir, owner="heir").drive(run)
        (result,) = await asyncio.gather(first, return_exceptions=True)
        return result, last

    lost, ended = run_virtual(scene())
    assert isinstance(lost, LeaseLost)
    assert ended.status is RunStatus.COMPLETED
    owned = [at for at in kernel.envelopes(run) if isinstance(at.event, e.RunOwned)]
    assert [at.epoch for at in owned] == [1, 2]
    assert len(kernel.events(run, e.AttemptLost)) == 1
    assert len(kernel.events(run, e.IntegrationLanded)) == 1
    assert kernel.fakes.workspaces.open_paths == ()


def test_work_of_a_lost_attempt_is_kept_and_costs_no_retry(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run = kernel.submit(flow(replace(work("build"), max_retries=0)))
    interrupt(kernel, kernel.world, run)
    assert kernel.drive(run, world=kernel.process()).status is RunStatus.COMPLETED
    (lost,) = kernel.events(run, e.AttemptLost)
    assert lost.kept == f"refs/supervisor/{run}/build/1.1.1"
    files = kernel.fakes.workspaces.files(kernel.fakes.workspaces.refs[lost.kept])
    assert files["built.txt"] == "1"
    assert [began.attempt for began in kernel.events(run, e.AttemptStarted)] == [1, 2]


def interrupt(kernel: Kernel, world: World, run: RunId) -> None:
    """Interrupt a drive in the middle of its first deed."""

    async def scene() -> None:
        drive = asyncio.create_task(Runtime(world=world, owner="interrupted").drive(run))
        await asyncio.sleep(2)
        drive.cancel()
        await asyncio.gather(drive, return_exceptions=True)

    run_virtual(scene())
    assert kernel.status(run) is RunStatus.RUNNING


def test_a_failing_disk_ends_the_drive_but_not_the_run(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run = kernel.submit(LANDING)
    trouble = Trouble(kernel)
    world = replace(kernel.world, workspaces=trouble)
    trouble.fails_to_open = True
    with pytest.raises(Unavailable, match="disk is full"):
        kernel.drive(run, world=world)
    trouble.fails_to_open = False
    assert kernel.drive(run, world=world).status is RunStatus.COMPLETED
    assert [lost.kept for lost in kernel.events(run, e.AttemptLost)] == [None]


@pytest.mark.parametrize("losses", [0, 1])
def test_a_landing_without_an_outcome_is_looked_for(open_kernel: OpenKernel, losses: int) -> None:
    kernel = open_kernel(build)
    run = kernel.submit(LANDING)
    trouble = Trouble(kernel)
    world = replace(kernel.world, workspaces=trouble)
    trouble.fails_after_landing = losses == 0
    trouble.fails_before_landing = losses == 1
    with pytest.raises(Unavailable):
        kernel.drive(run, world=world)
    trouble.fails_after_landing = trouble.fails_before_landing = False
    assert kernel.drive(run, world=world).status is RunStatus.COMPLETED
    (landed,) = kernel.events(run, e.IntegrationLanded)
    assert len(kernel.events(run, e.IntegrationLost)) == losses
    commit = kernel.fakes.workspaces.commits[landed.commit]
    assert commit.key == f"{run}/commit/1/1/integrate"
    assert kernel.fakes.workspaces.commits[commit.parent or CommitSha("")].key is None


def test_recovery_twice_is_recovery_once(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run = kernel.submit(LANDING)
    trouble = Trouble(kernel)
    world = replace(kernel.world, workspaces=trouble)
    trouble.fails_to_open = True
    for _ in range(3):
        with pytest.raises(Unavailable):
            kernel.drive(run, world=world)
    lost = [lost.attempt for lost in kernel.events(run, e.AttemptLost)]
    assert lost == [1, 2]
    assert [began.attempt for began in kernel.events(run, e.AttemptStarted)] == [1, 2, 3]


class LateLeases:
    """Leases for somebody who is so slow that the run has ended when he gets his."""

    def __init__(self, world: World) -> None:
        self._world = world

    def acquire(self, run: RunId, *, owner: str, process: Process, ttl: timedelta) -> Lease:
        version = sum(1 for _ in self._world.log.read(run_stream(run)))
        actor = next(self._world.log.read(run_stream(run))).actor
        end = NewEvent(event=ending_event(cancelled()), actor=actor)
        append = StreamAppend(stream=run_stream(run), expected=version, events=(end,))
        self._world.log.append(Batch(appends=(append,)))
        return self._leases.acquire(run, owner=owner, process=process, ttl=ttl)

    def renew(self, lease: Lease, *, ttl: timedelta) -> None:
        self._leases.renew(lease, ttl=ttl)

    def release(self, lease: Lease) -> None:
        self._leases.release(lease)

    @property
    def _leases(self) -> Leases:
        return self._world.leases


def test_a_run_that_ended_while_it_was_taken_is_left_alone(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = kernel.submit(LANDING)
    world = replace(kernel.world, leases=LateLeases(kernel.world))
    assert kernel.drive(run, world=world).status is RunStatus.CANCELLED
    assert kernel.types(run) == ["RunSubmitted", "RunCancelled"]


def test_files_that_a_crash_left_behind_an_ended_run_are_removed(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = kernel.submit(LANDING)
    kernel.drive(run)
    workspaces, base = kernel.fakes.workspaces, kernel.play(run).run.birth.base
    assert base is not None
    key = EffectKey(f"{run}/commit/1/1/gate")
    run_virtual(workspaces.open(run, key, fence=1, start=base.sha))
    assert workspaces.open_paths != ()
    kernel.drive(run)
    assert workspaces.open_paths == ()
