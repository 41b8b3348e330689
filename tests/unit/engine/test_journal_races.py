"""The project's stream has many writers: a lost race is run again, but not for ever."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest
from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope, NewEvent
from supervisor_ai.domain.errors import StaleVersion
from supervisor_ai.domain.ids import PROJECT_STREAM, EffectKey, RunId, StepName, StreamId
from supervisor_ai.domain.project.events import (
    BudgetReserved,
    PermitFreed,
    PermitTaken,
    ProjectEvent,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.playback import Player
from supervisor_ai.engine.ports.ledger import Batch, EventLog, Head, StreamAppend
from supervisor_ai.engine.ports.monitor import SilentMonitor

OTHER = RunId("other")
NOW = datetime(2030, 1, 1, tzinfo=UTC)
LAUNCH = e.LaunchRequested(
    step=StepName("build"),
    visit=1,
    attempt=1,
    role="implementation",
    cli="agent",
    budgets={Scope.DAY: Amount(attempts=1)},
)
HELD = BudgetReserved(
    key=EffectKey("other/build/1/1/worker/1"),
    run=OTHER,
    accounts=("day:2030-01-01",),
    amount=Amount(attempts=1),
)
SOMEBODY = Actor(kind=ActorKind.RUNTIME, id="other", via="test")
TAKEN = PermitTaken(permit="desk", run=OTHER)
FREED = PermitFreed(permit="desk", run=OTHER)


class ContestedLog:
    """An event log where somebody else is quicker a number of times."""

    def __init__(self, log: EventLog, *rivals: ProjectEvent) -> None:
        self._log = log
        self._rivals = list(rivals)

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        if self._rivals and any(at.stream == PROJECT_STREAM for at in batch.appends):
            new = NewEvent(event=self._rivals.pop(0), actor=SOMEBODY)
            version = sum(1 for _ in self._log.read(PROJECT_STREAM))
            append = StreamAppend(stream=PROJECT_STREAM, expected=version, events=(new,))
            self._log.append(Batch(appends=(append,)))
        return self._log.append(batch)

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        return self._log.read(stream, after=after, upto=upto)

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()


def journal(kernel: Kernel, *rivals: ProjectEvent) -> Journal:
    world = kernel.world
    run = kernel.submit(flow(work("build")))
    log = ContestedLog(world.log, *rivals)
    player = Player(log=log, documents=world.documents, drivers=world.drivers)
    playback, version = player.play(run)
    process = world.processes.current()
    lease = world.leases.acquire(run, owner="me", process=process, ttl=world.timing.lease)
    pen = Journal(log, lease, playback, version, SilentMonitor())
    pen.stage(e.RunStarted(driver="workflow", parent=None, root=run))
    pen.stage(e.PermitRequested(permit="desk", limit=1))
    pen.commit()
    return pen


def project(kernel: Kernel) -> list[tuple[str, RunId]]:
    facts = [envelope.event for envelope in kernel.world.log.read(PROJECT_STREAM)]
    held = [fact for fact in facts if isinstance(fact, PermitTaken | PermitFreed)]
    return [(type(fact).__name__, fact.run) for fact in held]


def test_a_permit_that_somebody_took_meanwhile_is_not_taken() -> None:
    kernel = Kernel(None)
    pen = journal(kernel, TAKEN)
    assert not pen.grant("desk", limit=1)
    assert project(kernel) == [("PermitTaken", OTHER)]
    assert pen.run.permits == frozenset()


def test_a_permit_is_taken_where_there_is_room_for_both() -> None:
    kernel = Kernel(None)
    pen = journal(kernel, TAKEN)
    assert pen.grant("desk", limit=2)
    assert project(kernel) == [("PermitTaken", OTHER), ("PermitTaken", pen.run.id)]
    assert pen.run.permits == {"desk"}


def test_a_permit_is_given_back_in_spite_of_rivals() -> None:
    kernel = Kernel(None)
    pen = journal(kernel)
    assert pen.grant("desk", limit=1)
    pen._log = pen.project._log = ContestedLog(kernel.world.log, FREED, FREED)
    pen.release("desk")
    pen.commit()
    assert project(kernel)[-1] == ("PermitFreed", pen.run.id)
    assert kernel.types(pen.run.id)[-1] == "PermitReleased"


def test_a_hopeless_race_for_a_permit_is_given_up() -> None:
    kernel = Kernel(None)
    pen = journal(kernel, *(FREED,) * 200)
    assert not pen.grant("desk", limit=1)


def test_a_hopeless_race_to_give_a_permit_back_is_an_error() -> None:
    kernel = Kernel(None)
    pen = journal(kernel, *(FREED,) * 200)
    pen.stage_project(FREED)
    with pytest.raises(StaleVersion, match="faster"):
        pen.commit()


def asking(kernel: Kernel, *rivals: ProjectEvent) -> Journal:
    pen = journal(kernel, *rivals)
    pen.stage(e.StepEntered(step=LAUNCH.step, visit=1, start=None), LAUNCH)
    pen.commit()
    return pen


def test_what_somebody_set_aside_meanwhile_is_not_spent() -> None:
    kernel = Kernel(None)
    pen = asking(kernel, HELD)
    assert pen.launch(LAUNCH, now=NOW) is not None
    assert kernel.events(pen.run.id, e.LaunchAllowed) == []


def test_leave_is_given_in_spite_of_rivals_for_something_else() -> None:
    kernel = Kernel(None)
    pen = asking(kernel, TAKEN)
    assert pen.launch(LAUNCH, now=NOW) is None
    (allowed,) = kernel.events(pen.run.id, e.LaunchAllowed)
    assert allowed.amount == Amount(attempts=1)


def test_a_hopeless_race_for_leave_is_given_up() -> None:
    kernel = Kernel(None)
    pen = asking(kernel, *(FREED,) * 200)
    wait = pen.launch(LAUNCH, now=NOW)
    assert wait is not None
    assert "faster" in wait.reason


def test_a_stale_run_stream_is_an_error_at_once() -> None:
    kernel = Kernel(None)
    pen = journal(kernel)
    pen.version -= 1
    pen.stage(e.StepEntered(step=flow(work("build")).workflow.initial_step, visit=1, start=None))
    with pytest.raises(StaleVersion):
        pen.commit()


def test_nothing_staged_is_nothing_written() -> None:
    kernel = Kernel(None)
    pen = journal(kernel)
    before = kernel.world.log.head()
    assert pen.commit() == ()
    assert kernel.world.log.head() == before
