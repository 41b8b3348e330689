"""The facts of a kanban's files."""

from typing import ClassVar, Final

from msgspec import Struct, field

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, TreeSha
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted, RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.kanban.board.kanban import Agent, Phase, TaskState


class ImportedFile(Struct, frozen=True, kw_only=True):
    """A file as it was when it was read."""

    path: str
    artifact: ArtifactHash


class KanbanReadStarted(OperationStarted, frozen=True, kw_only=True):
    """The kanban's files are about to be read."""

    operation: ClassVar = "kanban"

    file: str

    def lost(self) -> "KanbanReadLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return KanbanReadLost(step=self.step, visit=self.visit, slot=self.slot)


class KanbanRead(OperationEnded, frozen=True, kw_only=True):
    """What the kanban's files said; everything that follows follows from this."""

    ends: ClassVar = KanbanReadStarted
    step_verdict: ClassVar = ":phase"

    snapshot: Snapshot
    tip: CommitSha | None
    """Where the run's branch stood; None: there was none yet."""
    phase: Phase
    sub_phase: str | None
    current: str | None
    role: Agent | None
    """What the header of the current task says."""
    tasks: tuple[str, ...]
    open: tuple[str, ...]
    files: tuple[ImportedFile, ...]
    states: dict[TaskState, int] = field(default_factory=dict)
    """How many of the tasks stand where."""
    rest: TreeSha | None = None
    """All files of the branch, where the kanban's own are in a plain directory."""


class KanbanUnreadable(OperationEnded, frozen=True, kw_only=True):
    """The kanban's files cannot be read as they are; a person has to mend them."""

    ends: ClassVar = KanbanReadStarted
    step_verdict: ClassVar = "unreadable"

    reason: str
    report: ArtifactHash
    """Every mistake, with its file and its line."""


class KanbanReadLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; reading again is harmless."""

    ends: ClassVar = KanbanReadStarted


class KanbanSaveStarted(OperationStarted, frozen=True, kw_only=True):
    """Files are about to be written into the kanban's plain directory."""

    operation: ClassVar = "save"

    start: CommitSha
    snapshot: CommitSha

    def lost(self) -> "KanbanSaveLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return KanbanSaveLost(step=self.step, visit=self.visit, slot=self.slot)


class KanbanSaved(OperationEnded, frozen=True, kw_only=True):
    """The directory has the files."""

    ends: ClassVar = KanbanSaveStarted

    rest: Snapshot
    """What else was changed, without them."""


class KanbanSaveRefused(OperationEnded, frozen=True, kw_only=True):
    """Somebody else has changed the files meanwhile."""

    ends: ClassVar = KanbanSaveStarted

    reason: str
    detail: ArtifactHash


class KanbanSaveLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; writing again is harmless."""

    ends: ClassVar = KanbanSaveStarted


KANBAN_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    KanbanReadStarted,
    KanbanRead,
    KanbanUnreadable,
    KanbanReadLost,
    KanbanSaveStarted,
    KanbanSaved,
    KanbanSaveRefused,
    KanbanSaveLost,
)
