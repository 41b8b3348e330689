"""Workers that are members of a session while they work, and those that cannot be."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.members import Newcomer
from supervisor_ai.engine.ports.workers import MemberDoor
from supervisor_ai.testing.fake_worker import FakeReply

ALONE = flow(replace(work("build"), max_retries=0))
TOGETHER = replace(ALONE, session=SessionId("S1"))


class CountedDoors:
    """Doors that lead nowhere; who went in and out is known."""

    def __init__(self) -> None:
        self.went: list[tuple[str, int]] = []
        self.inside = 0

    def remove_left(self, run: RunId) -> None:
        raise AssertionError(f"Nobody left anything of {run}.")

    def open(self, newcomer: Newcomer) -> AbstractAsyncContextManager[MemberDoor]:
        return self._opened(newcomer)

    @asynccontextmanager
    async def _opened(self, newcomer: Newcomer) -> AsyncIterator[MemberDoor]:
        self.went.append((f"{newcomer.session}/{newcomer.role}", newcomer.attempt))
        self.inside += 1
        try:
            yield MemberDoor(member="m", socket=Path("/nowhere/s"), token="t")
        finally:
            self.inside -= 1


def test_a_worker_of_a_session_is_given_a_door_that_is_closed_behind_it() -> None:
    kernel, doors = Kernel(None), CountedDoors()
    run = kernel.submit(TOGETHER)
    assert kernel.drive(run, world=replace(kernel.world, doors=doors)).status is RunStatus.COMPLETED
    (request,) = kernel.fakes.worker.requests
    assert request.door is not None
    assert request.door.member == "m"
    assert doors.went == [(f"S1/{request.role}", 1)]
    assert doors.inside == 0


def test_a_worker_that_fails_leaves_its_door_closed() -> None:
    kernel, doors = Kernel(None, lambda _: FakeReply(output="?", exit_code=1)), CountedDoors()
    run = kernel.submit(TOGETHER)
    kernel.drive(run, world=replace(kernel.world, doors=doors))
    assert kernel.events(run, e.AttemptFailed)
    assert doors.inside == 0


def test_a_worker_of_no_session_has_no_door() -> None:
    kernel = Kernel(None)
    kernel.drive(kernel.submit(ALONE))
    (request,) = kernel.fakes.worker.requests
    assert request.door is None


def test_who_cannot_take_part_is_not_started_and_a_person_is_asked() -> None:
    kernel = Kernel(None)
    run = kernel.submit(TOGETHER)
    assert kernel.drive(run).status is RunStatus.WAITING
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert failed.category is FailureCategory.CLI_ERROR
    assert failed.reason == "Nobody can take part in session 'S1' from here."
    assert kernel.fakes.worker.requests == []
