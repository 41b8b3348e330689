"""The facts of people's answers."""

from typing import ClassVar

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    TreeSha,
)
from supervisor_ai.domain.run.event_kinds.placed import RequestAnswered, RequestMade
from supervisor_ai.domain.run.values import ReasonWord


class ApprovalRequested(RequestMade, frozen=True, kw_only=True):
    """A person is asked; the answer is bound to the tree."""

    operation: ClassVar = "approval"
    waits_for: ClassVar = "an approval"

    reason: ReasonWord
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None


class ApprovalGiven(RequestAnswered, frozen=True, kw_only=True):
    """A person said yes."""

    ends: ClassVar = ApprovalRequested

    tree: TreeSha
    note: ArtifactHash | None


class ApprovalRefused(RequestAnswered, frozen=True, kw_only=True):
    """A person said no."""

    ends: ClassVar = ApprovalRequested

    tree: TreeSha
    note: ArtifactHash
