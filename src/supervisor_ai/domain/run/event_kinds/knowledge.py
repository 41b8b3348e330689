"""The facts of what is known: who was told of which document, and what changes in the store."""

from typing import ClassVar

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, TreeSha
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted, StepNote


class ToldDocument(Struct, frozen=True, kw_only=True):
    """A document of the store as a worker was told of it."""

    path: str
    fingerprint: str
    """What it said then."""


class KnowledgeInjected(StepNote, frozen=True, kw_only=True):
    """What the worker is told of the knowledge store, and the record of what was left out."""

    attempt: int
    record: ArtifactHash
    tokens: int
    budget: int
    documents: tuple[ToldDocument, ...] = ()


class KnowledgeUpdateStarted(OperationStarted, frozen=True, kw_only=True):
    """Documents of the store are about to change on the run's branch."""

    operation: ClassVar = "knowledge"

    branch: str
    updates: ArtifactHash
    expected: CommitSha | None

    def lost(self) -> "KnowledgeUpdateLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return KnowledgeUpdateLost(step=self.step, visit=self.visit, slot=self.slot)


class KnowledgeUpdated(OperationEnded, frozen=True, kw_only=True):
    """The store has changed, by a commit of its own."""

    ends: ClassVar = KnowledgeUpdateStarted

    commit: CommitSha
    tree: TreeSha
    paths: tuple[str, ...] = ()
    """The documents that have changed."""
    refused: tuple[str, ...] = ()
    """Which changes were not made, and why."""


class KnowledgeNotUpdated(OperationEnded, frozen=True, kw_only=True):
    """Nothing of the store has changed."""

    ends: ClassVar = KnowledgeUpdateStarted

    reason: str
    refused: tuple[str, ...] = ()


class KnowledgeUpdateLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died, and it is not known whether the commit landed; asking again is harmless."""

    ends: ClassVar = KnowledgeUpdateStarted
