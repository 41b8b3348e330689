"""What came of an attempt: answers, exit codes, silence and sandboxes that do not work."""

import pytest
from tests.support.kernel import Kernel, flow, work
from typing_extensions import override

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    OutputSink,
    SandboxEnd,
    SandboxResult,
)
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest
from supervisor_ai.engine.ports.workspaces import PLAIN, Workspace, WorkspacePlan
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.world import agrees, says

DONE = says(AnswerKind.IMPLEMENTATION)
ONCE = flow(replace(work("build"), max_retries=0))


class BrokenWorker:
    """A worker whose sandbox does not work as it should."""

    def __init__(self, end: SandboxEnd) -> None:
        self._end = end

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        del request
        on_output(Channel.STDERR, b"oh no")
        result = SandboxResult(end=self._end, exit_code=None, reason=f"It was {self._end}.")
        return WorkerReport(result=result, output=DONE)


def only_failure(kernel: Kernel) -> e.AttemptFailed:
    run = kernel.submit(ONCE)
    assert kernel.drive(run).status is RunStatus.FAILED
    (failed,) = kernel.events(run, e.AttemptFailed)
    return failed


@pytest.mark.parametrize(
    ("end", "category"),
    [
        (SandboxEnd.COMMAND_MISSING, FailureCategory.CLI_ERROR),
        (SandboxEnd.SANDBOX_FAILED, FailureCategory.RESOURCE),
        (SandboxEnd.OUTPUT_CAPPED, FailureCategory.RESOURCE),
        (SandboxEnd.TIMED_OUT, FailureCategory.RESOURCE),
    ],
)
def test_an_answer_counts_only_when_the_worker_worked(
    end: SandboxEnd, category: FailureCategory
) -> None:
    kernel = Kernel(None)
    worker = BrokenWorker(end)
    world = replace(kernel.world, workers=lambda _adapter: worker)
    run = kernel.submit(ONCE)
    kernel.drive(run, world=world)
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert (failed.category, failed.reason) == (category, f"It was {end}.")
    assert kernel.world.artifacts.get(failed.transcript) == "oh no"


def test_an_exit_code_that_nobody_explains_stands_alone() -> None:
    kernel = Kernel(None, lambda _request: FakeReply(output=f"{DONE}crash", exit_code=3))
    run = kernel.submit(ONCE)
    assert kernel.drive(run).status is RunStatus.WAITING
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert failed.category is FailureCategory.CLI_ERROR
    assert failed.reason == "The worker exited with code 3."
    assert failed.exit_code == 3


def test_only_the_end_of_a_long_text_goes_back() -> None:
    long = "beginning" + "." * 30_000 + "end"

    def agent(request: WorkerRequest) -> FakeReply:
        if request.role == AnswerKind.REVIEW:
            said = says(AnswerKind.REVIEW, "CHANGES_REQUESTED", summary=long)
            return FakeReply(output=said)
        return agrees(request)

    kernel = Kernel(None, agent)
    review = replace(work("review", AnswerKind.REVIEW), on_reject=StepName("build"), max_retries=1)
    run = kernel.submit(flow(work("build"), review))
    kernel.drive(run)
    prompt = kernel.fakes.worker.requests[2].prompt
    assert "characters left out" in prompt
    assert "beginning" not in prompt
    assert prompt.endswith("end")


class Keyless:
    """An agent that lacks something of the user's."""

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        del request, on_output
        raise InvalidInput("The agent needs a key.", hint="Set it.")


def test_an_agent_that_lacks_something_makes_the_run_wait_and_not_end() -> None:
    kernel = Kernel(None)
    world = replace(kernel.world, workers=lambda _adapter: Keyless())
    run = kernel.submit(ONCE)
    assert kernel.drive(run, world=world).status is RunStatus.WAITING
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert failed.reason == "The agent needs a key. Set it."
    (asked,) = kernel.events(run, e.ApprovalRequested)
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree)
    kernel.send(run, "yes", yes)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert kernel.fakes.workspaces.open_paths == ()


class Refusing(MemoryWorkspaces):
    """Workspaces that cannot be made of what a commit holds."""

    @override
    async def open(
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        del run, key, fence, start, plan
        raise InvalidInput("The folder 'tasks' is a link.")


def test_a_workspace_that_cannot_be_made_is_put_before_a_person() -> None:
    kernel = Kernel(None)
    refusing = Refusing(commits=kernel.fakes.workspaces.commits)
    run = kernel.submit(ONCE)
    world = replace(kernel.world, workspaces=refusing)
    assert kernel.drive(run, world=world).status is RunStatus.WAITING
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert "is a link" in failed.reason
