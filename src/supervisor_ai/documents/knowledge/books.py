"""What is kept of what supervisors wrote: stamped, indexed, and refused where it has no form."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.knowledge import (
    KnowledgeReading,
    ReadDocument,
    Revision,
    StoreFile,
)
from supervisor_ai.control.slices import SliceProject
from supervisor_ai.documents.knowledge.reader import KnowledgeReader
from supervisor_ai.documents.knowledge.store_text import MarkdownStore
from supervisor_ai.domain.knowledge.documents import (
    MAX_TITLE,
    STORE,
    KnowledgeArea,
    KnowledgeDocument,
    KnowledgeStatus,
    line_text,
    section_text,
)
from supervisor_ai.domain.knowledge.life import KnowledgeUse, is_due, record_of
from supervisor_ai.domain.knowledge.updates import (
    SetStatus,
    Update,
    UpdateRefusal,
    WriteDocument,
)
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.slugs import cut, slug_of
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.quality.ports import (
    Files,
    KnowledgeItem,
    SettledKnowledge,
    WrittenKnowledge,
)

_BELOW: Final = f"{STORE}/"
_CATEGORIES: Final[Mapping[str, KnowledgeArea]] = {
    "lesson": KnowledgeArea.LESSONS,
    "domain": KnowledgeArea.DOMAIN,
}
_PROVED: Final = "supervisor"


def open_knowledge_books(project: Callable[[], SliceProject]) -> "MarkdownBooks":
    """Open what settles the work of supervisors; it needs nothing of the project itself."""
    del project
    return MarkdownBooks(KnowledgeReader(RuleRedactor()))


class MarkdownBooks:
    """Looks at files of the project by their paths, and touches none."""

    def __init__(self, reading: KnowledgeReading) -> None:
        self._reading = reading
        self._store = MarkdownStore(reading)

    def settle(self, written: WrittenKnowledge) -> SettledKnowledge:
        """Return what is kept of what a supervisor wrote, stamped and indexed."""
        before = dict(_stored(written.before))
        updates: list[Update] = []
        refused: list[UpdateRefusal] = []
        for path, content in _stored(written.after):
            if before.get(path) != content and self._reading.is_document(path):
                wish = self._wish(written, path, content, is_known=path in before)
                if isinstance(wish, UpdateRefusal):
                    refused.append(wish)
                else:
                    updates.append(wish)
        gone = sorted(set(before) - {path for path, _ in _stored(written.after)})
        refused += (UpdateRefusal(path=path, reason=_NOT_REMOVED) for path in gone)
        known = self._store.contents(_files(before)).documents.values()
        updates += _noted(written, known, {*before, *(it.path for it in updates)})
        revision = self._store.revise(_files(before), updates, written.owns)
        wanted = {it.path for it in updates if isinstance(it, WriteDocument) and it.needs_review}
        return _settled(revision, refused, reviews=len(wanted.intersection(revision.changed)))

    def promoted(self, files: Files, uses: Sequence[KnowledgeUse], task: str) -> SettledKnowledge:
        """Establish the documents that have proved themselves."""
        stored = dict(_stored(files))
        documents = self._store.contents(_files(stored)).documents
        due = [path for path, it in documents.items() if is_due(it, record_of(it, uses))]
        updates = [
            SetStatus(by=_PROVED, task=task, path=path, status=KnowledgeStatus.ESTABLISHED)
            for path in due
        ]
        areas = {it.area for it in documents.values()}
        return _settled(self._store.revise(_files(stored), updates, areas), (), reviews=0)

    def is_empty(self, files: Files, owns: tuple[str, ...]) -> bool:
        """Tell whether a supervisor has nothing to compare with yet."""
        return not any(it.area in owns for it in self._documents(files))

    def digest(self, files: Files, *, most: int) -> str:
        """Write down what the store says, within so many characters; firm documents come first."""
        told: list[str] = []
        known = (it for it in self._documents(files) if it.area != KnowledgeArea.DIRECTIVES)
        for it in sorted(known, key=lambda it: (it.status != KnowledgeStatus.ESTABLISHED, it.path)):
            text = f"{STORE}/{it.path} ({it.status.value}): {it.title}\n{it.rules}\n"
            if sum(map(len, told)) + len(told) + len(text) > most:
                break
            told.append(text)
        return "\n".join(told)

    def directives(self, files: Files) -> tuple[str, ...]:
        """Return the texts that people left for the scope planner."""
        found = (it for it in self._documents(files) if it.area == KnowledgeArea.DIRECTIVES)
        return tuple(
            f"{it.title}\n{it.rules}" for it in found if it.status != KnowledgeStatus.DEPRECATED
        )

    def _documents(self, files: Files) -> Iterable[KnowledgeDocument]:
        return self._store.contents(_files(dict(_stored(files)))).documents.values()

    def _wish(
        self, written: WrittenKnowledge, path: str, content: bytes, *, is_known: bool
    ) -> Update | UpdateRefusal:
        """Say what a file that a supervisor left is meant to change, or why it changes nothing."""
        read: ReadDocument = self._reading.read_file(StoreFile(path=path, content=content))
        found, place = read.document, PurePosixPath(path)
        if found is None or read.problems:
            reason = "; ".join(it.text for it in read.problems) or "it says nothing"
            return UpdateRefusal(path=path, reason=reason)
        if place.parent.parent != PurePosixPath():
            return UpdateRefusal(path=path, reason="documents lie right in their directory")
        if is_known and found.status is KnowledgeStatus.DEPRECATED:
            return SetStatus(by=written.writer, task=written.task, path=path, status=found.status)
        return WriteDocument(
            by=written.writer,
            task=written.task,
            area=found.area,
            name=place.stem,
            title=found.title,
            rules=found.rules,
            examples=found.examples,
            rationale=found.rationale,
            needs_review=found.needs_review,
        )


_NOT_REMOVED: Final = "documents are deprecated and never removed"


def _noted(
    written: WrittenKnowledge, known: Iterable[KnowledgeDocument], taken: set[str]
) -> Iterator[WriteDocument]:
    """Make a document of each thing that was learnt and that nobody has written down yet."""
    said = {it.rules for it in known}
    for item in written.items:
        note = _note(written, item)
        names = (f"{note.name}-{number}" for number in count(2))
        while note.path in taken:
            note = replace(note, name=next(names))
        if section_text(note.rules) not in said:
            said.add(section_text(note.rules))
            taken.add(note.path)
            yield note


def _note(written: WrittenKnowledge, item: KnowledgeItem) -> WriteDocument:
    first = line_text(item.content.strip().partition("\n")[0], len(item.content))
    confidence = line_text(item.confidence, MAX_TITLE)
    return WriteDocument(
        by=written.writer,
        task=item.source_task or written.task,
        what=f"captured, confidence {confidence}" if confidence else "captured",
        area=_CATEGORIES.get(item.category, KnowledgeArea.LESSONS),
        name=slug_of(first) or "note",
        title=cut(first, MAX_TITLE, " "),
        rules=item.content,
        needs_review=item.needs_user_review,
    )


def _stored(files: Files) -> Iterator[tuple[str, bytes]]:
    """Name the files of the store by their paths in it."""
    for path, content in sorted(files.items()):
        if path.startswith(_BELOW):
            yield path.removeprefix(_BELOW), content


def _files(stored: Mapping[str, bytes]) -> list[StoreFile]:
    return [StoreFile(path=path, content=content) for path, content in stored.items()]


def _settled(
    revision: Revision, refused: Iterable[UpdateRefusal], *, reviews: int
) -> SettledKnowledge:
    wrong = (*refused, *(it for it in revision.refused if not it.is_same))
    return SettledKnowledge(
        files={f"{_BELOW}{path}": content for path, content in revision.contents.items()},
        updated=tuple(f"{_BELOW}{path}" for path in revision.changed),
        refused=tuple((f"{_BELOW}{it.path}", it.reason) for it in wrong),
        reviews=reviews,
    )
