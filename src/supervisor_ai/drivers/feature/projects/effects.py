"""What a feature over several projects asks for: files from elsewhere, and copies."""

from typing import ClassVar

from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.effects import OperationEffect
from supervisor_ai.drivers.feature.plan.projects import FeatureProject, TreeCopy
from supervisor_ai.drivers.feature.projects.events import GatheringStarted, HandoverStarted


class GatherProjects(OperationEffect, frozen=True, kw_only=True):
    """Bring the files of other repositories into a commit."""

    begins_with: ClassVar = ("onto",)

    onto: CommitSha
    projects: tuple[FeatureProject, ...]

    def intent(self) -> GatheringStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return GatheringStarted(step=self.step, visit=self.visit, slot=self.slot)


class PublishProject(OperationEffect, frozen=True, kw_only=True):
    """Copy what a project publishes to those who depend on it."""

    begins_with: ClassVar = ("onto",)

    project: str
    onto: CommitSha
    tree: TreeSha
    """All files of the branch as it stands."""
    copies: tuple[TreeCopy, ...]

    def intent(self) -> HandoverStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return HandoverStarted(step=self.step, visit=self.visit, slot=self.slot)
