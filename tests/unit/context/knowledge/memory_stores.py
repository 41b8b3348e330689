"""A knowledge library over stores in memory."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from supervisor_ai.context.knowledge.index import IndexShelf
from supervisor_ai.context.knowledge.library import KnowledgeLibrary
from supervisor_ai.context.tokens import CLAUDE, O200K, Estimator, TokenCounter
from supervisor_ai.control.ports.knowledge import StoreFile
from supervisor_ai.documents.knowledge.reader import KnowledgeReader
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.provenance import LookCommit
from supervisor_ai.domain.redaction.redactor import RuleRedactor

HEAD: Final = CommitSha("head")


class MemoryFolder:
    """A store in memory that counts how often it is read."""

    def __init__(self, files: Mapping[str, str], changed: Sequence[str] = ()) -> None:
        self.files = dict(files)
        self.read_count = 0
        self._changed = frozenset(changed)

    def stamp(self, commit: CommitSha = HEAD, looks: Sequence[LookCommit] = ()) -> str | None:
        del commit, looks
        return repr(sorted(self.files.items())) if self.files else None

    def read(
        self, commit: CommitSha = HEAD, looks: Sequence[LookCommit] = ()
    ) -> Sequence[StoreFile]:
        del commit, looks
        self.read_count += 1
        return [StoreFile(path=it, content=text.encode()) for it, text in self.files.items()]

    def changed(self, since: CommitSha, commit: CommitSha) -> frozenset[str]:
        del since, commit
        return self._changed

    def write(self, contents: Mapping[str, bytes], *, stamp: str | None) -> None:
        assert stamp == self.stamp()
        self.files |= {path: content.decode() for path, content in contents.items()}


def counting(model: str) -> TokenCounter:
    return Estimator(family=O200K if model == "gpt" else CLAUDE)


def library(
    project: MemoryFolder, own: MemoryFolder | None = None, directory: Path | None = None
) -> KnowledgeLibrary:
    return KnowledgeLibrary(
        commits=project,
        own=own or MemoryFolder({}),
        reading=KnowledgeReader(RuleRedactor()),
        indexes=IndexShelf(directory),
        counter=counting,
    )
