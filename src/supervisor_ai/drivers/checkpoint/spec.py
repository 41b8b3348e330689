"""What a role's file says: which checkpoints there are, and what is checked at each."""

from msgspec import Struct, field

from supervisor_ai.drivers.checkpoint.checks.model import CheckSpec
from supervisor_ai.drivers.checkpoint.protocol.replies import MessageTypes


class CheckpointSpec(Struct, frozen=True, kw_only=True):
    """One checkpoint of a pipeline."""

    task: str
    title: str
    checks: tuple[CheckSpec, ...]


class RoleSpec(Struct, frozen=True, kw_only=True):
    """Everything that a role's file says about a supervisor."""

    message_types: MessageTypes = MessageTypes()
    checkpoints: dict[str, CheckpointSpec] = field(default_factory=dict)
    every: tuple[CheckSpec, ...] = ()
    """What is checked at every checkpoint."""

    def checks_of(self, task: str) -> tuple[CheckSpec, ...] | None:
        """Return what is checked at a checkpoint; None: nobody has defined it."""
        found = self.checkpoints.get(task)
        return None if found is None else (*found.checks, *self.every)

    def plus(self, more: "RoleSpec") -> "RoleSpec":
        """Add the checkpoints and checks of another file to these."""
        merged = dict(self.checkpoints)
        for task, own in more.checkpoints.items():
            old = merged.get(task)
            checks = own.checks if old is None else (*old.checks, *own.checks)
            merged[task] = CheckpointSpec(task=task, title=own.title, checks=checks)
        return RoleSpec(
            message_types=more.message_types,
            checkpoints=merged,
            every=(*self.every, *more.every),
        )
