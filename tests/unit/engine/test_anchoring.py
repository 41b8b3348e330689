"""A run's last facts are anchored when it is left, and the anchor decides nothing."""

from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workspaces import AnchorPoint


class LockedAnchor:
    """An anchor on which git has left a lock."""

    def write(self, point: AnchorPoint) -> None:
        raise Unavailable(f"Event {point.seq} cannot be anchored.", hint="Remove the lock.")

    def read(self) -> AnchorPoint | None:
        return None


def test_a_run_completes_where_its_anchor_is_locked_and_the_lock_is_told() -> None:
    kernel, told = Kernel(None), list[str]()
    run = kernel.submit(flow(work("build")))
    world = replace(kernel.world, anchor=LockedAnchor(), tell=told.append)
    assert kernel.drive(run, world=world).status is RunStatus.COMPLETED
    assert len(told) == 1
    assert told[0].endswith("cannot be anchored. Remove the lock.")
