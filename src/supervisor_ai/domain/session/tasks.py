"""The machine of a session's task."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash


class TaskStatus(StrEnum):
    """Where a task stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


TASK_MOVES: Final = frozenset(
    {
        (TaskStatus.PENDING, TaskStatus.IN_PROGRESS),
        (TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED),
        # Whoever was at it is gone, and it is to be done from its beginning.
        (TaskStatus.IN_PROGRESS, TaskStatus.PENDING),
        # Who only hands a task on moves nothing.
        *((status, status) for status in TaskStatus),
    }
)
"""The only moves of a task."""
CHECKPOINT_MOVES: Final = TASK_MOVES | {(TaskStatus.COMPLETED, TaskStatus.IN_PROGRESS)}
"""Those of a checkpoint, which can be asked for once more when it is completed."""
CHECKPOINT: Final = "CHECKPOINT-"
"""How the names of tasks begin that are the supervisor's alone."""


class SessionTask(Struct, frozen=True, kw_only=True):
    """A task and where it stands."""

    task: str
    subject: ArtifactHash
    owner: str
    blocked_by: tuple[str, ...]
    status: TaskStatus = TaskStatus.PENDING

    @property
    def is_checkpoint(self) -> bool:
        """Tell whether only the supervisor does it."""
        return self.task.startswith(CHECKPOINT)
