"""What a run makes of attempts that fail: how often, how soon, and when a person is asked."""

from datetime import timedelta

import pytest
from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Limits
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.diagnosis import ACTIONS, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import END_ACTIONS, SandboxEnd
from supervisor_ai.testing.fake_worker import FakeReply

MANY = Limits(step_max_retries=20)


def driven(reply: FakeReply, definition: Definition) -> tuple[Kernel, RunId]:
    """Drive a run until it ends or only waits for a person, an hour at most."""
    kernel = Kernel(None, lambda _request: reply)
    run = kernel.submit(definition)
    for _ in range(60):
        result = kernel.drive(run)
        if result.due is None:
            break
        kernel.fakes.clock.advance(timedelta(minutes=1))
    return kernel, run


def attempts(kernel: Kernel, run: RunId) -> int:
    return len(kernel.events(run, e.AttemptStarted))


@pytest.mark.parametrize("failures", [1, 2, 5])
def test_the_breaker_lets_no_attempt_through_after_its_number(failures: int) -> None:
    kernel = Kernel(None, lambda _request: FakeReply(output="no answer"))
    breaker = BreakerPolicy(failures=failures, rest=timedelta(hours=1))
    run = kernel.submit(replace(flow(work("build"), limits=MANY), breaker=breaker))
    kernel.drive(run)
    assert attempts(kernel, run) == failures


@pytest.mark.parametrize(
    ("reply", "tries", "status"),
    [
        (FakeReply(exit_code=1), 2, RunStatus.WAITING),
        (FakeReply(end=SandboxEnd.TIMED_OUT), 4, RunStatus.FAILED),
        (FakeReply(end=SandboxEnd.IDLE), 4, RunStatus.FAILED),
        (FakeReply(end=SandboxEnd.SANDBOX_FAILED), 4, RunStatus.FAILED),
        (FakeReply(end=SandboxEnd.OUTPUT_CAPPED), 1, RunStatus.WAITING),
        (FakeReply(end=SandboxEnd.LIMIT_EXCEEDED), 1, RunStatus.WAITING),
        (FakeReply(end=SandboxEnd.COMMAND_MISSING), 1, RunStatus.WAITING),
        (FakeReply(output="no answer"), 4, RunStatus.FAILED),
    ],
)
def test_how_often_it_is_tried(reply: FakeReply, tries: int, status: RunStatus) -> None:
    definition = flow(work("build"), limits=Limits(step_max_retries=3))
    kernel, run = driven(reply, definition)
    assert (attempts(kernel, run), kernel.status(run)) == (tries, status)


@pytest.mark.parametrize(
    ("category", "tries", "status"),
    [
        (FailureCategory.NETWORK, 4, RunStatus.FAILED),
        (FailureCategory.CLI_ERROR, 2, RunStatus.WAITING),
        (FailureCategory.VALIDATION, 4, RunStatus.FAILED),
        (FailureCategory.PARSING, 4, RunStatus.FAILED),
        (FailureCategory.LOGIC, 4, RunStatus.FAILED),
        (FailureCategory.RESOURCE, 1, RunStatus.WAITING),
        (FailureCategory.AUTH, 1, RunStatus.WAITING),
    ],
)
def test_every_category_has_its_way(
    category: FailureCategory, tries: int, status: RunStatus
) -> None:
    diagnosis = Diagnosis(message="bad", category=category, action=ACTIONS[category])
    definition = flow(work("build"), limits=Limits(step_max_retries=3))
    for reply in (
        FakeReply(diagnosis=diagnosis),
        FakeReply(diagnosis=replace(diagnosis, action=None)),
    ):
        kernel, run = driven(reply, definition)
        assert (attempts(kernel, run), kernel.status(run)) == (tries, status)


def test_every_end_has_its_action() -> None:
    assert END_ACTIONS.keys() == set(SandboxEnd) - {SandboxEnd.EXITED}


def test_a_crash_is_followed_by_a_rest() -> None:
    kernel = Kernel(None, lambda _request: FakeReply(exit_code=1))
    run = kernel.submit(flow(work("build")))
    assert kernel.drive(run).due is not None
    assert attempts(kernel, run) == 1
