"""Who may do what in a session: a closed list for each role of a member."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

SUPERVISOR: Final = "supervisor"
COORDINATOR: Final = "coordinator"
EVERYBODY: Final = "all"


class MemberRole(StrEnum):
    """What a member is there for."""

    COORDINATOR = "coordinator"
    SUPERVISOR = "supervisor"
    WORKER = "worker"
    OBSERVER = "observer"


class MemberPermission(StrEnum):
    """What somebody may be allowed to do in a session."""

    READ = "read"
    """Read all messages, states, tasks and artifacts."""
    LOG = "log"
    """Say something to one member."""
    BROADCAST = "broadcast"
    """Say something to all."""
    ADD_TASK = "add_task"
    MOVE_TASK = "move_task"
    REQUEST_CHECKPOINT = "request_checkpoint"
    REQUEST_SHUTDOWN = "request_shutdown"
    LEAD_TEAM = "lead_a_team"
    """Hand over, let in, tear down: whether it leads this one is looked at besides."""
    WATCH_RUNS = "watch_runs"
    """See how all runs of the project stand."""


_READS: Final = frozenset({MemberPermission.READ})
PERMISSIONS: Final = {
    MemberRole.COORDINATOR: frozenset(MemberPermission),
    MemberRole.SUPERVISOR: _READS
    | {MemberPermission.LOG, MemberPermission.MOVE_TASK, MemberPermission.WATCH_RUNS},
    MemberRole.WORKER: _READS
    | {MemberPermission.LOG, MemberPermission.BROADCAST, MemberPermission.MOVE_TASK},
    MemberRole.OBSERVER: _READS | {MemberPermission.WATCH_RUNS},
}
"""No decision of a person is on anybody's list: to agree, to overrule, to trust, to stop a run."""


class Member(Struct, frozen=True, kw_only=True):
    """Somebody who takes part."""

    name: str
    role: MemberRole
    token: str = ""
    """The hash of what proves who speaks."""
    awaits_delivery: bool = False
    """Whether it may have been lost on its way to whoever is to have it."""

    @property
    def voice(self) -> str:
        """Return as whom it speaks: whoever coordinates speaks as the coordinator."""
        return COORDINATOR if self.role is MemberRole.COORDINATOR else self.name

    def may(self, permission: MemberPermission) -> bool:
        """Tell whether it is on the list."""
        return permission in PERMISSIONS[self.role]
