"""Letters: what other processes ask of a run, and what its owner makes of it."""

from datetime import timedelta

from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import PERSON, Kernel, flow, stop, work
from typing_extensions import override

from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, Step, StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, Cancel, Migrate, Reject
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import Landed, Landing, NotLanded
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.world import says

DONE = says(AnswerKind.IMPLEMENTATION)
ASKING = flow(
    work("build"),
    replace(stop("ask", StepKind.HUMAN), on_reject=StepName("build")),
    stop("commit", StepKind.COMMIT),
)


def build(request: WorkerRequest) -> FakeReply:
    return FakeReply(output=DONE, files={"built.txt": f"visit {request.visit}"})


def ask(kernel: Kernel) -> tuple[RunId, e.ApprovalRequested]:
    run = kernel.submit(ASKING)
    assert kernel.drive(run).status is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    return run, asked


def yes(asked: e.ApprovalRequested) -> Approve:
    return Approve(step=asked.step, visit=asked.visit, tree=asked.tree)


def test_an_approval_lets_the_run_land(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, asked = ask(kernel)
    kernel.fakes.clock.advance(timedelta(days=3))
    assert kernel.send(run, "yes", yes(asked))
    assert not kernel.send(run, "yes", yes(asked))
    result = kernel.drive(run, world=kernel.process())
    assert result.status is RunStatus.COMPLETED
    given = next(at for at in kernel.envelopes(run) if isinstance(at.event, e.ApprovalGiven))
    assert (given.actor, given.cause) == (PERSON, "letter:yes")
    (landed,) = kernel.events(run, e.IntegrationLanded)
    assert kernel.fakes.workspaces.files(landed.commit)["built.txt"] == "visit 1"
    assert kernel.fakes.workspaces.branches == {f"ai/{run}": landed.commit}


def test_a_rejection_sends_the_run_back_with_the_reason(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, asked = ask(kernel)
    note = kernel.world.artifacts.put("Not like that.")
    no = Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    kernel.send(run, "no", no)
    assert kernel.drive(run).status is RunStatus.WAITING
    entered = kernel.events(run, e.StepEntered)
    assert [(at.step, at.visit) for at in entered][2:] == [("build", 2), ("ask", 2)]
    assert [told.artifact for told in entered[2].feedback] == [note]
    assert "Not like that." in kernel.fakes.worker.requests[-1].prompt


def test_an_approval_of_another_tree_is_refused(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, asked = ask(kernel)
    kernel.send(run, "wrong", replace(yes(asked), tree=TreeSha("another")))
    assert kernel.drive(run).status is RunStatus.WAITING
    (refused,) = kernel.events(run, e.CommandRefused)
    assert refused.letter == "wrong"
    assert "another" in refused.reason
    assert kernel.world.inbox.pending(run) == []


def test_an_approval_that_nobody_asked_for_is_refused(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, asked = ask(kernel)
    kernel.send(run, "early", replace(yes(asked), visit=2))
    kernel.drive(run)
    assert [refused.letter for refused in kernel.events(run, e.CommandRefused)] == ["early"]


def test_a_letter_to_an_ended_run_changes_nothing(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, asked = ask(kernel)
    kernel.send(run, "yes", yes(asked))
    kernel.drive(run)
    before = kernel.types(run)
    assert kernel.send(run, "late", Cancel())
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert kernel.types(run) == before
    assert kernel.world.wakes.orphans(now=kernel.world.clock.now()) == []


def test_a_cancel_stops_the_worker_and_keeps_its_work(open_kernel: OpenKernel) -> None:
    def slow(request: WorkerRequest) -> FakeReply:
        kernel.send(request.run, "stop", Cancel(reason=ArtifactHash("because")))
        return replace(build(request), takes=timedelta(hours=1))

    kernel = open_kernel(slow)
    run = kernel.submit(ASKING)
    began = kernel.world.clock.now()
    assert kernel.drive(run).status is RunStatus.CANCELLED
    (ended,) = kernel.events(run, e.RunCancelled)
    assert ended.outcome.kind is OutcomeKind.CANCELLED
    assert kernel.types(run)[-3:] == ["CancelRequested", "AttemptCancelled", "RunCancelled"]
    assert kernel.envelopes(run)[-1].recorded_at - began < timedelta(seconds=2)
    workspaces = kernel.fakes.workspaces
    kept = workspaces.refs[f"refs/supervisor/{run}/build/1.1.1"]
    assert workspaces.files(kept)["built.txt"] == "visit 1"
    assert workspaces.open_paths == ()


def test_a_queued_run_is_cancelled_before_anything_happens(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run = kernel.submit(ASKING)
    kernel.send(run, "stop", Cancel())
    assert kernel.drive(run).status is RunStatus.CANCELLED
    assert kernel.fakes.worker.requests == []


class CancelledLanding(MemoryWorkspaces):
    """Workspaces where somebody cancels the run while its work lands."""

    def __init__(self, kernel: Kernel) -> None:
        usual = kernel.fakes.workspaces
        super().__init__(usual.commits, usual.refs, usual.branches, usual._directories)
        self._kernel = kernel

    @override
    async def land(self, landing: Landing) -> Landed | NotLanded:
        self._kernel.send(landing.run, "stop", Cancel())
        await self._kernel.world.clock.sleep(5)
        return await super().land(landing)


def test_an_integration_under_way_is_let_finish(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, asked = ask(kernel)
    kernel.send(run, "yes", yes(asked))
    world = replace(kernel.world, workspaces=CancelledLanding(kernel))
    assert kernel.drive(run, world=world).status is RunStatus.CANCELLED
    (landed,) = kernel.events(run, e.IntegrationLanded)
    assert kernel.fakes.workspaces.branches[f"ai/{run}"] == landed.commit


def test_a_run_goes_on_under_another_definition(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, asked = ask(kernel)
    pinned = kernel.play(run).run.definition
    steps = ASKING.workflow.steps
    others = {name: at for name, at in steps.items() if name != "commit"}
    ask_last = replace(steps[StepName("ask")], next=None)
    short = redefined({**others, StepName("ask"): ask_last})
    wanted = kernel.world.documents.save(short)
    kernel.send(run, "migrate", Migrate(definition=wanted))
    kernel.send(run, "yes", yes(asked))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (migrated,) = kernel.events(run, e.DefinitionMigrated)
    assert (migrated.previous, migrated.definition) == (pinned, wanted)
    assert kernel.events(run, e.IntegrationLanded) == []
    assert kernel.play(run).run.definition == wanted


def test_a_definition_without_a_visited_step_is_refused(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run, _ = ask(kernel)
    other = redefined({StepName("new"): work("new")})
    kernel.send(run, "migrate", Migrate(definition=kernel.world.documents.save(other)))
    assert kernel.drive(run).status is RunStatus.WAITING
    (refused,) = kernel.events(run, e.CommandRefused)
    assert "'build'" in refused.reason
    assert "'ask'" in refused.reason
    assert kernel.events(run, e.DefinitionMigrated) == []


def test_a_definition_that_changes_what_is_under_way_is_refused(open_kernel: OpenKernel) -> None:
    gate = redefined({StepName("build"): stop("build", StepKind.GATE)})

    def slow(request: WorkerRequest) -> FakeReply:
        kernel.send(request.run, "migrate", Migrate(definition=kernel.world.documents.save(gate)))
        return replace(build(request), takes=timedelta(seconds=5))

    kernel = open_kernel(slow)
    run = kernel.submit(flow(work("build")))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (refused,) = kernel.events(run, e.CommandRefused)
    assert "kind 'role'" in refused.reason


def redefined(steps: dict[StepName, Step]) -> Definition:
    workflow = replace(ASKING.workflow, initial_step=next(iter(steps)), steps=steps)
    return replace(ASKING, workflow=workflow)
