"""What a feature can ask for besides gates, integrations and runs."""

from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, TreeSha
from supervisor_ai.domain.run.effects import OperationEffect
from supervisor_ai.drivers.feature.events import AssignmentStarted, InterfacesStarted, MergeStarted
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature


class WriteAssignment(OperationEffect, frozen=True, kw_only=True):
    """Write down what a component's run is asked for."""

    feature: Feature
    component: ComponentId
    feedback: tuple[ArtifactHash, ...] = ()
    """What was wrong with it before."""

    def intent(self) -> AssignmentStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return AssignmentStarted(step=self.step, visit=self.visit, slot=self.slot)


class WriteInterfaces(OperationEffect, frozen=True, kw_only=True):
    """Write the interfaces of a feature into a commit."""

    begins_with: ClassVar = ("onto",)

    feature: Feature
    onto: CommitSha

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
    locked: tuple[str, ...] = ()
    """The files that no component may change."""

    def intent(self) -> MergeStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return MergeStarted(
            step=self.step, visit=self.visit, slot=self.slot, child=self.child, onto=self.onto
        )
