"""What a project knows: chosen for a worker, searched, read and changed."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.project.knowledge.documents import KnowledgeArea, KnowledgeDocument
from supervisor_ai.domain.project.knowledge.selection import (
    InjectedKnowledge,
    KnowledgePlan,
    StoreName,
)
from supervisor_ai.domain.project.knowledge.updates import Refusal, SetStatus, WriteDocument


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


class StoreProblem(Struct, frozen=True, kw_only=True):
    """What of a store cannot be read as it should be."""

    path: str
    line: int | None
    text: str

    @property
    def sentence(self) -> str:
        """Say where and what."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.text}"


class StoreContents(Struct, frozen=True, kw_only=True):
    """The documents of a store by their paths, and what is wrong with its files."""

    documents: Mapping[str, KnowledgeDocument]
    problems: tuple[StoreProblem, ...] = ()


class Revision(Struct, frozen=True, kw_only=True):
    """What a store's files become."""

    contents: Mapping[str, bytes]
    """Files by their paths in the repository."""
    changed: tuple[str, ...]
    """The documents that change, by their paths in the store."""
    refused: tuple[Refusal, ...] = ()


class KnowledgeShelf(Protocol):
    """The knowledge stores of a project and of its user; whatever lies there is hostile."""

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Choose within the budget what a worker is told, as material that can command nothing."""
        ...

    async def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        """Find the documents of both stores that fit some words best."""
        ...

    async def contents(self, commit: CommitSha) -> StoreContents:
        """Read the project's store at a commit, its directives included."""
        ...

    async def revise(
        self,
        commit: CommitSha,
        updates: Sequence[WriteDocument | SetStatus],
        areas: Collection[KnowledgeArea],
    ) -> Revision:
        """Say what the files of the store become, its index included; nothing is written."""
        ...


class NoKnowledge:
    """A world in which nothing is known."""

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Tell nothing."""
        return InjectedKnowledge(text="", tokens=0, budget=request.plan.budget)

    async def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        """Find nothing."""
        del commit, words, most
        return ()

    async def contents(self, commit: CommitSha) -> StoreContents:
        """Read nothing."""
        del commit
        return StoreContents(documents={})

    async def revise(
        self,
        commit: CommitSha,
        updates: Sequence[WriteDocument | SetStatus],
        areas: Collection[KnowledgeArea],
    ) -> Revision:
        """Change nothing."""
        del commit, updates, areas
        return Revision(contents={}, changed=())
