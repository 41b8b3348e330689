"""What a workflow makes of failed attempts: again, later, by another agent, or with a person."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.support.kernel import CLI, Kernel, flow, work

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Cli, Definition, Limits
from supervisor_ai.domain.run.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.retries import ParkingPolicy, RetryPolicy
from supervisor_ai.domain.run.setbacks import next_agent
from supervisor_ai.domain.run.slots import Approach, Slot
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, RunStatus
from supervisor_ai.engine.ports.sandbox import OutputSink, SandboxEnd, SandboxResult
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest
from supervisor_ai.engine.world import World
from supervisor_ai.testing.fake_worker import NONCE
from supervisor_ai.testing.world import says

BUILDER = AnswerKind.IMPLEMENTATION.value
DONE = SandboxResult(end=SandboxEnd.EXITED, exit_code=0, reason="It ended.")
WELL = Diagnosis(message="All is well.")
BUSY = Diagnosis(message="Busy.", category=FailureCategory.NETWORK, action=Action.RETRY_SAME)
GARBLED = Diagnosis(
    message="Garbled.", category=FailureCategory.PARSING, action=Action.RETRY_WITH_FEEDBACK
)
LIMITED = Diagnosis(message="Limit.", category=FailureCategory.LIMIT, action=Action.PARK)
KEYLESS = Diagnosis(message="No key.", category=FailureCategory.AUTH, action=Action.FAIL_OVER)
HOPELESS = Diagnosis(message="No.", category=FailureCategory.CLI_ERROR, action=Action.ESCALATE)


class Patient:
    """A worker of which is known beforehand what each attempt leads to."""

    def __init__(self, *diagnoses: Diagnosis) -> None:
        self._diagnoses: Iterator[Diagnosis] = iter(diagnoses)
        self.requests: list[WorkerRequest] = []

    @property
    def agents(self) -> list[str]:
        return [request.cli.name for request in self.requests]

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        del on_output
        self.requests.append(request)
        output = says(AnswerKind.IMPLEMENTATION).replace(NONCE, request.nonce)
        return WorkerReport(result=DONE, output=output, diagnosis=next(self._diagnoses))


class Ward:
    """A kernel whose worker has a known future."""

    def __init__(self, definition: Definition, *diagnoses: Diagnosis) -> None:
        self.kernel = Kernel(None)
        self.patient = Patient(*diagnoses)
        self.run: RunId = self.kernel.submit(definition)

    @property
    def world(self) -> World:
        return replace(self.kernel.world, workers=lambda _adapter: self.patient)

    def drive(self) -> RunStatus:
        return self.kernel.drive(self.run, world=self.world).status

    def wait(self) -> RunStatus:
        """Let time pass until the next timer is due."""
        self.kernel.fakes.clock.advance(self.due - self.kernel.fakes.clock.now())
        return self.drive()

    @property
    def due(self) -> datetime:
        return self.kernel.events(self.run, e.TimerSet)[-1].due

    def outcome(self) -> OutcomeKind:
        (failed,) = self.kernel.events(self.run, e.RunFailed)
        return failed.outcome.kind


def definition(*fallback: str, retries: int = 2, **changes: object) -> Definition:
    plain = flow(work("build"), limits=Limits(step_max_retries=retries))
    role = replace(plain.roles[BUILDER], fallback=fallback)
    clis = {name: Cli(name=name, adapter="fake") for name in (CLI.name, *fallback)}
    whole = replace(plain, roles={**plain.roles, BUILDER: role}, clis=clis)
    return replace(whole, **changes)  # type: ignore[arg-type]


def test_trouble_on_the_way_is_tried_again_after_a_while_with_the_same_words() -> None:
    ward = Ward(definition(), BUSY, BUSY, WELL)
    assert ward.drive() is RunStatus.RUNNING
    first = ward.due - ward.kernel.fakes.clock.now()
    assert timedelta(seconds=1.8) <= first <= timedelta(seconds=2.2)
    assert ward.drive() is RunStatus.RUNNING
    assert len(ward.patient.requests) == 1
    assert ward.wait() is RunStatus.RUNNING
    second = ward.due - ward.kernel.fakes.clock.now()
    assert timedelta(seconds=3.6) <= second <= timedelta(seconds=4.4)
    assert ward.wait() is RunStatus.COMPLETED
    assert len({request.prompt for request in ward.patient.requests}) == 1


def test_a_garbled_answer_is_tried_again_at_once_with_what_was_wrong() -> None:
    ward = Ward(definition(), GARBLED, WELL)
    assert ward.drive() is RunStatus.COMPLETED
    first, second = ward.patient.requests
    assert "Garbled." not in first.prompt
    assert "Garbled." in second.prompt


def test_the_tries_are_counted_and_then_the_run_fails() -> None:
    ward = Ward(definition(retries=1), GARBLED, GARBLED)
    assert ward.drive() is RunStatus.FAILED
    assert ward.outcome() is OutcomeKind.WORKER_FAILED


def test_a_step_may_name_its_policy() -> None:
    quick = RetryPolicy(name="quick", max_attempts=2, initial_delay=timedelta(milliseconds=1))
    plain = definition(retries=9)
    (name,) = plain.workflow.steps
    step = replace(plain.workflow.steps[name], retry_policy="quick")
    workflow = replace(plain.workflow, steps={name: step})
    ward = Ward(replace(plain, workflow=workflow, retries={"quick": quick}), BUSY, BUSY)
    assert ward.drive() is RunStatus.RUNNING
    assert ward.wait() is RunStatus.FAILED


def test_a_limit_is_waited_for_and_costs_no_try() -> None:
    ward = Ward(definition(retries=0), LIMITED, LIMITED, WELL)
    assert ward.drive() is RunStatus.WAITING
    first = ward.due - ward.kernel.fakes.clock.now()
    assert ward.wait() is RunStatus.WAITING
    assert ward.due - ward.kernel.fakes.clock.now() > first
    assert ward.wait() is RunStatus.COMPLETED
    assert len(ward.patient.requests) == 3


def test_the_time_of_a_wait_is_not_the_runs() -> None:
    limits = Limits(workflow_timeout=timedelta(minutes=1), step_max_retries=0)
    ward = Ward(definition(limits=limits), LIMITED, WELL)
    assert ward.drive() is RunStatus.WAITING
    assert ward.kernel.events(ward.run, e.TimerCancelled)
    assert ward.wait() is RunStatus.COMPLETED


def test_who_does_not_want_to_wait_fails() -> None:
    parking = ParkingPolicy(is_allowed=False)
    ward = Ward(definition(parking=parking), LIMITED)
    assert ward.drive() is RunStatus.FAILED


def test_the_next_agent_goes_on_and_has_tries_of_its_own() -> None:
    ward = Ward(definition("second", "third", retries=1), KEYLESS, GARBLED, KEYLESS, GARBLED, WELL)
    assert ward.drive() is RunStatus.COMPLETED
    assert ward.patient.agents == [CLI.name, "second", "second", "third", "third"]


def test_after_the_last_agent_a_person_is_asked() -> None:
    ward = Ward(definition("second"), KEYLESS, KEYLESS, WELL)
    assert ward.drive() is RunStatus.WAITING
    (asked,) = ward.kernel.events(ward.run, e.ApprovalRequested)
    assert asked.question is not None
    assert ward.kernel.world.artifacts.get(asked.question) == "No key."


def test_what_nobody_can_mend_is_a_persons_question_at_once() -> None:
    ward = Ward(definition("second"), HOPELESS)
    assert ward.drive() is RunStatus.WAITING
    assert ward.patient.agents == [CLI.name]


@pytest.mark.parametrize(
    ("now", "following"),
    [(None, "b"), ("a", "b"), ("b", "c"), ("c", None), ("gone", "a")],
)
def test_agents_follow_each_other(now: str | None, following: str | None) -> None:
    role = replace(definition().roles[BUILDER], cli="a", fallback=("b", "c"))
    way = None if now is None else Approach(cli=now)
    assert next_agent(role, Slot(approach=way)) == following
