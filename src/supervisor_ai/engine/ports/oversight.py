"""Who watches over the workers of runs: told what a run's stream says and what a worker does."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId, StreamId
from supervisor_ai.domain.run.definition import Role


class OverseenWorker(Struct, frozen=True, kw_only=True):
    """One attempt of a run that somebody watches over."""

    overseer: StreamId
    run: RunId
    role: str
    slot: int
    attempt: int


class WorkerActivity(Struct, frozen=True, kw_only=True):
    """What a worker has done so far, as seen from outside; what it says of itself is not in it."""

    output: int
    """How many bytes it has printed."""
    cpu: timedelta | None
    """What its processes have used; None: nobody can tell."""
    files: Mapping[str, int]
    """The files of its workspace that it has changed, each with the stamp of its last change."""


class Oversight(Protocol):
    """Watches over workers; it never makes a run fail but by refusing a worker."""

    def require(self, overseer: StreamId, roles: tuple[Role, ...]) -> tuple[str, ...]:
        """Refuse what can never be watched over; return what a person should know beforehand."""
        ...

    def follow(self, overseer: StreamId, run: RunId) -> None:
        """Take note of what is new in a run's stream; twice is the same as once."""
        ...

    def hold(self, worker: OverseenWorker) -> str | None:
        """Say why a worker has to wait; None: it may start. InvalidInput: it never may."""
        ...

    def hold_landing(self, overseer: StreamId, run: RunId) -> str | None:
        """Say why what a run has made may not land yet; None: it may."""
        ...

    def saw(self, worker: OverseenWorker, activity: WorkerActivity) -> None:
        """Take note of what a worker has done so far."""
        ...


class NoOversight:
    """A world in which nobody watches over workers."""

    def require(self, overseer: StreamId, roles: tuple[Role, ...]) -> tuple[str, ...]:
        """Refuse everything."""
        del roles
        raise _nobody(overseer)

    def follow(self, overseer: StreamId, run: RunId) -> None:
        """Look away."""

    def hold(self, worker: OverseenWorker) -> str | None:
        """Let nobody start whom somebody should watch over."""
        raise _nobody(worker.overseer)

    def hold_landing(self, overseer: StreamId, run: RunId) -> str | None:
        """Let nothing land that somebody should watch over."""
        del run
        raise _nobody(overseer)

    def saw(self, worker: OverseenWorker, activity: WorkerActivity) -> None:
        """Look away."""


def _nobody(overseer: StreamId) -> InvalidInput:
    return InvalidInput(f"Nobody can watch over workers for {overseer!r} from here.")
