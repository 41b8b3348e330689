"""Work that lands when a person completes the task, over restarts; and what it is called."""

import pytest
from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.git_flow.policy import GitPolicy
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import Landed, Landing, NotLanded
from supervisor_ai.testing.fake_worker import FakeReply, FakeScript
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.world import says

PLANNED = flow(work("plan", AnswerKind.PLAN), work("build"), stop("commit", StepKind.COMMIT))
COMMIT = StepName("commit")


def task(definition: Definition = PLANNED) -> Definition:
    return replace(definition, git=GitPolicy(auto_commit=False))


def agent(**plan: str) -> FakeScript:
    def work(request: WorkerRequest) -> FakeReply:
        if request.step == "plan":
            return FakeReply(output=says(AnswerKind.PLAN, **plan))
        files = {"src/auth.py": "x = 1\n", "tests/test_auth.py": "y = 2\n"}
        return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files=files)

    return work


def complete(kernel: Kernel, run: RunId, key: str = "done") -> None:
    [*_, asked] = kernel.events(run, e.ApprovalRequested)
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, completes=True)
    assert kernel.send(run, key, yes)


def message(kernel: Kernel, run: RunId) -> str:
    [*_, landed] = kernel.events(run, e.IntegrationLanded)
    return kernel.fakes.workspaces.commits[landed.commit].note.partition("\nIdentity")[0]


def test_nothing_lands_before_a_person_completes_the_task() -> None:
    kernel = Kernel(None, agent())
    run = kernel.submit(task())
    assert kernel.drive(run).status is RunStatus.WAITING
    [asked] = kernel.events(run, e.ApprovalRequested)
    assert (asked.reason, asked.step) == (ApprovalReason.COMPLETION, COMMIT)
    assert kernel.fakes.workspaces.branches == {}
    # A process that dies and another that looks again cost nothing and ask nothing twice.
    kernel.kill(1)
    later = kernel.process()
    before = kernel.types(run)
    assert kernel.drive(run, world=replace(later, log=kernel.world.log)).status is RunStatus.WAITING
    assert [it for it in kernel.types(run)[len(before) :] if it != "RunOwned"] == []
    complete(kernel, run)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.IntegrationLanded)) == 1


def test_an_approval_does_not_complete_a_task() -> None:
    kernel = Kernel(None, agent())
    run = kernel.submit(task())
    kernel.drive(run)
    [asked] = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.WAITING
    [refused] = kernel.events(run, e.CommandRefused)
    assert "waits until the task is completed" in refused.reason


def test_a_task_is_not_completed_where_something_else_is_asked() -> None:
    kernel = Kernel(None, agent())
    run = kernel.submit(flow(work("build"), stop("sign", StepKind.HUMAN)))
    kernel.drive(run)
    complete(kernel, run)
    assert kernel.drive(run).status is RunStatus.WAITING
    [refused] = kernel.events(run, e.CommandRefused)
    assert "not whether the task is complete" in refused.reason


def test_work_that_is_not_right_goes_back_and_is_asked_about_again() -> None:
    kernel = Kernel(None, agent())
    run = kernel.submit(task())
    kernel.drive(run)
    [asked] = kernel.events(run, e.ApprovalRequested)
    note = kernel.world.artifacts.put("Not so.")
    kernel.send(run, "no", Reject(step=COMMIT, visit=1, tree=asked.tree, note=note))
    assert kernel.drive(run).status is RunStatus.WAITING
    again = kernel.events(run, e.ApprovalRequested)[-1]
    assert (again.reason, again.visit) == (ApprovalReason.COMPLETION, 2)


class Refusing(MemoryWorkspaces):
    """A repository that refuses the first landing."""

    refusals: tuple[NotLanded, ...] = ()

    async def land(self, landing: Landing) -> Landed | NotLanded:  # type: ignore[explicit-override]
        if self.refusals:
            first, *rest = self.refusals
            self.refusals = tuple(rest)
            return first
        return await super().land(landing)


def refusing(kernel: Kernel, refusal: NotLanded) -> Kernel:
    own = kernel.fakes.workspaces
    made = Refusing(commits=own.commits, refs=own.refs, branches=own.branches)
    made.refusals = (refusal,)
    kernel.fakes.workspaces = made
    kernel.world = replace(kernel.world, workspaces=made)
    return kernel


NO_KEY = NotLanded(reason="The commit could not be signed.", lacks_signature=True)


def test_a_refused_landing_of_a_task_waits_and_is_tried_again() -> None:
    kernel = refusing(Kernel(None, agent()), NotLanded(reason="The branch is checked out."))
    run = kernel.submit(task())
    kernel.drive(run)
    complete(kernel, run)
    assert kernel.drive(run).status is RunStatus.WAITING
    asked = kernel.events(run, e.ApprovalRequested)[-1]
    assert (asked.reason, asked.visit) == (ApprovalReason.COMPLETION, 1)
    assert kernel.world.artifacts.get(asked.question or ArtifactHash("")) == (
        "The branch is checked out."
    )
    complete(kernel, run, "again")
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_commit_that_cannot_be_signed_waits_for_a_person() -> None:
    kernel = refusing(Kernel(None, agent()), NO_KEY)
    run = kernel.submit(PLANNED)
    assert kernel.drive(run).status is RunStatus.WAITING
    [asked] = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.LANDING
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    [refused] = kernel.events(run, e.IntegrationRefused)
    assert refused.lacks_signature


def test_other_refusals_end_a_run_that_nobody_completes() -> None:
    kernel = refusing(Kernel(None, agent()), NotLanded(reason="It conflicts."))
    run = kernel.submit(PLANNED)
    assert kernel.drive(run).status is RunStatus.FAILED
    [ended] = kernel.events(run, e.RunFailed)
    assert ended.outcome.kind is OutcomeKind.REJECTED


@pytest.mark.parametrize(
    ("definition", "plan", "subject"),
    [
        (PLANNED, {}, "Do it."),
        (PLANNED, {"commit_type": "fix", "commit_scope": "login"}, "fix(login): Do it"),
        (task(), {}, "feat(auth): Do it"),
        (task(), {"commit_type": "docs"}, "docs: Do it"),
    ],
)
def test_a_commit_is_called_as_the_plan_says(
    definition: Definition, plan: dict[str, str], subject: str
) -> None:
    kernel = Kernel(None, agent(**plan))
    run = kernel.submit(definition)
    if kernel.drive(run).status is RunStatus.WAITING:
        complete(kernel, run)
        kernel.drive(run)
    assert message(kernel, run) == subject


def test_an_erased_plan_says_nothing() -> None:
    kernel = Kernel(None, agent(commit_type="fix"))
    run = kernel.submit(task())
    kernel.drive(run)
    plan = next(it.answer for it in kernel.events(run, e.AttemptSucceeded))
    kernel.world.artifacts.erase(plan)
    complete(kernel, run)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert message(kernel, run) == "feat(auth): Do it"
