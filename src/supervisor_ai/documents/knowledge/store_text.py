"""What the files of a store say and what they become; no file is touched here."""

from collections.abc import Collection, Iterable, Mapping

from supervisor_ai.control.ports.knowledge import (
    KnowledgeReading,
    Revision,
    StoreContents,
    StoreFile,
    StoreProblem,
)
from supervisor_ai.documents.knowledge.writer import document_text, index_text, restated_text
from supervisor_ai.domain.knowledge.documents import (
    INDEX,
    KnowledgeDocument,
)
from supervisor_ai.domain.knowledge.updates import (
    SetStatus,
    Update,
    UpdateRefusal,
    apply_update,
)


class MarkdownStore:
    """A store of markdown files."""

    def __init__(self, reading: KnowledgeReading) -> None:
        self._reading = reading

    def contents(self, files: Iterable[StoreFile]) -> StoreContents:
        """Read all documents."""
        documents: dict[str, KnowledgeDocument] = {}
        problems: list[StoreProblem] = []
        for file in files:
            if file.content is not None and not self._reading.is_document(file.path):
                continue
            read = self._reading.read_file(file)
            problems += read.problems
            if read.document is not None:
                documents[file.path] = read.document
        return StoreContents(documents=documents, problems=tuple(problems))

    def revise(
        self,
        files: Iterable[StoreFile],
        updates: Iterable[Update],
        areas: Collection[str],
    ) -> Revision:
        """Make all changes that are allowed, one after the other, and renew the index."""
        found = tuple(files)
        before = {it.path: it.content for it in found if it.content is not None}
        documents = dict(self.contents(found).documents)
        now: dict[str, bytes] = {}
        refused: list[UpdateRefusal] = []
        for update in updates:
            made = apply_update(documents, update, areas)
            if isinstance(made, UpdateRefusal):
                refused.append(made)
                continue
            text = self._reading.without_secrets(_text(update, made, {**before, **now}))
            now[update.path] = text.encode()
            documents[update.path] = made
        changed = tuple(sorted(path for path, text in now.items() if before.get(path) != text))
        return Revision(
            contents=now | renewed_index(documents, before) if changed else {},
            changed=changed,
            refused=tuple(refused),
        )


def renewed_index(
    documents: Mapping[str, KnowledgeDocument], before: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the index where it is not as it should be."""
    index = index_text(documents.values()).encode()
    return {} if before.get(INDEX) == index else {INDEX: index}


def _text(update: Update, made: KnowledgeDocument, files: Mapping[str, bytes]) -> str:
    if isinstance(update, SetStatus):
        return restated_text(files[update.path].decode("utf-8-sig", "replace"), made)
    return document_text(made)
