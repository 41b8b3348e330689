"""The facts of a kanban's files."""

from dataclasses import dataclass, field

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, TreeSha
from supervisor_ai.domain.kanban.kanban import Agent, Phase, TaskState
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent
from supervisor_ai.domain.run.facts import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFile:
    """A file as it was when it was read."""

    path: str
    artifact: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanReadStarted(PlacedEvent):
    """The kanban's files are about to be read."""

    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanRead(PlacedEvent):
    """What the kanban's files said; everything that follows follows from this."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanUnreadable(PlacedEvent):
    """The kanban's files cannot be read as they are; a person has to mend them."""

    reason: str
    report: ArtifactHash
    """Every mistake, with its file and its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanReadLost(PlacedEvent):
    """Its owner died; reading again is harmless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanSaveStarted(PlacedEvent):
    """Files are about to be written into the kanban's plain directory."""

    start: CommitSha
    snapshot: CommitSha


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanSaved(PlacedEvent):
    """The directory has the files."""

    rest: Snapshot
    """What else was changed, without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanSaveRefused(PlacedEvent):
    """Somebody else has changed the files meanwhile."""

    reason: str
    detail: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanSaveLost(PlacedEvent):
    """Its owner died; writing again is harmless."""
