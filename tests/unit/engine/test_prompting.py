"""What a worker is told and shown, and what is recorded of it."""

import pytest
from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.errors import HostFailure, InvalidInput, SupervisorError, Unavailable
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.context_plan import ContextPlan, PackedContext, Source, SourceKind
from supervisor_ai.domain.run.definition import Definition, Limits
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import PlainPacker, says

REVIEW = AnswerKind.REVIEW
STEPS = (work("plan", AnswerKind.PLAN), work("build"), work("review", AnswerKind.REVIEW))


def writing(request: WorkerRequest) -> FakeReply:
    kind = AnswerWord(request.role)
    files = {"new": "fresh words"} if kind == AnswerKind.IMPLEMENTATION else {}
    return FakeReply(output=says(kind), files=files)


def shown(*kinds: SourceKind) -> Definition:
    plan = ContextPlan(
        strategy="narrow",
        sources=tuple(Source(kind=kind) for kind in kinds),
        token_budget=100,
    )
    given = flow(*STEPS)
    role = replace(given.roles[REVIEW], context=plan)
    return replace(given, roles={**given.roles, REVIEW: role})


def review_prompt(definition: Definition) -> tuple[Kernel, str]:
    kernel = Kernel(None, writing)
    run = kernel.submit(definition)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    return kernel, kernel.fakes.worker.requests[-1].prompt


def test_what_is_shown_is_recorded() -> None:
    kernel, prompt = review_prompt(shown(SourceKind.TREE))
    assert "\ntree\n" in f"\n{prompt}\n"
    run = kernel.fakes.worker.requests[-1].run
    (packed,) = kernel.events(run, e.ContextPacked)
    assert (packed.strategy, packed.tokens, packed.budget) == ("narrow", 1, 100)
    record = kernel.world.documents.load(packed.record, PackedContext)
    assert record.text == ""
    assert [item.source for item in record.items] == [SourceKind.TREE]


def test_a_plan_is_shown_once() -> None:
    _, told = review_prompt(flow(*STEPS))
    assert told.count('"status": "COMPLETE"') == 1
    assert "plan: " in told
    _, packed = review_prompt(shown(SourceKind.PLAN))
    assert packed.count('"status": "COMPLETE"') == 1
    assert "plan: " not in packed


def test_who_sees_the_change_in_the_context_is_not_shown_it_twice() -> None:
    _, told = review_prompt(shown(SourceKind.TREE))
    _, packed = review_prompt(shown(SourceKind.DIFF))
    assert "fresh words" in told
    assert "fresh words" not in packed


def test_what_a_model_counted_is_learnt_from() -> None:
    def counting(request: WorkerRequest) -> FakeReply:
        return replace(writing(request), prompt_tokens=7)

    kernel = Kernel(None, counting)
    packer = PlainPacker()
    run = kernel.submit(flow(work("build")))
    kernel.drive(run, world=replace(kernel.world, packer=packer))
    (request,) = kernel.fakes.worker.requests
    assert packer.learnt == [("fake", request.prompt, 7)]


class Failing(PlainPacker):
    """Cannot pack, for a reason."""

    def __init__(self, error: SupervisorError) -> None:
        super().__init__()
        self._error = error

    async def pack(  # type: ignore[explicit-override] # Python 3.11 has no such mark
        self, request: PackRequest
    ) -> PackedContext:
        del request
        raise self._error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unavailable("No packer.", hint="Install it."), RunStatus.RUNNING),
        (InvalidInput("A pattern is wrong."), RunStatus.WAITING),
    ],
)
def test_a_context_that_cannot_be_packed_is_a_failed_attempt(
    error: SupervisorError, status: RunStatus
) -> None:
    kernel = Kernel(None, writing)
    run = kernel.submit(shown(SourceKind.TREE))
    world = replace(kernel.world, packer=Failing(error))
    assert kernel.drive(run, world=world).status is status
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert failed.reason == error.message


def test_a_disk_that_fails_while_a_prompt_is_made_loses_the_attempt_and_costs_no_retry() -> None:
    kernel = Kernel(None, writing)
    run = kernel.submit(replace(shown(SourceKind.TREE), limits=Limits(step_max_retries=0)))
    broken = Failing(HostFailure("The disk fails.", hint="Check it."))
    with pytest.raises(HostFailure):
        kernel.drive(run, world=replace(kernel.world, packer=broken))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.AttemptLost)) == 1
    assert not kernel.events(run, e.AttemptFailed)
