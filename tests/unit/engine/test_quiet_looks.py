"""Looks of a run that only waits: what brings no news is recorded as one timer and nothing else."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import pytest
from tests.support.kernel import Kernel
from tests.unit.domain.pull_request_scene import (
    DEMAND,
    GREEN,
    LIMITED,
    PENDING,
    QUIET,
    RED,
    Sight,
    builds,
    check,
    published,
    seen,
)
from typing_extensions import override

from supervisor_ai.domain.errors import LeaseLost
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import FollowPolicy
from supervisor_ai.domain.run.inbox_commands import Cancel
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import CheckState, NotSeen, PullRequestView
from supervisor_ai.engine.world import Timing
from supervisor_ai.testing.fake_forge import FakeForge

AWAITED = replace(GREEN, remarks=(DEMAND,), open_demands=1)


@dataclass
class Scene:
    """A run that follows a pull request, and has seen it once."""

    first: Sight
    policy: FollowPolicy | None = None

    def __post_init__(self) -> None:
        self.kernel = Kernel(None, builds)
        self.forge = self.kernel.fakes.forge
        self.run: RunId = self.kernel.submit(published(self.policy))
        self.kernel.drive(self.run)
        self.look(self.first)

    def look(self, sight: Sight) -> list[str]:
        """Let the time of the next look come; return what was recorded of it."""
        before = len(self.kernel.envelopes(self.run))
        self.forge.sights.append(sight)
        self.wait()
        self.kernel.drive(self.run)
        return self.kernel.types(self.run)[before:]

    def wait(self) -> None:
        clock, timers = self.kernel.fakes.clock, self.kernel.play(self.run).run.timers
        clock.advance(min(timer.due for timer in timers.values()) - clock.now())

    @property
    def waits(self) -> list[float]:
        """Return for how long looks were waited for."""
        sets = [it for it in self.kernel.envelopes(self.run) if isinstance(it.event, e.TimerSet)]
        return [
            (it.event.due - it.recorded_at).total_seconds()
            for it in sets
            if isinstance(it.event, e.TimerSet) and it.event.parks
        ]


def unreachable(number: int) -> NotSeen:
    said = f"read tcp 10.0.0.1:{50_000 + number}: i/o timeout"
    return NotSeen(reason="The forge does not answer.", detail=said, is_passing=True)


@pytest.mark.parametrize("sight", [PENDING, LIMITED])
def test_a_look_without_news_costs_one_timer_and_nothing_else(sight: Sight) -> None:
    scene = Scene(sight)
    workers = len(scene.kernel.fakes.worker.requests)
    for number in range(20):
        assert scene.look(sight) == ["TimerSet"], number
        assert scene.kernel.status(scene.run) is RunStatus.WAITING
    assert len(scene.forge.looks) == 21
    assert len(scene.kernel.fakes.worker.requests) == workers
    assert len(scene.kernel.events(scene.run, e.RunOwned)) == 2


def test_a_reviewer_is_waited_for_at_the_same_price() -> None:
    scene = Scene(AWAITED)
    scene.look(AWAITED)
    assert [scene.look(AWAITED) for _ in range(5)] == [["TimerSet"]] * 5
    scene.look(GREEN)
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


def test_that_nobody_answers_is_no_news_in_whatever_words_it_is_said() -> None:
    scene = Scene(unreachable(0))
    assert [scene.look(unreachable(it)) for it in range(1, 6)] == [["TimerSet"]] * 5
    assert scene.waits == [60, 120, 240, 480, 900, 900, 900]
    assert "PullRequestUnseen" in scene.look(LIMITED)
    assert "PullRequestSeen" in scene.look(PENDING)


def test_news_are_recorded_as_ever_and_not_looked_for_twice() -> None:
    scene = Scene(PENDING)
    scene.look(PENDING)
    assert scene.look(seen(check(CheckState.PENDING), check(CheckState.PASSED, "lint"))) == [
        "RunOwned",
        "TimerFired",
        "RunContinued",
        "PullRequestLookStarted",
        "PullRequestSeen",
        "TimerSet",
        "RunWaiting",
    ]
    assert len(scene.forge.looks) == 3
    assert scene.waits == [60, 60, 90, 60]
    scene.look(RED)
    assert len(scene.forge.looks) == 4
    assert [it.standing.value for it in scene.kernel.events(scene.run, e.PullRequestSeen)] == [
        "pending",
        "pending",
        "red",
    ]


def test_another_process_goes_on_where_the_last_one_stopped() -> None:
    scene = Scene(PENDING)
    for _ in range(3):
        scene.look(PENDING)
        scene.kernel.world = replace(scene.kernel.process(), log=scene.kernel.world.log)
    assert scene.waits == [60, 60, 90, 135, 202.5]


@pytest.mark.parametrize("sight", [QUIET, replace(GREEN, head=CommitSha("f" * 40))])
def test_looks_that_are_counted_are_recorded(sight: Sight) -> None:
    scene = Scene(sight)
    assert "PullRequestSeen" in scene.look(sight)


def test_the_end_of_a_round_is_not_waited_past() -> None:
    scene = Scene(PENDING, FollowPolicy(timeout=timedelta(hours=1)))
    while not scene.kernel.events(scene.run, e.ApprovalRequested):
        scene.look(PENDING)
    (asked,) = scene.kernel.events(scene.run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.PULL_REQUEST_ROUNDS
    assert len(scene.kernel.events(scene.run, e.PullRequestSeen)) == 2


@dataclass(slots=True, kw_only=True)
class SlowForge(FakeForge):
    """A forge that takes its time, and during whose answers something happens."""

    kernel: Kernel
    run: RunId
    seconds: float
    is_cancelled: bool = False

    @override
    async def look(
        self, url: str, *, ci: bool = True, reviews: bool = True
    ) -> PullRequestView | NotSeen:
        if self.is_cancelled:
            self.kernel.send(self.run, "stop", Cancel())
        await asyncio.sleep(self.seconds)
        return await FakeForge.look(self, url, ci=ci, reviews=reviews)


def slow(scene: Scene, *, is_cancelled: bool) -> None:
    forge = SlowForge(kernel=scene.kernel, run=scene.run, seconds=40.0, is_cancelled=is_cancelled)
    forge.requests, forge.sights = scene.forge.requests, scene.forge.sights
    scene.forge = forge
    scene.kernel.world = replace(scene.kernel.world, forge=forge)


def test_a_command_of_a_person_goes_before_a_look() -> None:
    scene = Scene(PENDING)
    slow(scene, is_cancelled=True)
    said = scene.look(PENDING)
    assert scene.kernel.status(scene.run) is RunStatus.CANCELLED
    assert "CancelRequested" in said
    assert scene.forge.looks == []


def test_whoever_looks_for_long_stays_the_owner() -> None:
    scene = Scene(PENDING)
    slow(scene, is_cancelled=False)
    assert scene.look(PENDING) == ["TimerSet"]


def test_whoever_lost_the_run_while_looking_writes_nothing() -> None:
    scene = Scene(PENDING)
    slow(scene, is_cancelled=False)
    other = replace(scene.kernel.process(), timing=Timing(lease=timedelta(seconds=1)))

    class Thief(SlowForge):
        @override
        async def look(self, url: str, *, ci: bool = True, reviews: bool = True) -> PullRequestView:
            self.kernel.fakes.dead.add(1)
            other.leases.acquire(
                self.run, owner="thief", process=other.processes.current(), ttl=timedelta(hours=1)
            )
            await asyncio.sleep(40)
            return PENDING

    thief = Thief(kernel=scene.kernel, run=scene.run, seconds=0)
    scene.kernel.world = replace(scene.kernel.world, forge=thief)
    facts = len(scene.kernel.envelopes(scene.run))
    scene.wait()
    with pytest.raises(LeaseLost):
        scene.kernel.drive(scene.run)
    assert len(scene.kernel.envelopes(scene.run)) == facts
