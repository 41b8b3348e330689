"""Landing a snapshot: the message, the refusal, the missing identity."""

import pytest
from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.git_flow.commit_message import commit_message
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

LANDING = flow(work("build"), stop("commit", StepKind.COMMIT))


def build(request: WorkerRequest) -> FakeReply:
    del request
    return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files={"README": "Changed."})


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("Add a page", "Add a page"),
        ("  Add a page\n\nwith words ", "Add a page\n\nAdd a page\n\nwith words"),
        ("x" * 80, f"{'x' * 71}…\n\n{'x' * 80}"),
    ],
)
def test_the_first_line_of_the_task_is_the_subject(task: str, message: str) -> None:
    assert commit_message(task) == message


def test_a_branch_that_conflicts_ends_the_run() -> None:
    kernel = Kernel(None, build)
    run = kernel.submit(LANDING)
    workspaces = kernel.fakes.workspaces
    base = kernel.play(run).run.birth.base
    assert base is not None
    workspaces.branches[f"ai/{run}"] = workspaces.commit({"README": "Mine."}, parent=base.sha)
    assert kernel.drive(run).status is RunStatus.FAILED
    (refused,) = kernel.events(run, e.IntegrationRefused)
    assert "README" in refused.reason
    (ended,) = kernel.events(run, e.RunFailed)
    assert ended.outcome.kind is OutcomeKind.REJECTED


def test_a_run_without_an_identity_cannot_commit() -> None:
    kernel = Kernel(None, build)
    birth = kernel.envelopes(kernel.submit(LANDING))[0]
    assert isinstance(birth.event, e.RunSubmitted)
    nobody = NewEvent(event=replace(birth.event, identity=None), actor=birth.actor)
    run = RunId("nobody")
    append = StreamAppend(stream=run_stream(run), expected=0, events=(nobody,))
    kernel.world.log.append(Batch(appends=(append,)))
    with pytest.raises(InternalError, match="no identity"):
        kernel.drive(run)


def test_work_that_changed_nothing_makes_no_commit() -> None:
    kernel = Kernel(None)
    run = kernel.submit(LANDING)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert kernel.events(run, e.IntegrationStarted) == []
    assert kernel.fakes.workspaces.branches == {}
