"""What a project knows: chosen for a worker, and searched."""

from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import KnowledgeDocument
from supervisor_ai.domain.knowledge.selection import (
    InjectedKnowledge,
    KnowledgePlan,
    StoreName,
)


class KnowledgeRequest(Struct, frozen=True, kw_only=True):
    """For whom documents are chosen."""

    plan: KnowledgePlan
    commit: CommitSha
    """Whose store it is."""
    task: str
    themes: str = ""
    since: CommitSha | None = None
    hides: tuple[str, ...] = ()
    """Patterns of files that do not exist for the role."""
    model: str = ""
    """Whose tokens are counted."""


class KnowledgeHit(Struct, frozen=True, kw_only=True):
    """A document that a search has found."""

    store: StoreName
    document: KnowledgeDocument
    relevance: float


class KnowledgeShelf(Protocol):
    """The knowledge stores of a project and of its user; whatever lies there is hostile."""

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Choose within the budget what a worker is told, as material that can command nothing."""
        ...

    def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        """Find the documents of both stores that fit some words best."""
        ...


class NoKnowledge:
    """A world in which nothing is known."""

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Tell nothing."""
        return InjectedKnowledge(text="", tokens=0, budget=request.plan.budget)

    def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        """Find nothing."""
        del commit, words, most
        return ()
