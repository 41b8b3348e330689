"""Performing effects that take time: between an intent and an outcome."""

from typing import Protocol, assert_never

from supervisor_ai.domain.run.effects import (
    Integrate,
    OpenPullRequest,
    ReadKanban,
    RunGate,
    RunWorker,
    SaveKanban,
    TaskEffect,
)
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.engine.effects.gates.gate import perform_gate
from supervisor_ai.engine.effects.integration import perform_integration
from supervisor_ai.engine.effects.kanban import perform_reading, perform_saving
from supervisor_ai.engine.effects.operation import Operation
from supervisor_ai.engine.effects.pull_request import perform_pull_request
from supervisor_ai.engine.effects.worker import perform_worker


class Performer(Protocol):
    """Does a deed and says what came of it."""

    async def __call__(self, effect: TaskEffect, operation: Operation, /) -> RunEvent:
        """Perform the effect; the outcome is the caller's to record."""
        ...


async def perform(effect: TaskEffect, operation: Operation) -> RunEvent:
    """Perform the effect with the module that knows its kind."""
    match effect:
        case RunWorker():
            return await perform_worker(effect, operation)
        case RunGate():
            return await perform_gate(effect, operation)
        case Integrate():
            return await perform_integration(effect, operation)
        case OpenPullRequest():
            return await perform_pull_request(effect, operation)
        case ReadKanban():
            return await perform_reading(effect, operation)
        case SaveKanban():
            return await perform_saving(effect, operation)
        case _:
            assert_never(effect)
