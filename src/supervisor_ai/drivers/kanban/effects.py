"""What the kanban driver can ask the engine to do besides what any driver can."""

from dataclasses import dataclass, fields
from typing import ClassVar

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.effects import OperationEffect, RunWorker
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, Obligation
from supervisor_ai.drivers.kanban.events import KanbanReadStarted, KanbanSaveStarted


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadKanban(OperationEffect):
    """Find out what a kanban's files say now."""

    begins_with: ClassVar = ("base", "landed")

    place: KanbanPlace
    branch: str
    base: CommitSha
    landed: CommitSha | None

    def intent(self) -> KanbanReadStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return KanbanReadStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            file=self.place.file,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveKanban(OperationEffect):
    """Write what changed in a kanban's files into its plain directory."""

    begins_with: ClassVar = ("start", "snapshot", "base")

    place: KanbanPlace
    start: CommitSha
    snapshot: CommitSha
    base: CommitSha

    def intent(self) -> KanbanSaveStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return KanbanSaveStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            start=self.start,
            snapshot=self.snapshot,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKanbanWorker(RunWorker):
    """Start an agent that owes the kanban something besides its answer."""

    obligation: Obligation


def with_obligation(effect: RunWorker, obligation: Obligation) -> RunKanbanWorker:
    """Let a worker owe the kanban something."""
    same = {field.name: getattr(effect, field.name) for field in fields(RunWorker)}
    return RunKanbanWorker(**same, obligation=obligation)
