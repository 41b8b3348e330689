"""The user of a command in a container: our own or, where that is root, another."""

import os
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from supervisor_ai.domain.run.definition import ResourceLimits
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.containers.engine import see_through
from supervisor_ai.sandboxes.processes.ownership import Handover
from supervisor_ai.sandboxes.processes.user_slots import Slots
from supervisor_ai.sandboxes.resource_limits.rlimits import (
    counts_by_namespace,
    impose,
    process_backstop,
    within_ours,
)


class ContainerUser(Struct, frozen=True, kw_only=True):
    """The user for whom one container is made."""

    user: int
    group: int
    handover: Handover | None
    """How files become the user's, where the user is not ours."""

    @property
    def is_own_user(self) -> bool:
        """Tell whether nobody else on this machine has the user."""
        return self.handover is not None

    async def move_in(self, mounts: Sequence[Mount]) -> None:
        """Make what is writable the user's."""
        if self.handover is not None:
            await see_through(lambda: self._give(mounts))

    def bound(self, pid: int, limits: ResourceLimits) -> None:
        """Bound the processes of a user that is not the container's own, where that is possible."""
        if not self.is_own_user and counts_by_namespace():
            most = within_ours(resource.RLIMIT_NPROC, process_backstop(limits))
            impose(pid, [(resource.RLIMIT_NPROC, most)])

    def _give(self, mounts: Sequence[Mount]) -> None:
        for mount in mounts:
            if mount.is_writable and self.handover is not None:
                self.handover.give_mount(mount)


@contextmanager
def invite(slots: Slots) -> Iterator[ContainerUser]:
    """Choose the user for one container; root itself never runs anything inside."""
    if os.geteuid() != 0:
        yield ContainerUser(user=os.geteuid(), group=os.getegid(), handover=None)
        return
    with slots.claim() as user:
        yield ContainerUser(user=user, group=user, handover=Handover(owner=user, users=slots.users))
