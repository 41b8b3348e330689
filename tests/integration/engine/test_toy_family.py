"""The toy family: children, timers, permits, cancels and several effects at once."""

from datetime import timedelta

import pytest
from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import CLI, GATE, Kernel, role
from tests.support.toy_driver import PATIENCE, Chores, Family, ParentDriver

from supervisor_ai.domain.ids import PROJECT_STREAM, RunId
from supervisor_ai.domain.project.events import PermitFreed, PermitTaken
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.inbox_commands import Cancel
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.engine.dispatch import LocalDispatcher
from supervisor_ai.engine.ports.sandbox import SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

MINUTE = timedelta(minutes=1)
DONE = says(AnswerKind.IMPLEMENTATION)


def slow(request: WorkerRequest) -> FakeReply:
    return FakeReply(output=DONE, takes=timedelta(seconds=10 * request.slot))


def slow_gate(spec: SandboxSpec) -> ScriptedReply:
    del spec
    return ScriptedReply(takes=timedelta(seconds=5))


def chores(*, workers: int = 1) -> Chores:
    worker = role(AnswerKind.IMPLEMENTATION)
    return Chores(permit="desk", limit=1, workers=workers, role=worker, cli=CLI, gate=GATE)


def submit_family(kernel: Kernel, *, patience: timedelta = timedelta(hours=1)) -> RunId:
    children = tuple(kernel.world.documents.save(chores(workers=2)) for _ in range(2))
    family = Family(children=children, patience=patience)
    return kernel.submit(family, driver=ParentDriver.name)


def children(kernel: Kernel, parent: RunId) -> list[RunId]:
    return [started.child for started in kernel.events(parent, e.ChildStarted)]


def desk(kernel: Kernel) -> list[tuple[str, RunId]]:
    facts = [envelope.event for envelope in kernel.world.log.read(PROJECT_STREAM)]
    held = [fact for fact in facts if isinstance(fact, PermitTaken | PermitFreed)]
    return [(type(fact).__name__, fact.run) for fact in held]


def test_a_parent_ends_after_both_children(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel)
    assert kernel.serve() == []
    first, second = children(kernel, parent)
    assert kernel.types(parent)[-2:] == ["ChildEnded", "RunCompleted"]
    assert {ended.child for ended in kernel.events(parent, e.ChildEnded)} == {first, second}
    assert [kernel.status(run) for run in (parent, first, second)] == [RunStatus.COMPLETED] * 3


def test_a_birth_and_its_announcement_are_one_commit(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel)
    kernel.drive(parent)
    first, second = children(kernel, parent)
    births = [kernel.envelopes(child)[0] for child in (first, second)]
    announced = [at for at in kernel.envelopes(parent) if isinstance(at.event, e.ChildStarted)]
    seqs = sorted(at.seq for at in (*announced, *births))
    assert len({at.recorded_at for at in (*announced, *births)}) == 1
    assert seqs[-1] - seqs[0] <= len(seqs)
    for birth in births:
        assert isinstance(birth.event, e.RunSubmitted)
        assert (birth.event.parent, birth.event.root) == (parent, parent)
        assert birth.cause == f"run:{parent}"


def test_a_permit_goes_from_one_child_to_the_next(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel)
    kernel.serve()
    handed = desk(kernel)
    assert [what for what, _ in handed] == ["PermitTaken", "PermitFreed"] * 2
    assert handed[0][1] == handed[1][1] != handed[2][1] == handed[3][1]
    assert {run for _, run in handed} == set(children(kernel, parent))


def test_several_effects_of_a_run_are_under_way_at_once(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel)
    kernel.serve()
    child = children(kernel, parent)[0]
    kinds = (e.AttemptStarted, e.GateStarted)
    began = [at for at in kernel.envelopes(child) if isinstance(at.event, kinds)]
    ends = (e.AttemptSucceeded, e.GateEnded)
    ended = [at for at in kernel.envelopes(child) if isinstance(at.event, ends)]
    assert [at.event.slot for at in began if isinstance(at.event, e.PlacedEvent)] == [1, 2, 3]
    assert [at.event.slot for at in ended if isinstance(at.event, e.PlacedEvent)] == [3, 1, 2]
    assert ended[-1].recorded_at - began[0].recorded_at < timedelta(seconds=21)


def test_an_impatient_parent_cancels_its_youngest(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel, patience=timedelta(seconds=25))
    assert kernel.serve() == []
    first, second = children(kernel, parent)
    assert kernel.events(parent, e.TimerFired) == [e.TimerFired(timer=PATIENCE)]
    assert kernel.events(parent, e.ChildCancelRequested) == [e.ChildCancelRequested(child=second)]
    assert kernel.status(first) is RunStatus.COMPLETED
    assert kernel.status(second) is RunStatus.CANCELLED
    assert kernel.status(parent) is RunStatus.COMPLETED
    told = {ended.child: ended.outcome.kind for ended in kernel.events(parent, e.ChildEnded)}
    assert told == {first: OutcomeKind.DONE, second: OutcomeKind.CANCELLED}
    assert [what for what, _ in desk(kernel)].count("PermitTaken") == desk_freed(kernel)


def desk_freed(kernel: Kernel) -> int:
    return [what for what, _ in desk(kernel)].count("PermitFreed")


def test_a_cancelled_parent_takes_its_children_with_it(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel)
    kernel.drive(parent)
    first, second = children(kernel, parent)
    kernel.serve(until=lambda: bool(kernel.events(first, e.PromptSent)))
    assert kernel.send(parent, "stop", Cancel())
    assert kernel.serve() == []
    runs = (parent, first, second)
    assert [kernel.status(run) for run in runs] == [RunStatus.CANCELLED] * 3
    assert len(desk(kernel)) == 2
    assert kernel.fakes.workspaces.open_paths == ()


def test_a_timer_is_due_over_restarts(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel, patience=timedelta(minutes=5))
    result = kernel.drive(parent)
    assert result.due == kernel.events(parent, e.TimerSet)[0].due
    assert kernel.world.wakes.next_due() == result.due
    kernel.fakes.clock.advance(timedelta(minutes=3))
    kernel.drive(parent, world=kernel.process())
    assert kernel.events(parent, e.TimerFired) == []
    kernel.fakes.clock.advance(timedelta(minutes=3))
    later = kernel.process()
    assert parent in {wake.run for wake in later.wakes.due(now=later.clock.now())}
    kernel.drive(parent, world=later)
    assert kernel.events(parent, e.TimerFired) == [e.TimerFired(timer=PATIENCE)]
    assert len(kernel.events(parent, e.ChildCancelRequested)) == 1


def test_a_dead_owner_leaves_its_run_to_the_next_process(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel)
    process = kernel.world.processes.current()
    kernel.world.leases.acquire(parent, owner="dead", process=process, ttl=MINUTE)
    kernel.kill(process.pid)
    heir = kernel.process()
    heir_orphans = heir.wakes.orphans(now=heir.clock.now())
    kernel.drive(parent, world=heir)
    owned = [at for at in kernel.envelopes(parent) if isinstance(at.event, e.RunOwned)]
    assert [at.epoch for at in owned] == [2]
    assert heir_orphans == []


def test_asking_twice_for_one_drive_is_harmless(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(slow, slow_gate)
    parent = submit_family(kernel)
    world = kernel.world
    dispatcher = LocalDispatcher(world.wakes, world.clock, poll=world.timing.poll)
    later = world.clock.now() + MINUTE
    for _ in range(2):
        dispatcher.submit(parent, wake=7, not_before=later)
        dispatcher.submit(parent, wake=1)
    assert [wake.number for wake in world.wakes.due(now=world.clock.now())] == [1]
    assert sorted(wake.number for wake in world.wakes.due(now=later)) == [1, 7]


@pytest.mark.parametrize("page", [1, 7])
def test_a_reader_follows_all_streams_by_cursor(open_kernel: OpenKernel, page: int) -> None:
    kernel = open_kernel(slow, slow_gate)
    submit_family(kernel)
    kernel.serve()
    cursor, seen = 0, []
    while envelopes := kernel.world.log.read_all(after=cursor, limit=page):
        seen += [envelope.seq for envelope in envelopes]
        cursor = seen[-1]
    assert seen == list(range(1, kernel.world.log.head().seq + 1))
