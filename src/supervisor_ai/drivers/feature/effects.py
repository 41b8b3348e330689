"""What a feature can ask for besides gates, integrations and runs."""

from typing import ClassVar

from msgspec import field

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, TreeSha
from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.effects import OperationEffect, RunGate
from supervisor_ai.drivers.feature.events import (
    AssignmentStarted,
    InterfacesStarted,
    MergeStarted,
    PlanDraftStarted,
    RevertStarted,
    TouchedFilesLookStarted,
)
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature


class WriteAssignment(OperationEffect, frozen=True, kw_only=True):
    """Write down what a component's run is asked for."""

    feature: Feature
    component: ComponentId
    feedback: tuple[ArtifactHash, ...] = ()
    """What was wrong with it before."""
    is_reopened: bool = False
    """Whether that is no fault of its own."""
    notes: tuple[tuple[ComponentId, ArtifactHash], ...] = ()
    """What workers of other components leave for this one, and who does."""

    def intent(self) -> AssignmentStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return AssignmentStarted(step=self.step, visit=self.visit, slot=self.slot)


class WriteInterfaces(OperationEffect, frozen=True, kw_only=True):
    """Write the interfaces of a feature into a commit."""

    begins_with: ClassVar = ("onto",)

    feature: Feature
    onto: CommitSha
    definitions: dict[str, ArtifactHash] = field(default_factory=dict)
    """What is written in place of the plan's definitions, by the names of interfaces."""

    def intent(self) -> InterfacesStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return InterfacesStarted(step=self.step, visit=self.visit, slot=self.slot)


class PrepareMerge(OperationEffect, frozen=True, kw_only=True):
    """Merge a component's work with the branch in a commit that is on no branch yet."""

    begins_with: ClassVar = ("onto",)

    child: RunId
    onto: CommitSha
    tree: TreeSha
    """All files of the branch as it stands."""
    gates: tuple[Gate, ...] = ()
    """The gates that the merge has to pass."""
    locked: tuple[str, ...] = ()
    """The files that no component may change."""
    claims: tuple[str, ...] | None = None
    """The only files that the component may write; None: others are merged, too."""
    names: dict[str, ComponentId] = field(default_factory=dict)
    """What components are called in the notes that workers leave."""
    frame: RunGate | None = None
    """How another tool is run that may merge what git cannot; None: none may."""

    def intent(self) -> MergeStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return MergeStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            child=self.child,
            onto=self.onto,
            tree=self.tree,
        )


class LookAtTouched(OperationEffect, frozen=True, kw_only=True):
    """Look which files components at work have changed by now."""

    children: dict[ComponentId, RunId]

    def intent(self) -> TouchedFilesLookStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return TouchedFilesLookStarted(step=self.step, visit=self.visit, slot=self.slot)


class PrepareRevert(OperationEffect, frozen=True, kw_only=True):
    """Take back what a component has put on the branch, in a commit that is on no branch yet."""

    begins_with: ClassVar = ("commit", "onto")

    title: str
    commit: CommitSha
    onto: CommitSha
    tree: TreeSha
    """All files of the branch as it stands."""

    def intent(self) -> RevertStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return RevertStarted(
            step=self.step, visit=self.visit, slot=self.slot, commit=self.commit, onto=self.onto
        )


class DraftPlan(OperationEffect, frozen=True, kw_only=True):
    """Put together what a planner and a tech lead have answered, and check all of it."""

    feature: str
    """The id that the feature is to have."""
    task: ArtifactHash
    phases: ArtifactHash | None
    """What the planner has answered; None: nobody was asked."""
    components: ArtifactHash | None
    """What the tech lead has answered."""

    def intent(self) -> PlanDraftStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return PlanDraftStarted(step=self.step, visit=self.visit, slot=self.slot)
