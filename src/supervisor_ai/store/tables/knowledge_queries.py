"""Answers about the uses of the knowledge store, from the table beside the events."""

from typing import Final

from supervisor_ai.domain.project.knowledge.life import KnowledgeUse, UseStatus
from supervisor_ai.store.connection import Connection

_USES: Final = "SELECT path, fingerprint, status FROM knowledge_uses ORDER BY seq, path"


class SqliteKnowledgeUses:
    """Reads which tasks were told of which documents."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def knowledge_uses(self) -> tuple[KnowledgeUse, ...]:
        """Return all uses, the oldest first."""
        return tuple(
            KnowledgeUse(path=path, fingerprint=fingerprint, status=UseStatus(status))
            for path, fingerprint, status in self._connection.query(_USES, ())
        )
