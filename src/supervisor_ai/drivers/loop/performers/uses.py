"""Which tasks of a loop were told of which documents, and what became of them."""

from collections.abc import Iterable

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.knowledge.life import KnowledgeUse, UseStatus
from supervisor_ai.domain.run.events import KnowledgeInjected
from supervisor_ai.drivers.loop.events import TaskMarked, TaskOutcome


def uses_of(events: Iterable[Event]) -> tuple[KnowledgeUse, ...]:
    """Count each document once for each task, however many of its workers were told of it."""
    made: list[KnowledgeUse] = []
    told: dict[tuple[str, str], None] = {}
    for event in events:
        if isinstance(event, KnowledgeInjected):
            told |= {(it.path, it.fingerprint): None for it in event.documents}
        if isinstance(event, TaskMarked):
            status = _status(event)
            made += (
                KnowledgeUse(path=path, fingerprint=name, status=status) for path, name in told
            )
            told = {}
    return tuple(made)


def _status(marked: TaskMarked) -> UseStatus:
    if marked.qa_failures:
        return UseStatus.FAILED
    return UseStatus.CLEAN if marked.outcome is TaskOutcome.DONE else UseStatus.VOID
