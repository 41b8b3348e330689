"""How a document becomes firm: by tasks that used it and had nothing to mend."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.knowledge.documents import KnowledgeDocument, KnowledgeStatus

ENOUGH: Final = 5
"""So many tasks in a row make a provisional document an established one."""


class UseStatus(StrEnum):
    """What became of a task that was told of a document."""

    OPEN = "open"
    CLEAN = "clean"
    """It ended well, and no check of it failed."""
    FAILED = "failed"
    """A gate or a reviewer did not accept its work at least once."""
    VOID = "void"
    """It ended for another reason."""


class KnowledgeUse(Struct, frozen=True, kw_only=True):
    """One task that was told of a document."""

    path: str
    fingerprint: str
    """What the document said then."""
    status: UseStatus


class UseRecord(Struct, frozen=True, kw_only=True):
    """How a document has done so far."""

    uses: int = 0
    """How many tasks were told of it, whatever it said then."""
    clean: int = 0
    """How many in a row ended well since a check last failed or it was last rewritten."""


def record_of(document: KnowledgeDocument, uses: Iterable[KnowledgeUse]) -> UseRecord:
    """Count the uses of a document, the oldest first."""
    number = clean = 0
    for use in uses:
        if use.path != document.path:
            continue
        number += 1
        if use.fingerprint == document.fingerprint:
            clean = _counted(clean, use.status)
    return UseRecord(uses=number, clean=clean)


def is_due(document: KnowledgeDocument, record: UseRecord) -> bool:
    """Tell whether a provisional document has proved itself; one that a person is to see waits."""
    is_open = document.status is KnowledgeStatus.PROVISIONAL and not document.needs_review
    return is_open and record.clean >= ENOUGH


def _counted(clean: int, status: UseStatus) -> int:
    if status is UseStatus.FAILED:
        return 0
    return clean + 1 if status is UseStatus.CLEAN else clean
