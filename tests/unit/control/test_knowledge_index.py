"""The index of a store is kept by everybody who changes a document by hand."""

from collections.abc import Sequence

from tests.support.knowledge_office import GUESS, READER, Folder, office

from supervisor_ai.control.commands.decisions.knowledge import (
    KnowledgeChange,
    carry_out,
    plan_document,
    plan_statuses,
)
from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice
from supervisor_ai.documents.knowledge.store_text import MarkdownStore
from supervisor_ai.documents.knowledge.writer import index_text
from supervisor_ai.domain.knowledge.documents import INDEX, KnowledgeStatus
from supervisor_ai.domain.knowledge.selection import StoreName
from supervisor_ai.domain.knowledge.updates import WriteDocument

DRAFT = WriteDocument(by="", area="", name="", title="New", rules="Do it.")


def index_after(where: KnowledgeOffice, changes: Sequence[KnowledgeChange]) -> str:
    """Carry changes out, and return the index, which says what the documents say."""
    carry_out(where, changes, dry_run=False)
    folder = where.stores[StoreName.PROJECT]
    assert isinstance(folder, Folder)
    documents = MarkdownStore(READER).contents(folder.read()).documents
    index = folder.files[INDEX].decode()
    assert index == index_text(documents.values())
    return index


def test_the_index_follows_what_is_added_promoted_and_deprecated_by_hand() -> None:
    where = office({"conventions/names.md": GUESS})
    new = plan_document(where, "design/new", DRAFT, StoreName.PROJECT)
    index = index_after(where, [new])
    assert "- [New](design/new.md)\n" in index
    assert "- [Names](conventions/names.md) (provisional)\n" in index
    index = index_after(where, plan_statuses(where, ["names"], KnowledgeStatus.ESTABLISHED, ""))
    assert "- [Names](conventions/names.md)\n" in index
    index = index_after(where, plan_statuses(where, ["new"], KnowledgeStatus.DEPRECATED, ""))
    assert "- [New](design/new.md) (deprecated)\n" in index
