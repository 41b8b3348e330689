"""The loop of a drive, with drivers that decide odd things."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import Kernel, flow, stop, work
from tests.support.scripted_driver import Nothing, ScriptedDriver

from supervisor_ai.domain.errors import InternalError, NotFound
from supervisor_ai.domain.ids import RunId, StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Limits, StepKind
from supervisor_ai.domain.run.effects import SetTimer
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import opener
from supervisor_ai.engine.world import World

SOON, LATE = TimerName("soon"), TimerName("late")
STEP = StepName("nap")
DONE = Outcome(kind=OutcomeKind.DONE, reason="Slept well.")
NAPS = Decision(
    effects=(
        SetTimer(timer=SOON, after=timedelta(minutes=1), parks=True),
        SetTimer(timer=LATE, after=timedelta(hours=1), parks=True),
    )
)


def scripted(kernel: Kernel, script: Callable[[Run], Decision]) -> tuple[World, RunId]:
    drivers = {ScriptedDriver.name: opener(ScriptedDriver(script))}
    run = kernel.submit(Nothing(), driver=ScriptedDriver.name)
    return replace(kernel.world, drivers=drivers), run


def test_a_run_that_waits_for_one_time_more_can_end(open_kernel: OpenKernel) -> None:
    def nap(run: Run) -> Decision:
        if not run.timers and not run.fired:
            return NAPS
        if SOON in run.fired:
            entered = e.StepEntered(step=STEP, visit=1, start=None)
            ending = Ending(status=RunStatus.COMPLETED, outcome=DONE)
            return Decision(events=(entered,), ending=ending)
        return Decision()

    kernel = open_kernel()
    world, run = scripted(kernel, nap)
    assert kernel.drive(run, world=world).status is RunStatus.WAITING
    kernel.fakes.clock.advance(timedelta(minutes=2))
    assert kernel.drive(run, world=world).status is RunStatus.COMPLETED
    assert kernel.types(run)[-4:] == ["TimerFired", "RunContinued", "StepEntered", "RunCompleted"]


def test_a_run_that_waits_for_one_time_more_can_go_on(open_kernel: OpenKernel) -> None:
    def nap(run: Run) -> Decision:
        if not run.timers and not run.fired:
            return NAPS
        if run.fired == {SOON}:
            return Decision(effects=(SetTimer(timer=SOON, after=timedelta(minutes=1), parks=True),))
        return Decision()

    kernel = open_kernel()
    world, run = scripted(kernel, nap)
    kernel.drive(run, world=world)
    kernel.fakes.clock.advance(timedelta(minutes=2))
    result = kernel.drive(run, world=world)
    assert result.status is RunStatus.WAITING
    assert kernel.types(run)[-4:] == ["TimerFired", "RunContinued", "TimerSet", "RunWaiting"]


def test_a_driver_that_wants_nothing_is_a_bug(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    world, run = scripted(kernel, lambda _run: Decision())
    with pytest.raises(InternalError, match="wants nothing"):
        kernel.drive(run, world=world)


def test_a_driver_that_never_rests_is_a_bug(open_kernel: OpenKernel) -> None:
    def restless(run: Run) -> Decision:
        del run
        return Decision(events=(e.StepPassed(step=STEP, visit=1),))

    kernel = open_kernel()
    world, run = scripted(kernel, restless)
    with pytest.raises(InternalError, match="never comes to rest"):
        kernel.drive(run, world=world)
    assert "StepPassed" not in kernel.types(run)


def test_a_run_of_an_unknown_driver_names_the_known_ones(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    run = kernel.submit(Nothing(), driver="elsewhere")
    with pytest.raises(NotFound, match=r"'elsewhere'; known drivers: .*workflow"):
        kernel.drive(run)


def test_people_are_not_on_the_clock(open_kernel: OpenKernel) -> None:
    kernel = open_kernel()
    limits = Limits(workflow_timeout=timedelta(minutes=10))
    definition = flow(work("build"), stop("ask", StepKind.HUMAN), work("more"), limits=limits)
    run = kernel.submit(definition)
    assert kernel.drive(run).due is None
    assert len(kernel.events(run, e.TimerCancelled)) == 1
    kernel.fakes.clock.advance(timedelta(days=1))
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=1, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.TimerSet)) == 2
