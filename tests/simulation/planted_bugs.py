"""Bugs on purpose, each in the place of a right part; the simulation must find all of them."""

import asyncio
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Final

from tests.simulation.processes import unguarded
from tests.simulation.simulation import Parts

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import LeaseLost, StaleVersion
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.domain.run.effects import (
    Integrate,
    OperationEffect,
    RunGate,
    RunWorker,
)
from supervisor_ai.domain.run.events import (
    AttemptFailed,
    AttemptStarted,
    GateStarted,
    IntegrationStarted,
    RunEvent,
)
from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.operations import operation_key
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.integration import perform_integration
from supervisor_ai.engine.effects.performer import perform
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.playback import _DrivenPlayback
from supervisor_ai.engine.ports.ledger import Batch, EventLog, Head, StreamAppend
from supervisor_ai.engine.world import Operation, World

_TRIES: Final = 100
_DEEDS: Final = (AttemptStarted, GateStarted, IntegrationStarted)


class _CarelessLog:
    """An event log that reads as the right one does."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        return self._log.read(stream, after=after, upto=upto)

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()


class UncheckedLog(_CarelessLog):
    """Appends to a stream wherever it happens to stand by now."""

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        for _ in range(_TRIES):
            try:
                return self._log.append(batch)
            except StaleVersion:
                moved = tuple(self._moved(append) for append in batch.appends)
                batch = replace(batch, appends=moved)
        raise AssertionError("The streams never stand still.")

    def _moved(self, append: StreamAppend) -> StreamAppend:
        return replace(append, expected=sum(1 for _ in self._log.read(append.stream)))


class UnfencedLog(_CarelessLog):
    """Takes what a former owner writes as if it were the present one's."""

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        for _ in range(_TRIES):
            try:
                return self._log.append(batch)
            except LeaseLost:
                assert batch.lease is not None
                lease = replace(batch.lease, epoch=batch.lease.epoch + 1)
                batch = replace(batch, lease=lease)
        return self._log.append(replace(batch, lease=None))


async def boast(effect: OperationEffect, operation: Operation) -> RunEvent:
    """Say that a snapshot has landed, then land it."""
    if not isinstance(effect, Integrate):
        return await perform(effect, operation)
    imagined = deepcopy(unguarded(operation.world.workspaces))
    dream = replace(operation, world=replace(operation.world, workspaces=imagined))
    outcome = await perform_integration(effect, dream)
    asyncio.get_running_loop().create_task(_keep_word(effect, operation))
    return outcome


async def _keep_word(effect: Integrate, operation: Operation) -> None:
    await operation.world.clock.sleep(0.2)
    await perform(effect, operation)


async def insist(effect: OperationEffect, operation: Operation) -> RunEvent:
    """Believe of every failure that the same again will do."""
    outcome = await perform(effect, operation)
    if isinstance(outcome, AttemptFailed):
        return replace(outcome, action=Action.RETRY_SAME)
    return outcome


async def restart(journal: Journal, world: World) -> None:
    """Do again whatever was under way."""
    await world.sandbox.reap(f"{journal.run.id}/", before=journal.lease.epoch)
    for effect in _under_way(journal):
        key = operation_key(journal.run.id, effect.intent())

        def record(event: RunEvent) -> None:
            journal.stage(event)
            journal.commit()

        operation = Operation(
            world=world,
            run=journal.run.id,
            identity=journal.run.birth.identity,
            key=key,
            epoch=journal.lease.epoch,
            intended_at=world.clock.now(),
            record=record,
        )
        journal.stage(await perform(effect, operation))


def _under_way(journal: Journal) -> Iterator[OperationEffect]:
    """Ask the driver what it would do if nothing were under way; that is what is."""
    playback = journal.playback
    is_open = any(isinstance(intent, _DEEDS) for intent in journal.run.open.values())
    if not is_open or not isinstance(playback, _DrivenPlayback):
        return
    decision = playback._driver.decide(replace(playback.run, open={}), playback._state)
    for effect in decision.effects:
        if isinstance(effect, RunWorker):
            yield replace(effect, attempt=effect.attempt - 1)
        elif isinstance(effect, RunGate | Integrate):
            yield effect


NO_SEQUENCE_CHECK: Final = Parts(log=UncheckedLog)
NO_FENCE: Final = Parts(log=UnfencedLog)
OUTCOME_BEFORE_EFFECT: Final = Parts(perform=boast)
RETRIES_WITHOUT_REASON: Final = Parts(perform=insist)
RECOVERY_THAT_STARTS: Final = Parts(recover=restart)
