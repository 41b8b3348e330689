"""Reading what supervisors and their directives have come to, over all runs."""

from typing import Final

from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.engine.ports.knowledge import (
    PastLook,
    PlannerReply,
    QualityStock,
    StandingDirective,
)
from supervisor_ai.store.connection import Connection, Row
from supervisor_ai.store.tables.queries import SqliteKnowledgeUses

_TABLES: Final = """
    SELECT count(*) FROM sqlite_master
    WHERE type = 'table' AND name IN ('counted_commits', 'supervisor_looks', 'standing_directives')
"""
_ALL: Final = 3
_HAS_REPLIES: Final = """
    SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'directive_answers'
"""
_COUNTED: Final = """
    SELECT count(*), coalesce(sum(setbacks), 0), coalesce(max(sha = ?), 0) FROM counted_commits
"""
_LOOKS: Final = """
    SELECT supervisor, outcome, sha, novel, total, findings,
        (SELECT count(*) FROM counted_commits WHERE counted_commits.seq > supervisor_looks.seq),
        (
            SELECT coalesce(sum(setbacks), 0) FROM counted_commits
            WHERE counted_commits.seq > supervisor_looks.seq
        )
    FROM supervisor_looks
    WHERE outcome IN ('reviewed', 'bootstrapped') OR EXISTS (
        SELECT 1 FROM runs WHERE runs.run = supervisor_looks.run AND runs.driver != 'loop'
    )
    ORDER BY seq
"""
_PENDING: Final = """
    SELECT number, type, priority, source, text, since FROM standing_directives
    WHERE status = 'pending' ORDER BY number
"""
_REPLIES: Final = """
    SELECT answered.run, runs.status = 'completed', answered.number, response, note
    FROM directive_answers AS answered
    JOIN standing_directives ON standing_directives.number = answered.number
    JOIN runs ON runs.run = answered.run
    WHERE standing_directives.status = 'pending' ORDER BY answered.seq
"""
_NEWEST: Final = "SELECT coalesce(max(number), 0) FROM standing_directives"
_TASKS: Final = """
    SELECT runs.task FROM counted_commits JOIN runs ON runs.run = counted_commits.run
    ORDER BY counted_commits.seq DESC LIMIT 6
"""


class SqliteQualityRecords:
    """Reads the tables of quality supervisors; they are made by the first fact that they show."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._uses = SqliteKnowledgeUses(connection)

    def stock(self, commit: CommitSha) -> QualityStock:
        """Say how the project stands, and whether a commit was counted."""
        if not self._is_there:
            return QualityStock()
        query = self._connection.query
        ((commits, setbacks, is_counted),) = query(_COUNTED, (commit,))
        ((newest,),) = query(_NEWEST)
        return QualityStock(
            commits=commits,
            setbacks=setbacks,
            is_counted=bool(is_counted),
            looks=tuple(map(_look, query(_LOOKS))),
            pending=self.pending(),
            replies=self._replies(),
            newest=newest,
            tasks=tuple(task for (task,) in query(_TASKS)),
        )

    def _replies(self) -> tuple[PlannerReply, ...]:
        """Return what planners said; ledgers of an earlier form have no such table yet."""
        ((found,),) = self._connection.query(_HAS_REPLIES)
        return tuple(map(_reply, self._connection.query(_REPLIES))) if found else ()

    def pending(self) -> tuple[StandingDirective, ...]:
        """Return the directives that nobody has answered, the oldest first."""
        if not self._is_there:
            return ()
        return tuple(map(_directive, self._connection.query(_PENDING)))

    def uses(self, *, but: RunId | None = None) -> tuple[KnowledgeUse, ...]:
        """Return which tasks were told of which documents, but for those of a run."""
        return self._uses.knowledge_uses(but=but)

    @property
    def _is_there(self) -> bool:
        ((found,),) = self._connection.query(_TABLES)
        return bool(found == _ALL)


def _look(row: Row) -> PastLook:
    supervisor, outcome, sha, novel, total, findings, commits, setbacks = row
    return PastLook(
        supervisor=supervisor,
        outcome=outcome,
        commit=sha,
        novel=novel,
        total=total,
        findings=findings,
        commits=commits,
        setbacks=setbacks,
    )


def _reply(row: Row) -> PlannerReply:
    run, is_over, number, response, note = row
    return PlannerReply(run=run, is_over=bool(is_over), number=number, response=response, note=note)


def _directive(row: Row) -> StandingDirective:
    number, kind, priority, source, text, since = row
    return StandingDirective(
        number=number, type=kind, priority=priority, source=source, text=text, since=since
    )
