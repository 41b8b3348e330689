"""Pull requests: opened once, by hand where it must be, and never without a commit."""

import pytest
from tests.support.kernel import Kernel, flow, stop, work
from typing_extensions import override

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.pull_request import target_branch
from supervisor_ai.engine.ports.forge import NotOpened, Opened, PullRequest
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_forge import FakeForge
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import agrees


def builds(request: WorkerRequest) -> FakeReply:
    return replace(agrees(request), files={"made": "yes"})


def published(**changes: object) -> Definition:
    asks = replace(stop("publish", StepKind.PULL_REQUEST), **changes)  # type: ignore[arg-type]
    return flow(work("build"), stop("commit", StepKind.COMMIT), asks)


def driven(given: Definition, *, refusal: NotOpened | None = None) -> tuple[Kernel, RunId]:
    kernel = Kernel(None, builds)
    kernel.fakes.forge.refusal = refusal
    run = kernel.submit(given)
    kernel.drive(run)
    return kernel, run


def test_a_landed_branch_is_shown_to_others() -> None:
    kernel, run = driven(published())
    assert kernel.status(run) is RunStatus.COMPLETED
    (asked,) = kernel.fakes.forge.requests
    (landed,) = kernel.events(run, e.IntegrationLanded)
    assert (asked.commit, asked.target, asked.title) == (landed.commit, "main", "Do it.")
    assert f"Supervisor-Run: {run}" in asked.body
    (opened,) = kernel.events(run, e.PullRequestOpened)
    assert opened.url.startswith("https://")


def test_nothing_is_shown_where_nothing_landed() -> None:
    kernel = Kernel(None)
    run = kernel.submit(published())
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert kernel.fakes.forge.requests == []


class Broken(FakeForge):
    """A forge whose program breaks off the first time."""

    @override
    async def open(self, request: PullRequest) -> Opened | NotOpened:
        result = await super().open(request)
        if len(self.requests) == 1:
            raise Unavailable("The disk is full.")
        return result


def test_a_pull_request_whose_owner_died_is_found_and_not_opened_twice() -> None:
    kernel = Kernel(None, builds)
    world = replace(kernel.world, forge=Broken())
    run = kernel.submit(published())
    with pytest.raises(Unavailable):
        kernel.drive(run, world=world)
    assert kernel.drive(run, world=world).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.PullRequestLost)) == 1
    (opened,) = kernel.events(run, e.PullRequestOpened)
    assert opened.is_found


def test_what_cannot_be_opened_is_opened_by_hand() -> None:
    refusal = NotOpened(reason="Nobody is logged in.", detail="gh auth login")
    kernel, run = driven(published(), refusal=refusal)
    assert kernel.status(run) is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.PULL_REQUEST
    assert asked.question is not None
    assert "gh auth login" in kernel.world.artifacts.get(asked.question)
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.fakes.forge.requests) == 2


def test_a_yes_is_worth_another_try() -> None:
    kernel, run = driven(published(), refusal=NotOpened(reason="Nobody is logged in."))
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.fakes.forge.refusal = None
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.PullRequestOpened)) == 1


def test_a_no_to_doing_it_by_hand_ends_the_run() -> None:
    kernel, run = driven(published(), refusal=NotOpened(reason="No."))
    (asked,) = kernel.events(run, e.ApprovalRequested)
    words = kernel.world.artifacts.put("Leave it.")
    kernel.send(run, "no", Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=words))
    assert kernel.drive(run).status is RunStatus.FAILED


def test_a_person_is_asked_before_where_the_step_says_so() -> None:
    kernel, run = driven(published(human_approval=True))
    assert kernel.fakes.forge.requests == []
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.fakes.forge.requests) == 1


@pytest.mark.parametrize(
    ("ref", "branch"),
    [
        ("main", "main"),
        ("refs/heads/next", "next"),
        ("HEAD", None),
        ("refs/tags/v1", None),
        ("0123456789abcdef0123456789abcdef01234567", None),
    ],
)
def test_only_a_branch_can_be_a_target(ref: str, branch: str | None) -> None:
    assert target_branch(ref) == branch
