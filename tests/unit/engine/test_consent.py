"""A run acts only on a definition that the user agreed to."""

import json

import pytest
from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.inbox_commands import Cancel, Migrate
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.engine.pinned import pinned_powers
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

ASKING = flow(work("build"), stop("ask", StepKind.HUMAN), stop("commit", StepKind.COMMIT))


def build(request: WorkerRequest) -> FakeReply:
    return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files={"built": request.run})


def test_nothing_is_written_or_started_for_a_run_that_was_not_agreed_to() -> None:
    kernel = Kernel(None, build)
    kernel.fakes.consent.refused = {"sandbox", "clis.test"}
    run = kernel.submit(ASKING)
    with pytest.raises(Denied, match=r"what run .* was started with: .*sandbox") as caught:
        kernel.drive(run)
    assert caught.value.hint == "Look at it and agree, if you do: supervisor trust"
    assert kernel.types(run) == ["RunSubmitted"]
    kernel.fakes.consent.refused = set()
    assert kernel.drive(run).status is RunStatus.WAITING


def test_where_a_run_is_held_is_agreed_to_as_well() -> None:
    kernel = Kernel(None, build)
    kernel.fakes.consent.refused = {"run.sandbox"}
    with pytest.raises(Denied, match=r"run\.sandbox"):
        kernel.drive(kernel.submit(ASKING))


def test_a_word_that_was_taken_back_stops_the_next_drive() -> None:
    kernel = Kernel(None, build)
    run = kernel.submit(ASKING)
    kernel.drive(run)
    before = kernel.types(run)
    kernel.fakes.consent.refused = {"workflow"}
    with pytest.raises(Denied):
        kernel.drive(run)
    assert kernel.types(run) == before


def test_a_run_that_was_not_agreed_to_can_be_cancelled() -> None:
    kernel = Kernel(None, build)
    kernel.fakes.consent.refused = {"sandbox"}
    run = kernel.submit(ASKING)
    kernel.send(run, "stop", Cancel())
    assert kernel.drive(run).status is RunStatus.CANCELLED
    assert not kernel.events(run, e.AttemptStarted)


def test_a_letter_cannot_bring_a_definition_that_was_not_agreed_to() -> None:
    kernel = Kernel(None, build)
    run = kernel.submit(ASKING)
    kernel.drive(run)
    other = kernel.world.artifacts.put('{"hooks": 1}')
    kernel.fakes.consent.refused = {"hooks"}
    kernel.send(run, "other", Migrate(definition=other))
    assert kernel.drive(run).status is RunStatus.WAITING
    (refused,) = kernel.events(run, e.CommandRefused)
    assert refused.reason == "You have not agreed to what the other definition asks for."
    assert not kernel.events(run, e.DefinitionMigrated)


def test_every_part_of_a_definition_is_asked_about() -> None:
    document = {
        "workflow": {"name": "x"},
        "clis": {"b": {"command": ["b"]}, "a": {}},
        "gates": [],
        "new": None,
    }
    powers = {
        power.key: power.value for power in pinned_powers(json.dumps(document), sandbox="podman")
    }
    assert powers == {
        "clis.a": "{}",
        "clis.b": '{"command": ["b"]}',
        "gates": "[]",
        "new": "null",
        "run.sandbox": '"podman"',
        "workflow": '{"name": "x"}',
    }


@pytest.mark.parametrize("document", ["[1]", "", "{", "[" * 100_000])
def test_what_is_no_definition_is_one_power(document: str) -> None:
    power, _ = pinned_powers(document, sandbox="bubblewrap")
    assert power.key == "*"
