"""The facts of what lands on a branch."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    TreeSha,
)
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationStarted(PlacedEvent):
    """A snapshot is about to land on the run's branch."""

    snapshot: CommitSha
    branch: str
    expected: CommitSha | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationLanded(PlacedEvent):
    """The snapshot is on the branch."""

    commit: CommitSha
    tree: TreeSha | None = None
    """All files of the commit; those of the snapshot, unless others had moved the branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationRefused(PlacedEvent):
    """The snapshot cannot be put on the branch."""

    reason: str
    detail: ArtifactHash | None = None
    """The same in words that a person can be asked with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationLost(PlacedEvent):
    """Its owner died and the snapshot had not landed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestStarted(PlacedEvent):
    """The run's branch is about to be pushed and a pull request to be opened."""

    branch: str
    commit: CommitSha


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestOpened(PlacedEvent):
    """There is a pull request for the branch."""

    url: str
    is_found: bool = False
    """Whether it had been there already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestRefused(PlacedEvent):
    """No pull request could be opened."""

    reason: str
    detail: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestLost(PlacedEvent):
    """Its owner died, and it is not known how far it came; asking again is harmless."""
