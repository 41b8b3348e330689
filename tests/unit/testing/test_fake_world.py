"""The ready-made world, as the author of a plug-in would use it."""

from datetime import timedelta

from supervisor_ai.domain.ids import StepName, run_stream
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Cli, Definition, Role, Step, StepKind, Workflow
from supervisor_ai.domain.run.events import RunFailed
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import Fakes, fake_world, make_base, says, submit

REVIEW = Definition(
    workflow=Workflow(
        name="review",
        description="",
        initial_step=StepName("look"),
        steps={StepName("look"): Step(name=StepName("look"), kind=StepKind.ROLE, role="review")},
    ),
    roles={
        "review": Role(
            name="review",
            description="",
            answer=AnswerKind.REVIEW,
            writes=False,
            cli="agent",
            template="",
        )
    },
    clis={"agent": Cli(name="agent", adapter="fake")},
    gates={},
)


def rejects(request: WorkerRequest) -> FakeReply:
    del request
    return FakeReply(output=says(AnswerKind.REVIEW, "REJECTED"), takes=timedelta(minutes=10))


def test_a_run_is_driven_in_memory_and_in_no_time() -> None:
    fakes = Fakes()
    world = fake_world(fakes)
    run = submit(world, REVIEW, base=make_base(fakes.workspaces))
    assert run_virtual(Runtime(world=world, owner="me").drive(run)).status is RunStatus.COMPLETED
    (request,) = fakes.worker.requests
    assert request.prompt.startswith("review\nDo it.")


def test_an_agent_is_a_function() -> None:
    fakes = Fakes(rejects)
    world = fake_world(fakes)
    run = submit(world, REVIEW, base=make_base(fakes.workspaces, {"app.py": "print()"}))
    assert run_virtual(Runtime(world=world, owner="me").drive(run)).status is RunStatus.FAILED
    first, *_, last = world.log.read(run_stream(run))
    assert last.recorded_at - first.recorded_at >= timedelta(minutes=10)
    assert isinstance(last.event, RunFailed)
    assert last.event.outcome.kind is OutcomeKind.REJECTED


def test_without_fakes_of_its_own_a_world_makes_some() -> None:
    assert fake_world().log.head().seq == 0
