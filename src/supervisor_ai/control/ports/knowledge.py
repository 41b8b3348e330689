"""Ports of the knowledge store: what became of its uses, and its files in a directory.

A run that does one task settles its uses by its end. A driver whose runs do several adds the
statements below to the rules of its own facts.
"""
# ruff: noqa: S608 - the statements are made of this module's own words

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import KnowledgeDocument
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.domain.knowledge.provenance import LookCommit
from supervisor_ai.domain.knowledge.updates import Update, UpdateRefusal, WriteDocument


def _settled(status: str) -> str:
    return f"UPDATE knowledge_uses SET status = '{status}' WHERE run = :run AND status = 'open'"


TASK_PASSED: Final = _settled("clean")
"""The task is done, and nothing of it was found wanting."""
QA_FAILED: Final = _settled("failed")
"""A check did not accept the task's work."""
TASK_DROPPED: Final = _settled("void")
"""The task ended for a reason that says nothing about what was known."""


class KnowledgeUses(Protocol):
    """Which tasks were told of which documents, and what became of them."""

    def knowledge_uses(self) -> tuple[KnowledgeUse, ...]:
        """Return all uses, the oldest first."""
        ...


class NoUses:
    """A ledger in which nobody was told of anything."""

    def knowledge_uses(self) -> tuple[KnowledgeUse, ...]:
        """Return nothing."""
        return ()


FILE_BYTES: Final = 64 * 1024
"""A larger file is no document: nobody could be told of it."""
MOST_FILES: Final = 10_000


class StoreFile(Struct, frozen=True, kw_only=True):
    """A file of a store as it was found."""

    path: str
    """Its path in the store."""
    content: bytes | None
    """None: it is not read."""
    trouble: str = ""
    """Why not."""


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


class ReadDocument(Struct, frozen=True, kw_only=True):
    """What a file says, and what is wrong with it; without a document it says nothing."""

    document: KnowledgeDocument | None
    problems: tuple[StoreProblem, ...] = ()


class StoreContents(Struct, frozen=True, kw_only=True):
    """The documents of a store by their paths, and what is wrong with its files."""

    documents: Mapping[str, KnowledgeDocument]
    problems: tuple[StoreProblem, ...] = ()


class Revision(Struct, frozen=True, kw_only=True):
    """What a store's files become."""

    contents: Mapping[str, bytes]
    """Files by their paths in the store; those that stay are not among them."""
    changed: tuple[str, ...]
    """The documents that change."""
    refused: tuple[UpdateRefusal, ...] = ()


class StoreText(Protocol):
    """Knows what a store's files say and what they become; it touches none of them."""

    def contents(self, files: Iterable[StoreFile]) -> StoreContents:
        """Read all documents."""
        ...

    def revise(
        self,
        files: Iterable[StoreFile],
        updates: Iterable[Update],
        areas: Collection[str],
    ) -> Revision:
        """Make all changes that are allowed, one after the other, and renew the index."""
        ...


class KnowledgeReading(Protocol):
    """Reads the form of documents, whatever people and agents made of it."""

    @property
    def edition(self) -> str:
        """Name everything that decides how a file is read."""
        ...

    def is_document(self, path: str) -> bool:
        """Tell whether a file of the store is meant to be a document."""
        ...

    def read_file(self, file: StoreFile) -> ReadDocument:
        """Read a file; its secrets are taken out."""
        ...

    def without_secrets(self, text: str) -> str:
        """Take the secrets out of what is to be written."""
        ...


class KnowledgeCommits(Protocol):
    """The stores of commits, read without a work tree."""

    def stamp(self, commit: CommitSha, looks: Sequence[LookCommit] = ()) -> str | None:
        """Name the store of a commit, with what supervisors wrote since; None: there is none."""
        ...

    def read(self, commit: CommitSha, looks: Sequence[LookCommit] = ()) -> Sequence[StoreFile]:
        """Read the files of both; links are named and not followed."""
        ...

    def changed(self, since: CommitSha, commit: CommitSha) -> frozenset[str]:
        """Name the files of the store that differ between two commits."""
        ...


class KnowledgeFolder(Protocol):
    """A store in a plain directory: the checkout's or the user's own."""

    def stamp(self) -> str | None:
        """Name what is in it, as far as it can be told without reading; None: there is none."""
        ...

    def read(self) -> Sequence[StoreFile]:
        """Read its files; nothing that a link leads to is read."""
        ...

    def write(self, contents: Mapping[str, bytes], *, stamp: str | None) -> None:
        """Write files by their paths; raises Conflict where the stamp is another by now."""
        ...


def taken_from(name: str) -> str:
    """Say in a changelog where a document comes from."""
    return f"taken from {name}"


class Seeds(Struct, frozen=True, kw_only=True):
    """What a file such as AGENTS.md can give to the store."""

    updates: tuple[WriteDocument, ...]
    left_out: tuple[str, ...] = ()
    """What has not the form of a rule, and why."""


class GuideText(Protocol):
    """Knows files that agents read anyway: AGENTS.md, CLAUDE.md and their like."""

    def exported(self, text: str | None, documents: Iterable[KnowledgeDocument]) -> str:
        """Return a file with the rules of these documents between our marks, and all else as is."""
        ...

    def restored(self, text: str) -> str | None:
        """Return the file as it was without our marks; None: there was none."""
        ...

    def seeds(self, name: str, text: str) -> Seeds:
        """Make documents of what a file says, section by section."""
        ...


class GuideFiles(Protocol):
    """The files right at the top of the user's checkout."""

    def read(self, name: str) -> str | None:
        """Return a file; None: there is none."""
        ...

    def write(self, name: str, text: str | None, *, before: str | None) -> None:
        """Write or remove a file; raises Conflict where it is no longer as it was before."""
        ...
