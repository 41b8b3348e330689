"""The facts of people's answers."""

from dataclasses import dataclass
from typing import ClassVar

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    TreeSha,
)
from supervisor_ai.domain.run.event_kinds.placed import RequestAnswered, RequestMade
from supervisor_ai.domain.run.values import (
    ApprovalReason,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(RequestMade):
    """A person is asked; the answer is bound to the tree."""

    operation: ClassVar = "approval"
    waits_for: ClassVar = "an approval"

    reason: ApprovalReason
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalGiven(RequestAnswered):
    """A person said yes."""

    ends: ClassVar = ApprovalRequested

    tree: TreeSha
    note: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRefused(RequestAnswered):
    """A person said no."""

    ends: ClassVar = ApprovalRequested

    tree: TreeSha
    note: ArtifactHash
