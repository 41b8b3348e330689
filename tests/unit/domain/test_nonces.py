"""Which attempts have a nonce of their own, and which repeat the one before."""

import contextlib

from tests.support.kanban_scene import Scene, Told, kanban_definition
from tests.support.kernel import Kernel, flow, work
from tests.unit.domain.setback_scene import BUSY, GARBLED, WELL, Ward, definition

from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.effects import OperationEffect, RunWorker
from supervisor_ai.domain.run.failures.retries import RETRY_POLICIES
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.slots import Slot, evolve
from supervisor_ai.engine.effects.performer import perform
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import Operation
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.virtual_loop import run_virtual

LEFT = e.AttemptStarted(
    step=StepName("build"), visit=1, attempt=1, role="a", cli="a", start=CommitSha("c")
)
"""An attempt as it was recorded before there were nonces."""


def exact(plain: Definition) -> Definition:
    """Ask for bad answers again in the same words."""
    steps = {
        name: replace(step, retry_policy="exact") for name, step in plain.workflow.steps.items()
    }
    workflow = replace(plain.workflow, steps=steps)
    return replace(plain, workflow=workflow, retries=dict(RETRY_POLICIES))


def nonces(ward: Ward) -> list[str]:
    """Return what the attempts were told, once the ledger knows the same."""
    told = [request.nonce for request in ward.patient.requests]
    assert told == [at.nonce for at in ward.kernel.events(ward.run, e.AttemptStarted)]
    return told


def test_every_attempt_has_a_nonce_of_its_own() -> None:
    ward = Ward(definition(), GARBLED, BUSY, WELL)
    ward.drive()
    assert ward.wait() is RunStatus.COMPLETED
    told = nonces(ward)
    assert len(set(told)) == len(told) == 3
    assert all(told)


def test_a_bad_answer_that_is_asked_for_in_the_same_words_keeps_the_nonce() -> None:
    ward = Ward(exact(definition()), GARBLED, GARBLED, BUSY, WELL)
    ward.drive()
    while ward.wait() is not RunStatus.COMPLETED:
        pass
    first, second, third, after_trouble = nonces(ward)
    assert first == second == third
    assert after_trouble != first


def test_an_attempt_that_has_to_ask_first_starts_with_the_nonce_that_it_asked_with() -> None:
    budgets = {Scope.RUN: Amount(tokens=10**9)}
    ward = Ward(exact(definition(budgets=budgets)), GARBLED, WELL)
    assert ward.drive() is RunStatus.COMPLETED
    first, second = nonces(ward)
    assert first == second
    asked = ward.kernel.events(ward.run, e.LaunchRequested)
    assert [at.nonce for at in asked] == [first, second]


class Sudden(Exception):
    """The process is gone."""


def lose_first(kernel: Kernel, run: RunId) -> None:
    """Let an owner die with the first worker that it starts, and another one go on."""
    died: list[str] = []

    async def dying(effect: OperationEffect, operation: Operation) -> e.RunEvent:
        if isinstance(effect, RunWorker) and not died:
            died.append(operation.key)
            raise Sudden
        return await perform(effect, operation)

    for _ in range(2):
        runtime = Runtime(world=kernel.process(), owner="somebody", perform=dying)
        with contextlib.suppress(Sudden):
            run_virtual(runtime.drive(run))
    assert len(kernel.events(run, e.AttemptLost)) == 1


def test_an_attempt_in_place_of_a_lost_one_has_another_nonce() -> None:
    kernel = Kernel(None)
    run = kernel.submit(flow(work("build")))
    lose_first(kernel, run)
    first, second = kernel.events(run, e.AttemptStarted)
    assert first.nonce != second.nonce
    assert kernel.status(run) is RunStatus.COMPLETED


def pass_time(scene: Scene) -> None:
    clock = scene.kernel.fakes.clock
    clock.advance(scene.kernel.events(scene.run, e.TimerSet)[-1].due - clock.now())


def garbled(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
    """Answer well at the third time only."""
    asked = [at for at in scene.kernel.fakes.worker.requests if at.role == request.role]
    return scene.work(request, told) if len(asked) > 2 else FakeReply(output="I am done.")


def architects(scene: Scene) -> list[WorkerRequest]:
    return [at for at in scene.kernel.fakes.worker.requests if at.role == "architect"]


def test_a_kanban_asks_again_with_the_same_prompt_to_the_letter() -> None:
    scene = Scene(architect=garbled)
    while scene.drive() is not RunStatus.COMPLETED:
        pass_time(scene)
    assert len(architects(scene)) == 3
    assert len({(at.nonce, at.prompt) for at in architects(scene)}) == 1
    assert len({at.nonce for at in scene.kernel.fakes.worker.requests}) == 4


def test_a_kanban_keeps_the_nonce_of_a_lost_attempt() -> None:
    scene = Scene()
    lose_first(scene.kernel, scene.run)
    first, second, *_ = scene.kernel.events(scene.run, e.AttemptStarted)
    assert (first.step, first.visit, first.nonce) == (second.step, second.visit, second.nonce)


def test_a_kanban_agent_that_hears_what_was_wrong_has_another_nonce() -> None:
    plain = kanban_definition()
    steps = {name: replace(at, retry_policy=None) for name, at in plain.workflow.steps.items()}
    told = replace(plain, workflow=replace(plain.workflow, steps=steps))
    scene = Scene(told, architect=garbled)
    assert scene.drive() is RunStatus.COMPLETED
    assert len({at.nonce for at in architects(scene)}) == 3


def test_a_ledger_from_before_goes_on_with_a_nonce() -> None:
    slot = evolve(Slot(), LEFT)
    assert slot.nonce == ""
    assert evolve(slot, replace(LEFT, attempt=2, nonce="n")).nonce == "n"
