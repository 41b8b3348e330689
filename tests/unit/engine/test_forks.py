"""A fork begins with a prefix of another run's facts; nothing is copied."""

import pytest
from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says


def build(request: WorkerRequest) -> FakeReply:
    files = {"built.txt": f"by {request.run}"}
    return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files=files)


def fork(kernel: Kernel, run: RunId, *, version: int, **changes: object) -> RunId:
    birth = kernel.envelopes(run)[0]
    assert isinstance(birth.event, e.RunSubmitted)
    name = RunId("fork")
    point = ForkPoint(run=run, version=version)
    event = replace(birth.event, fork=point, branch=f"ai/{name}", root=name)
    event = replace(event, **changes)  # type: ignore[arg-type]
    new = NewEvent(event=event, actor=birth.actor)
    append = StreamAppend(stream=run_stream(name), expected=0, events=(new,))
    kernel.world.log.append(Batch(appends=(append,)))
    return name


def test_a_fork_goes_on_from_where_the_other_run_was() -> None:
    kernel = Kernel(None, build)
    run = kernel.submit(flow(work("one"), work("two"), stop("commit", StepKind.COMMIT)))
    kernel.drive(run)
    passed = next(at for at in kernel.envelopes(run) if isinstance(at.event, e.StepPassed))
    name = fork(kernel, run, version=passed.version + 1)
    assert kernel.drive(name).status is RunStatus.COMPLETED
    assert [began.step for began in kernel.events(name, e.AttemptStarted)] == ["two"]
    branches = kernel.fakes.workspaces.branches
    assert set(branches) == {f"ai/{run}", f"ai/{name}"}
    assert kernel.fakes.workspaces.files(branches[f"ai/{name}"])["built.txt"] == f"by {name}"


def test_a_fork_goes_on_under_another_definition() -> None:
    kernel = Kernel(None, build)
    definition = flow(work("one"), work("two"), stop("commit", StepKind.COMMIT))
    run = kernel.submit(definition)
    kernel.drive(run)
    passed = next(at for at in kernel.envelopes(run) if isinstance(at.event, e.StepPassed))
    other = replace(definition, limits=replace(definition.limits, workflow_max_steps=9))
    pinned = kernel.world.documents.save(other)
    name = fork(kernel, run, version=passed.version + 1, definition=pinned)
    assert kernel.play(name).run.definition == pinned
    assert kernel.drive(name).status is RunStatus.COMPLETED


def test_a_fork_after_the_landing_lands_on_its_own_branch() -> None:
    kernel = Kernel(None, build)
    run = kernel.submit(flow(work("one"), stop("commit", StepKind.COMMIT), work("two")))
    kernel.drive(run)
    landed = next(at for at in kernel.envelopes(run) if isinstance(at.event, e.IntegrationLanded))
    name = fork(kernel, run, version=landed.version + 2)
    playback = kernel.play(name)
    assert playback.run.id == name
    assert playback.run.open == {}
    assert kernel.drive(name).status is RunStatus.COMPLETED


def test_a_stream_that_is_no_run_cannot_be_played() -> None:
    kernel = Kernel(None)
    run = kernel.submit(flow(work("one")))
    owned = e.RunStarted(driver="workflow", parent=None, root=run)
    new = NewEvent(event=owned, actor=kernel.envelopes(run)[0].actor)
    stray = RunId("stray")
    append = StreamAppend(stream=run_stream(stray), expected=0, events=(new,))
    kernel.world.log.append(Batch(appends=(append,)))
    with pytest.raises(NotFound, match="stray"):
        kernel.play(stray)
