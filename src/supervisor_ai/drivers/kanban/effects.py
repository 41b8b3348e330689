"""What the kanban driver can ask the engine to do besides what any driver can."""

from typing import ClassVar

from msgspec.structs import asdict

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.effects import OperationEffect, RunWorker
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, Obligation
from supervisor_ai.drivers.kanban.events import KanbanReadStarted, KanbanSaveStarted


class ReadKanban(OperationEffect, frozen=True, kw_only=True):
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


class SaveKanban(OperationEffect, frozen=True, kw_only=True):
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


class RunKanbanWorker(RunWorker, frozen=True, kw_only=True):
    """Start an agent that owes the kanban something besides its answer."""

    obligation: Obligation


def with_obligation(effect: RunWorker, obligation: Obligation) -> RunKanbanWorker:
    """Let a worker owe the kanban something."""
    return RunKanbanWorker(**asdict(effect), obligation=obligation)
