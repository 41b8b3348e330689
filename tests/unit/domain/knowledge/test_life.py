"""How a provisional document becomes an established one."""

import pytest

from supervisor_ai.domain.knowledge.documents import KnowledgeDocument, KnowledgeStatus
from supervisor_ai.domain.knowledge.life import (
    ENOUGH,
    KnowledgeUse,
    UseStatus,
    is_due,
    record_of,
)
from supervisor_ai.domain.structs import replace

DOCUMENT = KnowledgeDocument(
    path="conventions/errors.md",
    title="Errors",
    status=KnowledgeStatus.PROVISIONAL,
    rules="1. Raise ToolError",
)
CLEAN, FAILED, VOID, OPEN = (
    *(UseStatus.CLEAN, UseStatus.FAILED),
    *(UseStatus.VOID, UseStatus.OPEN),
)


def used(*statuses: UseStatus, document: KnowledgeDocument = DOCUMENT) -> list[KnowledgeUse]:
    return [
        KnowledgeUse(path=document.path, fingerprint=document.fingerprint, status=status)
        for status in statuses
    ]


@pytest.mark.parametrize(
    ("statuses", "clean"),
    [
        ((), 0),
        ((CLEAN,) * 4, 4),
        ((CLEAN,) * 5, 5),
        ((CLEAN, CLEAN, FAILED, CLEAN), 1),
        ((CLEAN, VOID, OPEN, CLEAN), 2),
        ((FAILED,), 0),
    ],
)
def test_clean_tasks_in_a_row_are_counted(statuses: tuple[UseStatus, ...], clean: int) -> None:
    record = record_of(DOCUMENT, used(*statuses))
    assert (record.uses, record.clean) == (len(statuses), clean)
    assert is_due(DOCUMENT, record) is (clean >= ENOUGH)


def test_what_it_said_before_proves_nothing() -> None:
    older = replace(DOCUMENT, rules="1. Return None")
    record = record_of(DOCUMENT, [*used(*(CLEAN,) * 5, document=older), *used(CLEAN)])
    assert (record.uses, record.clean) == (6, 1)


def test_uses_of_other_documents_do_not_count() -> None:
    other = replace(DOCUMENT, path="conventions/names.md")
    assert record_of(DOCUMENT, used(CLEAN, document=other)).uses == 0


@pytest.mark.parametrize(
    "document",
    [
        replace(DOCUMENT, status=KnowledgeStatus.ESTABLISHED),
        replace(DOCUMENT, status=KnowledgeStatus.DEPRECATED),
        replace(DOCUMENT, needs_review=True),
    ],
)
def test_only_a_guess_that_no_person_is_to_see_becomes_firm(document: KnowledgeDocument) -> None:
    assert not is_due(document, record_of(document, used(*(CLEAN,) * 9, document=document)))
