"""The facts of projects in a feature's run: brought in from elsewhere, handed to dependents."""

from typing import ClassVar, Final

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted, RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin


class GatheringStarted(OperationStarted, frozen=True, kw_only=True):
    """The files of other repositories are about to be brought in."""

    operation: ClassVar = "gathering"

    def lost(self) -> "GatheringLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return GatheringLost(step=self.step, visit=self.visit, slot=self.slot)


class ProjectsGathered(OperationEnded, frozen=True, kw_only=True):
    """A commit has the files of all projects; it is not on the branch yet."""

    ends: ClassVar = GatheringStarted

    snapshot: Snapshot
    task: ArtifactHash
    """What the commit is described with."""
    origins: tuple[ProjectOrigin, ...]


class ProjectsRefused(OperationEnded, frozen=True, kw_only=True):
    """The files of a repository cannot be had."""

    ends: ClassVar = GatheringStarted

    reason: str


class GatheringLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; doing it again is harmless."""

    ends: ClassVar = GatheringStarted


class HandoverStarted(OperationStarted, frozen=True, kw_only=True):
    """What a project publishes is about to be copied to those who depend on it."""

    operation: ClassVar = "handover"

    def lost(self) -> "HandoverLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return HandoverLost(step=self.step, visit=self.visit, slot=self.slot)


class HandoverMade(OperationEnded, frozen=True, kw_only=True):
    """A commit has the copies; it is not on the branch yet."""

    ends: ClassVar = HandoverStarted

    snapshot: Snapshot
    task: ArtifactHash
    """What the commit is described with."""


class HandoverNeedless(OperationEnded, frozen=True, kw_only=True):
    """Those who depend on the project have its files already."""

    ends: ClassVar = HandoverStarted


class HandoverRefused(OperationEnded, frozen=True, kw_only=True):
    """There is nothing of what the project says that it publishes."""

    ends: ClassVar = HandoverStarted

    reason: str


class HandoverLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; doing it again is harmless."""

    ends: ClassVar = HandoverStarted


PROJECT_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    GatheringStarted,
    ProjectsGathered,
    ProjectsRefused,
    GatheringLost,
    HandoverStarted,
    HandoverMade,
    HandoverNeedless,
    HandoverRefused,
    HandoverLost,
)
