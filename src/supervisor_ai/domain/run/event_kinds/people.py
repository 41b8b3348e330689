"""The facts of people's answers."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    TreeSha,
)
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent
from supervisor_ai.domain.run.facts import (
    ApprovalReason,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(PlacedEvent):
    """A person is asked; the answer is bound to the tree."""

    reason: ApprovalReason
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalGiven(PlacedEvent):
    """A person said yes."""

    tree: TreeSha
    note: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRefused(PlacedEvent):
    """A person said no."""

    tree: TreeSha
    note: ArtifactHash
