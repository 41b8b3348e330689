"""What the knowledge store is asked for: to settle what supervisors wrote, and to be read."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.life import KnowledgeUse

Files = Mapping[str, bytes]
"""Contents by path in the project."""


class StoreFiles(Protocol):
    """Reads files of commits; links, and files that are no regular ones, are not there."""

    async def read(self, commit: CommitSha, folder: str) -> Files:
        """Read the markdown files below a folder."""
        ...

    async def sizes(self, commit: CommitSha, paths: Sequence[str]) -> Mapping[str, int]:
        """Say how many bytes some files have; what is not there is left out."""
        ...


class KnowledgeItem(Struct, frozen=True, kw_only=True):
    """Something that was learnt, in a supervisor's words."""

    category: str
    """`lesson` or `domain`."""
    content: str
    source_task: str = ""
    confidence: str = ""
    needs_user_review: bool = False


class WrittenKnowledge(Struct, frozen=True, kw_only=True):
    """What a supervisor left in the knowledge store."""

    writer: str
    task: str
    """After which task: `task_12`."""
    owns: tuple[str, ...]
    """The folders of the store that are the writer's."""
    before: Files
    """The store as it was."""
    after: Files
    """The store as the writer left it; only its own folders differ."""
    items: tuple[KnowledgeItem, ...] = ()
    """What is to be written down for it."""


class SettledKnowledge(Struct, frozen=True, kw_only=True):
    """What is kept of it."""

    files: Mapping[str, bytes | None]
    """What differs from the store as it was, stamped; None: no file."""
    updated: tuple[str, ...]
    """The documents that are new or changed."""
    refused: tuple[tuple[str, str], ...] = ()
    """The documents that have not the required form, each with the reason; they are not kept."""
    reviews: int = 0
    """How many items wait for a person."""


class KnowledgeBooks(Protocol):
    """Knows the form of the store's documents; looks at files and touches none."""

    def settle(self, written: WrittenKnowledge) -> SettledKnowledge:
        """Return what is kept of what a supervisor wrote, stamped and indexed."""
        ...

    def promoted(self, files: Files, uses: Sequence[KnowledgeUse], task: str) -> SettledKnowledge:
        """Establish the documents that have proved themselves."""
        ...

    def is_empty(self, files: Files, owns: tuple[str, ...]) -> bool:
        """Tell whether a supervisor has nothing to compare with yet."""
        ...

    def digest(self, files: Files, *, most: int) -> str:
        """Write down what the store says, within so many characters."""
        ...

    def directives(self, files: Files) -> tuple[str, ...]:
        """Return the texts that people left for the scope planner."""
        ...


class QualityPorts(Struct, frozen=True, kw_only=True):
    """What supervisors' looks are performed with, besides the world."""

    files: StoreFiles
    books: KnowledgeBooks
