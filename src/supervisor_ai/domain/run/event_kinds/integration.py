"""The facts of what lands on a branch."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import (
    CommitSha,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationRefused(PlacedEvent):
    """The snapshot cannot be put on the branch."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationLost(PlacedEvent):
    """Its owner died and the snapshot had not landed."""
