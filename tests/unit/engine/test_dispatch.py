"""The dispatcher: who is served, how many at once, and what happens to those who fail."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from supervisor_ai.domain.errors import Busy, LeaseLost, SupervisorError, Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.engine.dispatch import LocalDispatcher, Shift
from supervisor_ai.engine.drive import DriveResult
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import Fakes

DONE = DriveResult(status=RunStatus.COMPLETED)
A, B, C = RunId("a"), RunId("b"), RunId("c")


class Office:
    """A dispatcher, and everything that it did."""

    def __init__(self, *runs: RunId) -> None:
        self.fakes = Fakes()
        self.driven: list[tuple[RunId, float]] = []
        self.failed: list[tuple[RunId, str]] = []
        self.under_way = 0
        self.most_at_once = 0
        self.dispatcher = LocalDispatcher(
            self.fakes.ledger, self.fakes.clock, poll=timedelta(seconds=1)
        )
        for run in runs:
            self.dispatcher.submit(run, wake=1)

    def serve(
        self,
        drive: Callable[[RunId], DriveResult],
        *,
        limit: int = 2,
        seconds: float = 100,
        serves: Callable[[RunId], bool] = lambda _run: True,
    ) -> None:
        async def driving(run: RunId) -> DriveResult:
            self.driven.append((run, self.fakes.clock.boottime()))
            self.under_way += 1
            self.most_at_once = max(self.most_at_once, self.under_way)
            try:
                await asyncio.sleep(3)
                return drive(run)
            finally:
                self.under_way -= 1

        def fail(run: RunId, error: SupervisorError) -> None:
            self.failed.append((run, error.message))

        shift = Shift(
            limit=limit,
            serves=serves,
            is_over=lambda _is_idle: self.fakes.clock.boottime() >= seconds,
            failed=fail,
        )
        run_virtual(self.dispatcher.serve(driving, shift))


def done(run: RunId) -> DriveResult:
    del run
    return DONE


def failing(error: SupervisorError) -> Callable[[RunId], DriveResult]:
    def drive(run: RunId) -> DriveResult:
        del run
        raise error

    return drive


def test_every_wake_is_answered_once() -> None:
    office = Office(A, B, C)
    office.serve(done)
    assert [run for run, _ in office.driven] == [A, B, C]
    assert office.most_at_once == 2
    assert office.fakes.ledger.due(now=office.fakes.clock.now()) == []


def test_a_run_is_driven_by_one_task_at_a_time() -> None:
    office = Office(A)
    office.dispatcher.submit(A, wake=2)
    office.serve(done)
    assert [run for run, _ in office.driven] == [A]


def test_a_wake_waits_for_its_time() -> None:
    office = Office()
    later = office.fakes.clock.now() + timedelta(seconds=30)
    office.dispatcher.submit(A, wake=1, not_before=later)
    office.serve(done)
    assert [(run, round(at)) for run, at in office.driven] == [(A, 30)]


def test_others_runs_are_left_to_others() -> None:
    office = Office(A, B)
    office.serve(done, serves=lambda run: run == B)
    assert [run for run, _ in office.driven] == [B]


def test_a_drive_that_failed_is_told_and_tried_again_later() -> None:
    office = Office(A)
    office.serve(failing(Unavailable("The disk is full.")), seconds=35)
    assert office.failed == [(A, "The disk is full.")]
    assert [round(at) for _, at in office.driven] == [0, 33]


@pytest.mark.parametrize(("error", "times"), [(Busy("Taken."), 0), (LeaseLost("Lost."), 1)])
def test_only_a_lost_run_is_a_failure_among_the_busy(error: Busy, times: int) -> None:
    office = Office(A)
    office.serve(failing(error), seconds=20)
    assert len(office.failed) == times


def test_a_shift_that_ends_stops_what_is_under_way() -> None:
    office = Office(A)
    office.serve(done, seconds=1)
    assert [run for run, _ in office.driven] == [A]
    assert office.under_way == 0
    assert len(office.fakes.ledger.due(now=office.fakes.clock.now())) == 1


def test_a_bug_that_one_run_meets_does_not_stop_the_others() -> None:
    office = Office(A, B)

    def drive(run: RunId) -> DriveResult:
        if run == A:
            raise ZeroDivisionError("oh")
        return DONE

    office.serve(drive, seconds=20)
    assert office.failed == [(A, "Run 'a' met a bug: ZeroDivisionError: oh")]
    assert [run for run, _ in office.driven].count(B) == 1
