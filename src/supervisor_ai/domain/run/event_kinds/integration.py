"""The facts of what lands on a branch."""

from typing import ClassVar

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    TreeSha,
)
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted


class IntegrationStarted(OperationStarted, frozen=True, kw_only=True):
    """A snapshot is about to land on the run's branch."""

    operation: ClassVar = "integrate"

    snapshot: CommitSha
    branch: str
    expected: CommitSha | None

    def lost(self) -> "IntegrationLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return IntegrationLost(step=self.step, visit=self.visit, slot=self.slot)


class IntegrationLanded(OperationEnded, frozen=True, kw_only=True):
    """The snapshot is on the branch."""

    ends: ClassVar = IntegrationStarted

    commit: CommitSha
    tree: TreeSha | None = None
    """All files of the commit; those of the snapshot, unless others had moved the branch."""


class IntegrationRefused(OperationEnded, frozen=True, kw_only=True):
    """The snapshot cannot be put on the branch."""

    ends: ClassVar = IntegrationStarted

    reason: str
    detail: ArtifactHash | None = None
    """The same in words that a person can be asked with."""
    lacks_signature: bool = False
    """Whether all that is missing is the user's signature."""


class IntegrationLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died and the snapshot had not landed."""

    ends: ClassVar = IntegrationStarted


class PullRequestStarted(OperationStarted, frozen=True, kw_only=True):
    """The run's branch is about to be pushed and a pull request to be opened."""

    operation: ClassVar = "pull_request"

    branch: str
    commit: CommitSha

    def lost(self) -> "PullRequestLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return PullRequestLost(step=self.step, visit=self.visit, slot=self.slot)


class PullRequestOpened(OperationEnded, frozen=True, kw_only=True):
    """There is a pull request for the branch."""

    ends: ClassVar = PullRequestStarted
    step_verdict: ClassVar = "opened"

    url: str
    is_found: bool = False
    """Whether it had been there already."""


class PullRequestRefused(OperationEnded, frozen=True, kw_only=True):
    """No pull request could be opened."""

    ends: ClassVar = PullRequestStarted

    reason: str
    detail: ArtifactHash


class PullRequestLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died, and it is not known how far it came; asking again is harmless."""

    ends: ClassVar = PullRequestStarted
