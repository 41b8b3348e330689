"""The knowledge store as people ask about it: listed, shown, searched, and what waits for them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from supervisor_ai.control.ports.knowledge import (
    GuideFiles,
    GuideText,
    KnowledgeFolder,
    StoreFile,
    StoreProblem,
    StoreText,
)
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.knowledge.documents import (
    STORE,
    ChangeNote,
    KnowledgeDocument,
    KnowledgeStatus,
)
from supervisor_ai.domain.knowledge.life import ENOUGH, KnowledgeUse, is_due, record_of
from supervisor_ai.domain.knowledge.selection import StoreName
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.knowledge import KnowledgeHit
from supervisor_ai.tools.text import counted, nearest

_BELOW = f"{STORE}/"


class KnowledgeOffice(Struct, frozen=True, kw_only=True):
    """The stores of a checkout and of its user, and what is recorded about their use."""

    stores: Mapping[StoreName, KnowledgeFolder]
    places: Mapping[StoreName, str]
    """Where people find them."""
    text: StoreText
    uses: Callable[[], Sequence[KnowledgeUse]]
    committed: Callable[[], Sequence[StoreFile]]
    """The project's store as the checkout's commit has it."""
    search: Callable[[str, int], Sequence[KnowledgeHit]]
    guides: GuideFiles
    guide_text: GuideText


class DocumentView(Struct, frozen=True, kw_only=True):
    """A document as lists show it."""

    path: str
    """Where its file is, from the top of the repository; of the user's own, in full."""
    store: StoreName
    title: str
    status: KnowledgeStatus
    updated_by: str
    uses: int
    """How many tasks were told of it."""
    clean_uses: int
    """How many of them in a row had nothing to mend."""
    is_due: bool
    """Whether it has proved itself and can be promoted."""
    needs_review: bool
    is_committed: bool
    """Whether runs see it as it is; of the user's own always."""
    rules: str
    examples: str = ""
    rationale: str = ""
    changes: tuple[ChangeNote, ...] = ()
    why: str = ""
    """Why it is shown here: what it waits for, or how well it fits a search."""


class DocumentList(Struct, frozen=True, kw_only=True):
    """Documents, how many there are in all, and what of the files could not be read rightly."""

    documents: tuple[DocumentView, ...]
    total: int
    truncated: bool = False
    problems: tuple[StoreProblem, ...] = ()


class StoredDocument(Struct, frozen=True, kw_only=True):
    """A document and the store that it is in."""

    store: StoreName
    path: str
    """Its path in the store."""
    document: KnowledgeDocument


def list_documents(
    office: KnowledgeOffice, *, status: str | None = None, most: int | None = None
) -> DocumentList:
    """List the documents of both stores, the project's first."""
    found, problems = _read(office)
    wanted = [it for it in found if status in {None, it.document.status}]
    return DocumentList(
        documents=tuple(_views(office, wanted[:most])),
        total=len(wanted),
        truncated=most is not None and len(wanted) > most,
        problems=problems,
    )


def show_document(office: KnowledgeOffice, name: str) -> DocumentView:
    """Show one document."""
    (view,) = _views(office, [find_document(office, name)])
    return view


def find_document(office: KnowledgeOffice, name: str) -> StoredDocument:
    """Find a document by its file, by its path in the store or by its name alone."""
    found, _ = _read(office)
    known = {name.removeprefix(_BELOW), name.removeprefix("user:")}
    exact = [it for it in found if it.path in known or place(office, it) == name]
    matching = exact or [it for it in found if it.path.rpartition("/")[2] in {name, f"{name}.md"}]
    if len(matching) > 1 and len({it.path for it in matching}) == 1:
        is_own = name.startswith("user:")
        wanted = StoreName.USER if is_own else StoreName.PROJECT
        matching = [it for it in matching if it.store is wanted]
    if len(matching) > 1:
        named = ", ".join(place(office, it) for it in matching[:5])
        raise InvalidInput(
            f"{name!r} names {len(matching)} documents: {named}.", hint="Write the whole path."
        )
    if not matching:
        near = nearest(name, [it.path for it in found])
        raise NotFound(
            f"There is no document {name!r} in the knowledge store.",
            hint=f"Did you mean {near!r}?" if near else "List them: supervisor knowledge list",
        )
    return matching[0]


def search_documents(office: KnowledgeOffice, words: str, *, most: int) -> tuple[DocumentView, ...]:
    """Find the documents that fit some words best."""
    hits = office.search(words, most)
    stored = [
        StoredDocument(store=it.store, path=it.document.path, document=it.document) for it in hits
    ]
    return tuple(
        replace(view, why=f"relevance {hit.relevance:.2f}")
        for view, hit in zip(_views(office, stored), hits, strict=True)
    )


def review_queue(office: KnowledgeOffice) -> tuple[DocumentView, ...]:
    """List what waits for a person: what somebody wants seen, what is proved, what is a guess."""
    found, _ = _read(office)
    waiting = _views(office, [it for it in found if _waits(it.document)])
    order = sorted(waiting, key=lambda it: (not it.needs_review, not it.is_due, it.path))
    return tuple(replace(it, why=_why(it)) for it in order)


def place(office: KnowledgeOffice, stored: StoredDocument) -> str:
    """Say where a document's file is."""
    return f"{office.places[stored.store]}/{stored.path}"


def _waits(document: KnowledgeDocument) -> bool:
    is_guess = document.status is KnowledgeStatus.PROVISIONAL
    return is_guess or (document.needs_review and document.status is not KnowledgeStatus.DEPRECATED)


def _why(item: DocumentView) -> str:
    if item.needs_review:
        return "whoever wrote it wants a person to look at it"
    if item.is_due:
        return f"{counted(item.clean_uses, 'task')} in a row went well with it: promote it"
    return f"a guess; {item.clean_uses} of {ENOUGH} tasks in a row went well with it"


def _read(office: KnowledgeOffice) -> tuple[list[StoredDocument], tuple[StoreProblem, ...]]:
    found: list[StoredDocument] = []
    problems: list[StoreProblem] = []
    for store, folder in office.stores.items():
        contents = office.text.contents(folder.read())
        found += (
            StoredDocument(store=store, path=path, document=document)
            for path, document in sorted(contents.documents.items())
        )
        problems += contents.problems
    return found, tuple(problems)


def _views(office: KnowledgeOffice, found: Iterable[StoredDocument]) -> list[DocumentView]:
    uses = office.uses()
    committed = office.text.contents(office.committed()).documents
    views = []
    for it in found:
        document, record = it.document, record_of(it.document, uses)
        is_own = it.store is StoreName.USER
        views.append(
            DocumentView(
                path=place(office, it),
                store=it.store,
                title=document.title,
                status=document.status,
                updated_by=", ".join(filter(None, (document.by, document.task))),
                uses=record.uses,
                clean_uses=record.clean,
                is_due=is_due(document, record),
                needs_review=document.needs_review,
                is_committed=is_own or committed.get(it.path) == document,
                rules=document.rules,
                examples=document.examples,
                rationale=document.rationale,
                changes=document.changes,
            )
        )
    return views
