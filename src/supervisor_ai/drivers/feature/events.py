"""The facts of a feature: assignments, interfaces and merges."""

from typing import ClassVar, Final

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted, RunEvent
from supervisor_ai.domain.run.values import Snapshot


class AssignmentStarted(OperationStarted, frozen=True, kw_only=True):
    """What a component's run is asked for is about to be written."""

    operation: ClassVar = "assignment"

    def lost(self) -> "AssignmentLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return AssignmentLost(step=self.step, visit=self.visit, slot=self.slot)


class AssignmentWritten(OperationEnded, frozen=True, kw_only=True):
    """The task of a component's run is written."""

    ends: ClassVar = AssignmentStarted

    task: ArtifactHash


class AssignmentLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; writing again is harmless."""

    ends: ClassVar = AssignmentStarted


class InterfacesStarted(OperationStarted, frozen=True, kw_only=True):
    """The interfaces are about to be written as files."""

    operation: ClassVar = "interfaces"

    def lost(self) -> "InterfacesLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return InterfacesLost(step=self.step, visit=self.visit, slot=self.slot)


class InterfacesWritten(OperationEnded, frozen=True, kw_only=True):
    """A commit has the interfaces; it is not on the branch yet."""

    ends: ClassVar = InterfacesStarted

    snapshot: Snapshot
    task: ArtifactHash
    """What the commit is described with."""


class InterfacesLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; writing again is harmless."""

    ends: ClassVar = InterfacesStarted


class MergeStarted(OperationStarted, frozen=True, kw_only=True):
    """A component's work is about to be merged with the feature's branch, where nobody sees it."""

    operation: ClassVar = "merge"

    child: RunId
    onto: CommitSha

    def lost(self) -> "MergeLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return MergeLost(step=self.step, visit=self.visit, slot=self.slot)


class MergePrepared(OperationEnded, frozen=True, kw_only=True):
    """The merge is clean; its gates can run."""

    ends: ClassVar = MergeStarted
    step_verdict: ClassVar = "merged"

    snapshot: Snapshot
    touched: tuple[str, ...] = ()
    """Which files the component really changed."""


class MergeNeedless(OperationEnded, frozen=True, kw_only=True):
    """The component changed nothing that the branch does not have."""

    ends: ClassVar = MergeStarted


class MergeRefused(OperationEnded, frozen=True, kw_only=True):
    """The component's work cannot be merged as it is."""

    ends: ClassVar = MergeStarted
    step_verdict: ClassVar = "conflict"

    reason: str
    report: ArtifactHash
    """What whoever builds it again is told."""


class MergeLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; merging again is harmless."""

    ends: ClassVar = MergeStarted


FEATURE_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    AssignmentStarted,
    AssignmentWritten,
    AssignmentLost,
    InterfacesStarted,
    InterfacesWritten,
    InterfacesLost,
    MergeStarted,
    MergePrepared,
    MergeNeedless,
    MergeRefused,
    MergeLost,
)
