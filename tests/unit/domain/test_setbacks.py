"""What a workflow makes of failed attempts: again, later, by another agent, or with a person."""

from datetime import timedelta

import pytest
from tests.support.kernel import CLI
from tests.unit.domain.setback_scene import (
    BUILDER,
    BUSY,
    GARBLED,
    WELL,
    Ward,
    definition,
)

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Limits
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.failures.retries import ParkingPolicy, RetryPolicy
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.setbacks import next_agent
from supervisor_ai.drivers.moves.slots import Approach, Slot

LIMITED = Diagnosis(message="Limit.", category=FailureCategory.LIMIT, action=Action.PARK)
KEYLESS = Diagnosis(message="No key.", category=FailureCategory.AUTH, action=Action.FAIL_OVER)
HOPELESS = Diagnosis(message="No.", category=FailureCategory.CLI_ERROR, action=Action.ESCALATE)


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
