"""The facts of a feature: assignments, interfaces and merges."""

from typing import ClassVar, Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, TreeSha
from supervisor_ai.domain.run.event_kinds.placed import (
    OperationEnded,
    OperationStarted,
    RunEvent,
    StepNote,
)
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature.interfaces.events import INTERFACE_EVENTS
from supervisor_ai.drivers.feature.plan.model import ComponentId


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


class WorkerNote(Struct, frozen=True, kw_only=True):
    """What the worker of one component leaves for that of another."""

    to: ComponentId
    text: ArtifactHash


class MergeStarted(OperationStarted, frozen=True, kw_only=True):
    """A component's work is about to be merged with the feature's branch, where nobody sees it."""

    operation: ClassVar = "merge"

    child: RunId
    onto: CommitSha
    tree: TreeSha | None = None
    """All files of what it is merged with."""

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
    known: tuple[str, ...] = ()
    """The gates that passed on exactly these files already, in the component's own run."""
    structural: tuple[str, ...] = ()
    """The files that git could not merge and a tool could, by their structure."""
    notes: tuple[WorkerNote, ...] = ()


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


class MergeEvicted(StepNote, frozen=True, kw_only=True):
    """It is red together with others: it leaves the queue, and who they are is looked for."""

    step_verdict: ClassVar = "red"

    gate: str
    low: int
    """The landing before it began, where nobody looked yet; -2: there was none."""
    high: int
    """The landing with which it is red."""
    reason: str
    told: tuple[ArtifactHash, ...] = ()
    """What the gate said."""


class MergeDropped(StepNote, frozen=True, kw_only=True):
    """What it was merged with did not land, so that it is merged anew."""


class MergeLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; merging again is harmless."""

    ends: ClassVar = MergeStarted


class TouchedFiles(Struct, frozen=True, kw_only=True):
    """What the run of a component has changed so far."""

    component: ComponentId
    child: RunId
    files: tuple[str, ...]


class TouchedFilesLookStarted(OperationStarted, frozen=True, kw_only=True):
    """Somebody is about to look which files components at work have changed by now."""

    operation: ClassVar = "touched_files"

    def lost(self) -> "TouchedFilesLookLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return TouchedFilesLookLost(step=self.step, visit=self.visit, slot=self.slot)


class TouchedFilesSeen(OperationEnded, frozen=True, kw_only=True):
    """It is known which files components at work have changed by now."""

    ends: ClassVar = TouchedFilesLookStarted

    seen: tuple[TouchedFiles, ...]


class TouchedFilesLookLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; looking again is harmless."""

    ends: ClassVar = TouchedFilesLookStarted


class RevertStarted(OperationStarted, frozen=True, kw_only=True):
    """What a component has put on the branch is about to be taken back, where nobody sees it."""

    operation: ClassVar = "revert"

    commit: CommitSha
    """What is taken back."""
    onto: CommitSha

    def lost(self) -> "RevertLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return RevertLost(step=self.step, visit=self.visit, slot=self.slot)


class RevertPrepared(OperationEnded, frozen=True, kw_only=True):
    """A commit takes the component back; its gates can run."""

    ends: ClassVar = RevertStarted
    step_verdict: ClassVar = "reverted"

    snapshot: Snapshot
    task: ArtifactHash
    """What the commit is described with."""


class RevertNeedless(OperationEnded, frozen=True, kw_only=True):
    """The branch has nothing of the component any more."""

    ends: ClassVar = RevertStarted


class RevertRefused(OperationEnded, frozen=True, kw_only=True):
    """The component cannot be taken back by itself."""

    ends: ClassVar = RevertStarted
    step_verdict: ClassVar = "conflict"

    reason: str
    report: ArtifactHash


class RevertLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; trying again is harmless."""

    ends: ClassVar = RevertStarted


class PhasePlace(Struct, frozen=True, kw_only=True):
    """A phase in the order of a plan."""

    id: str
    sequence: int


class ComponentPlace(Struct, frozen=True, kw_only=True):
    """A component in its phase, and what it waits for."""

    id: str
    phase: str
    role: str | None = None
    depends_on: tuple[str, ...] = ()


class FeaturePlanned(StepNote, frozen=True, kw_only=True):
    """What the run builds, as ids; its words are in the definition that it pins."""

    feature: str
    phases: tuple[PhasePlace, ...]
    components: tuple[ComponentPlace, ...]


class PhaseUndone(StepNote, frozen=True, kw_only=True):
    """Nothing of a phase is on the branch any more; its components are pending again."""

    phase: str
    components: tuple[str, ...]
    """All that are pending again."""


class PlanDraftStarted(OperationStarted, frozen=True, kw_only=True):
    """What a planner and a tech lead have answered is about to be put together."""

    operation: ClassVar = "plan_draft"

    def lost(self) -> "PlanDraftLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return PlanDraftLost(step=self.step, visit=self.visit, slot=self.slot)


class PlanDrafted(OperationEnded, frozen=True, kw_only=True):
    """The plan of a feature has no mistake, and is kept where it can be edited."""

    ends: ClassVar = PlanDraftStarted
    step_verdict: ClassVar = "drafted"

    feature: str
    plan: ArtifactHash
    components: int


class PlanRefused(OperationEnded, frozen=True, kw_only=True):
    """What was answered makes no plan that could be built."""

    ends: ClassVar = PlanDraftStarted
    step_verdict: ClassVar = "refused"

    findings: ArtifactHash
    """Every mistake, for whoever plans again."""


class PlanDraftLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; putting it together again is harmless."""

    ends: ClassVar = PlanDraftStarted


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
    MergeEvicted,
    MergeDropped,
    MergeLost,
    TouchedFilesLookStarted,
    TouchedFilesSeen,
    TouchedFilesLookLost,
    RevertStarted,
    RevertPrepared,
    RevertNeedless,
    RevertRefused,
    RevertLost,
    FeaturePlanned,
    PhaseUndone,
    PlanDraftStarted,
    PlanDrafted,
    PlanRefused,
    PlanDraftLost,
    *INTERFACE_EVENTS,
)
