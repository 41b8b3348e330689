"""Performers: who does which effect between its intent and its outcome."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cached_property
from typing import Final, TypeVar, cast

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run.effects import (
    AssessChange,
    Integrate,
    LookAtPullRequest,
    Notify,
    OpenPullRequest,
    OperationEffect,
    RunBaseline,
    RunGate,
    RunWorker,
)
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.engine.effects.assessment import perform_assessment
from supervisor_ai.engine.effects.gates.baseline import perform_baseline
from supervisor_ai.engine.effects.gates.gate import perform_gate
from supervisor_ai.engine.effects.integration import perform_integration
from supervisor_ai.engine.effects.notification import perform_notification
from supervisor_ai.engine.effects.pull_request import perform_pull_request
from supervisor_ai.engine.effects.pull_request_look import perform_look
from supervisor_ai.engine.effects.worker import perform_worker
from supervisor_ai.engine.world import Operation, Performer, Performers

E = TypeVar("E", bound=OperationEffect)


def performer(kind: type[E], does: Callable[[E, Operation], Awaitable[RunEvent]]) -> Performers:
    """Register who does one kind of effect."""
    # Nobody is given another kind than the one that he is registered for.
    return {kind: cast("Performer", does)}


SHARED_PERFORMERS: Final[Performers] = {
    **performer(RunWorker, perform_worker),
    **performer(RunBaseline, perform_baseline),
    **performer(RunGate, perform_gate),
    **performer(AssessChange, perform_assessment),
    **performer(Integrate, perform_integration),
    **performer(OpenPullRequest, perform_pull_request),
    **performer(Notify, perform_notification),
    **performer(LookAtPullRequest, perform_look),
}
"""Of the effects that any driver may ask for."""


class LatePerformers(Mapping[type[OperationEffect], Performer]):
    """Performers of which drivers' own are made when one of their effects is asked for."""

    def __init__(self, shared: Performers, *others: Callable[[], Performers]) -> None:
        self._shared = shared
        self._others = others

    @cached_property
    def _all(self) -> Performers:
        return {
            **self._shared,
            **{kind: it for make in self._others for kind, it in make().items()},
        }

    def __getitem__(self, kind: type[OperationEffect]) -> Performer:  # type: ignore[explicit-override]
        return self._shared[kind] if kind in self._shared else self._all[kind]

    def __iter__(self) -> Iterator[type[OperationEffect]]:  # type: ignore[explicit-override]
        return iter(self._all)

    def __len__(self) -> int:  # type: ignore[explicit-override]
        return len(self._all)


async def perform(effect: OperationEffect, operation: Operation) -> RunEvent:
    """Let the effect be performed by whoever is registered for its kind."""
    does = operation.world.performers.get(type(effect))
    if does is None:
        raise InternalError(f"Nobody is registered who performs {type(effect).__name__}.")
    return await does(effect, operation)
