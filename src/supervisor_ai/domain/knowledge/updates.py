"""What may be done to the knowledge store: whatever is asked, it stays valid."""

from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.knowledge.documents import (
    MAX_CHANGES,
    MAX_EXAMPLES,
    MAX_NOTE,
    MAX_RATIONALE,
    MAX_RULES,
    MAX_TITLE,
    PLAIN_NAME,
    USER,
    ChangeNote,
    KnowledgeDocument,
    KnowledgeStatus,
    area_of,
    line_text,
    name_text,
    section_text,
)
from supervisor_ai.domain.structs import replace

MOST_DOCUMENTS: Final = 5_000


class KnowledgeUpdate(Struct, frozen=True, kw_only=True, tag=True):
    """A change that somebody wants to make."""

    by: str
    """Who wants it: the name of a supervisor, or `user`."""
    task: str = ""
    """After which task."""
    what: str = ""
    """What changes, for the changelog."""


class WriteDocument(KnowledgeUpdate, frozen=True, kw_only=True):
    """Write a new document, or say something else in an old one."""

    area: str
    name: str
    """The file's name without `.md`."""
    title: str
    rules: str
    examples: str = ""
    rationale: str = ""
    needs_review: bool = False

    @property
    def path(self) -> str:
        """Return the path of the document in the store."""
        return f"{self.area}/{self.name}.md"


class SetStatus(KnowledgeUpdate, frozen=True, kw_only=True):
    """Say how firm a document is."""

    path: str
    status: KnowledgeStatus


Update = WriteDocument | SetStatus


class UpdateRefusal(Struct, frozen=True, kw_only=True):
    """Why a change is not made."""

    path: str
    reason: str
    is_same: bool = False
    """Whether nothing is wrong with it: the store says so already."""


def apply_update(
    documents: Mapping[str, KnowledgeDocument],
    update: Update,
    areas: Collection[str],
) -> KnowledgeDocument | UpdateRefusal:
    """Return the document as the update makes it, or why it is refused.

    `areas` are the directories that whoever asks may write.
    """
    area, path = area_of(update.path), line_text(update.path, MAX_NOTE)
    if area is None:
        return UpdateRefusal(path=path, reason="it lies in no directory of the store")
    if area not in areas:
        owned = ", ".join(sorted(areas)) or "no directory"
        whom = name_text(update.by)
        return UpdateRefusal(path=path, reason=f"{whom} may write {owned} and not {area}")
    if isinstance(update, SetStatus):
        return _with_status(documents, update)
    return _written(documents, update)


def _with_status(
    documents: Mapping[str, KnowledgeDocument], update: SetStatus
) -> KnowledgeDocument | UpdateRefusal:
    before = documents.get(update.path)
    if before is None:
        path = line_text(update.path, MAX_NOTE)
        return UpdateRefusal(path=path, reason="there is no such document")
    if before.status is update.status and not before.needs_review:
        reason = f"it is {update.status.value} already"
        return UpdateRefusal(path=before.path, reason=reason, is_same=True)
    is_firm = update.status is KnowledgeStatus.ESTABLISHED
    if is_firm and len(before.rules) > MAX_RULES:
        return UpdateRefusal(path=before.path, reason=_too_long("rules", before.rules, MAX_RULES))
    usual = f"{before.status.value} → {update.status.value}"
    changed = replace(before, status=update.status, needs_review=False)
    return _signed(changed, update, usual)


def _written(
    documents: Mapping[str, KnowledgeDocument], update: WriteDocument
) -> KnowledgeDocument | UpdateRefusal:
    said = replace(
        update,
        title=line_text(update.title, len(update.title)).lstrip("# "),
        rules=section_text(update.rules),
        examples=section_text(update.examples),
        rationale=section_text(update.rationale),
    )
    trouble = _trouble(said, is_full=len(documents) >= MOST_DOCUMENTS)
    before = documents.get(said.path)
    if trouble is not None and not (before and trouble == _FULL):
        return UpdateRefusal(path=line_text(update.path, MAX_NOTE), reason=trouble)
    document = KnowledgeDocument(
        path=said.path,
        title=said.title,
        status=KnowledgeStatus.PROVISIONAL,
        rules=said.rules,
        examples=said.examples,
        rationale=said.rationale,
        changes=before.changes if before else (),
        needs_review=said.needs_review,
    )
    if before is not None and before.fingerprint == document.fingerprint:
        return UpdateRefusal(path=before.path, reason="it says the same already", is_same=True)
    if name_text(update.by) == USER:
        document = replace(document, status=KnowledgeStatus.ESTABLISHED)
    return _signed(document, update, "written anew" if before else "written")


_FULL: Final = f"the store has {MOST_DOCUMENTS} documents, the most that it may have"


def _trouble(said: WriteDocument, *, is_full: bool) -> str | None:
    """Say what a document must not be like."""
    bounded = (
        ("title", said.title, MAX_TITLE),
        ("rules", said.rules, MAX_RULES),
        ("examples", said.examples, MAX_EXAMPLES),
        ("rationale", said.rationale, MAX_RATIONALE),
    )
    long = [_too_long(*it) for it in bounded if len(it[1]) > it[2]]
    if not PLAIN_NAME.fullmatch(said.name):
        return "a document's name has small letters, digits, '-' and '_' only"
    if not said.title or not said.rules:
        return f"it has no {'rules' if said.title else 'title'}"
    if long:
        return "; ".join(long)
    return _FULL if is_full else None


def _too_long(what: str, text: str, most: int) -> str:
    return f"{len(text)} characters of {what} are too many, at most {most} are allowed"


def _signed(document: KnowledgeDocument, update: KnowledgeUpdate, usual: str) -> KnowledgeDocument:
    """Note who changed it, after which task, and what."""
    by, task = name_text(update.by) or "unknown", name_text(update.task)
    note = ChangeNote(by=by, task=task, what=line_text(update.what, MAX_NOTE) or usual)
    changes = (*document.changes, note)[-MAX_CHANGES:]
    return replace(document, by=by, task=task, changes=changes)
