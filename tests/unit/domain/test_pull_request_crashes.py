"""A followed pull request survives the death of its owner before and after every commit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from tests.support.kernel import Kernel
from tests.unit.domain.pull_request_scene import GREEN, PENDING, RED, builds, published
from typing_extensions import override

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import CommitSha, RunId, StreamId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import NotOpened, Opened, PullRequest, PullRequestView
from supervisor_ai.engine.ports.ledger import Batch, EventLog, Head
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.fake_forge import FakeForge

CHECKS_TAKE = timedelta(seconds=100)


class Died(BaseException):
    """A process is gone without a word."""


@dataclass(slots=True, kw_only=True)
class MortalLog:
    """A log whose process dies at one of its writes."""

    log: EventLog
    at: int
    is_written: bool
    """Whether the write still counts."""
    writes: int = 0

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        self.writes += 1
        if self.writes != self.at:
            return self.log.append(batch)
        if self.is_written:
            self.log.append(batch)
        raise Died

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        return self.log.read(stream, after=after, upto=upto)

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self.log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self.log.head()


@dataclass(slots=True, kw_only=True)
class FirstIsRed(FakeForge):
    """A forge whose checks take their time; they fail for the first commit that is pushed."""

    clock: FakeClock
    pushed: dict[CommitSha, datetime] = field(default_factory=dict)

    @override
    async def open(self, request: PullRequest) -> Opened | NotOpened:
        self.pushed.setdefault(request.commit, self.clock.now())
        return await FakeForge.open(self, request)

    @override
    async def look(self, url: str, *, ci: bool = True, reviews: bool = True) -> PullRequestView:
        del url, ci, reviews
        head, since = list(self.pushed.items())[-1]
        sight = RED if len(self.pushed) == 1 else GREEN
        if self.clock.now() - since < CHECKS_TAKE:
            sight = PENDING
        return replace(sight, head=head)


@dataclass
class Scene:
    """A run whose first owner dies at a write, and the owner that comes after it."""

    at: int
    is_written: bool

    def __post_init__(self) -> None:
        self.kernel = Kernel(None, builds)
        self.forge = FirstIsRed(clock=self.kernel.fakes.clock)
        self.run = self.kernel.submit(published())
        world = replace(self.kernel.world, forge=self.forge)
        self.mortal = MortalLog(log=world.log, at=self.at, is_written=self.is_written)
        self.first = replace(world, log=self.mortal)
        self.second = replace(self.kernel.process(), forge=self.forge)

    def play(self) -> None:
        """Let the first owner drive as far as it lives, and the second one to the end."""
        try:
            self._drive(self.run, is_first=True)
        except Died:
            self.kernel.kill(1)
            self._drive(self.run, is_first=False)

    def _drive(self, run: RunId, *, is_first: bool) -> None:
        world, clock = self.first if is_first else self.second, self.kernel.fakes.clock
        while (result := self.kernel.drive(run, world=world)).due is not None:
            clock.advance(result.due - clock.now())

    def count(self, kind: type[e.RunEvent]) -> int:
        return len(self.kernel.events(self.run, kind))


def writes_of_a_whole_run() -> int:
    scene = Scene(at=0, is_written=False)
    scene.play()
    return scene.mortal.writes


@pytest.mark.parametrize("is_written", [True, False])
def test_whoever_dies_the_same_two_commits_are_pushed_and_seen(*, is_written: bool) -> None:
    writes = writes_of_a_whole_run()
    assert writes > 20
    for at in range(1, writes + 1):
        scene = Scene(at=at, is_written=is_written)
        scene.play()
        kernel, run = scene.kernel, scene.run
        assert kernel.status(run) is RunStatus.COMPLETED, at
        standings = [it.standing.value for it in kernel.events(run, e.PullRequestSeen)]
        assert list(dict.fromkeys(standings)) == ["pending", "red", "green"], at
        assert (standings.count("red"), standings.count("green")) == (1, 1), at
        assert scene.count(e.IntegrationLanded) == 2, at
        assert (len(scene.forge.pushed), len(scene.forge.urls)) == (2, 1), at
        assert scene.count(e.PullRequestLookLost) + scene.count(e.PullRequestLost) <= 1, at
