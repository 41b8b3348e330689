"""Who watches over workers, by the stream that a run names: a slice that registered for it."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import cast

from supervisor_ai.control.sessions.desk import SessionDesk
from supervisor_ai.control.slice_names import import_place, registered_slices
from supervisor_ai.control.slices import LatePorts, SliceProject
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId, StreamId
from supervisor_ai.domain.run.definition import Role
from supervisor_ai.engine.ports.oversight import OverseenWorker, Oversight, WorkerActivity

MakeOversight = Callable[[SessionDesk, Mapping[str, object]], Oversight]
"""Makes it with the adapters of the slice's ports by their names."""


class LateOversight:
    """Finds who watches over the workers of a run when one says so."""

    def __init__(self, desk: SessionDesk, project: Callable[[], SliceProject]) -> None:
        def make(kind: str) -> Oversight:
            named = registered_slices().get(kind)
            if named is None or named.oversight is None:
                raise InvalidInput(f"Nobody watches over workers for {kind[:80]!r}.")
            opened = cast("MakeOversight", import_place(named.oversight))
            return opened(desk, LatePorts(named, project))

        self._made = cache(make)

    def require(self, overseer: StreamId, roles: tuple[Role, ...]) -> tuple[str, ...]:
        """Refuse what can never be watched over; return what a person should know beforehand."""
        return self._of(overseer).require(overseer, roles)

    def follow(self, overseer: StreamId, run: RunId) -> None:
        """Take note of what is new in a run's stream."""
        self._of(overseer).follow(overseer, run)

    def hold(self, worker: OverseenWorker) -> str | None:
        """Say why a worker has to wait; None: it may start."""
        return self._of(worker.overseer).hold(worker)

    def hold_landing(self, overseer: StreamId, run: RunId) -> str | None:
        """Say why what a run has made may not land yet; None: it may."""
        return self._of(overseer).hold_landing(overseer, run)

    def saw(self, worker: OverseenWorker, activity: WorkerActivity) -> None:
        """Take note of what a worker has done so far."""
        self._of(worker.overseer).saw(worker, activity)

    def _of(self, overseer: StreamId) -> Oversight:
        return self._made(overseer.partition(":")[0])
