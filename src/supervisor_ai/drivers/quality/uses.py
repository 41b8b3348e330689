"""How the tasks of a run did that were told of documents, by the run's own facts."""

from collections.abc import Iterable

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.knowledge.life import KnowledgeUse, UseStatus
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.status import Verdict


def uses_of(events: Iterable[Event]) -> tuple[KnowledgeUse, ...]:
    """Count the uses of a run in their order: a task ends where its work lands on the branch."""
    settled: list[KnowledgeUse] = []
    under_way: dict[str, str] = {}
    status = UseStatus.CLEAN
    for event in events:
        match event:
            case e.KnowledgeInjected(documents=documents):
                under_way |= {it.path: it.fingerprint for it in documents}
            case e.GateEnded(verdict=Verdict.FAILED) | e.AttemptSucceeded(meaning=Meaning.REJECT):
                status = UseStatus.FAILED
            case e.IntegrationLanded():
                settled += (
                    KnowledgeUse(path=path, fingerprint=fingerprint, status=status)
                    for path, fingerprint in under_way.items()
                )
                under_way, status = {}, UseStatus.CLEAN
            case _:
                continue
    return tuple(settled)
