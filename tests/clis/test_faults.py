"""What goes wrong around real CLIs, and what is made of it."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.clis.stage import INSTALLED, KEY, Stage
from tests.clis.vocabulary import PLANTED

from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerReport
from supervisor_ai.lab.server import LabServer

pytestmark = [pytest.mark.long, pytest.mark.parametrize("adapter", INSTALLED)]


def fail(stage: Stage, trouble: dict[str, object]) -> WorkerReport:
    with LabServer([{**trouble, "times": -1}]) as lab:
        report = stage.play(lab)
    assert report.diagnosis is not None
    assert report.result.exit_code != 0
    assert KEY not in stage.said
    return report


def test_a_key_that_is_not_accepted_is_a_matter_of_auth(stage: Stage) -> None:
    report = fail(stage, {"status": 401})
    assert report.diagnosis is not None
    assert report.diagnosis.category is FailureCategory.AUTH, report.diagnosis


def test_too_many_requests_are_a_limit(stage: Stage) -> None:
    report = fail(stage, {"status": 429, "headers": {"retry-after": "2"}})
    assert report.diagnosis is not None
    assert report.diagnosis.category is FailureCategory.LIMIT, report.diagnosis


def test_a_limit_that_says_when_it_ends_is_waited_for(stage: Stage) -> None:
    report = fail(stage, {"status": 429, "reset": 7200})
    assert report.diagnosis is not None
    assert report.diagnosis.action is Action.PARK
    assert report.diagnosis.reset_at is not None
    away = report.diagnosis.reset_at - datetime.now(UTC)
    assert timedelta(minutes=110) < away < timedelta(minutes=125)


def test_a_server_in_trouble_is_a_matter_of_the_network(stage: Stage) -> None:
    report = fail(stage, {"status": 500})
    assert report.diagnosis is not None
    assert report.diagnosis.category is FailureCategory.NETWORK, report.diagnosis


def test_what_a_filter_holds_back_is_for_a_person(stage: Stage) -> None:
    with LabServer([{"text": "", "stop": "refusal"}]) as lab:
        report = stage.play(lab)
    assert report.diagnosis is not None
    found = (report.diagnosis.category, report.diagnosis.action)
    assert found == (FailureCategory.LOGIC, Action.ESCALATE), report.diagnosis


@pytest.mark.parametrize("trouble", [{"status": 401}, {"status": 429}, {"status": 500}])
def test_a_cli_asks_at_most_twice_before_it_gives_up(
    stage: Stage, trouble: dict[str, object]
) -> None:
    with LabServer([{**trouble, "times": -1}]) as lab:
        stage.play(lab)
    assert 1 <= len(lab.requests) <= 2


def test_the_traps_would_have_been_run_if_nothing_stood_before_them(stage: Stage) -> None:
    unguarded = replace(stage.profile, covers=(), shields=())
    stage.write(stage.words.traps)
    with LabServer([{"text": json.dumps({"done": True})}]) as lab:
        stage.play(lab, profile=unguarded)
    assert (stage.tree / PLANTED).exists()
