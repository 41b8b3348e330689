"""Answers to what people ask about runs, from the tables beside the events."""

import json
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec

from supervisor_ai.control.ports.queries import (
    ApprovalRow,
    AttemptRow,
    ClaimsRow,
    CommentRow,
    GateRow,
    NoticeRow,
    NoticeStatus,
    OwnerRow,
    RunRow,
    StepRow,
)
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.knowledge.life import KnowledgeUse, UseStatus
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, RiskLevel
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.domain.run.status import (
    AttemptStatus,
    FailureCategory,
    Outcome,
    OutcomeKind,
    RunStatus,
    StepStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import NO_USAGE, Base, ReasonWord, Usage
from supervisor_ai.store.codec import EventCodec, moment
from supervisor_ai.store.connection import Connection, Row, Sql
from supervisor_ai.store.inbox import SqliteInbox
from supervisor_ai.store.leases import SqliteLeases
from supervisor_ai.store.tables.forked_steps import forked_steps, origin, read_point

_USES: Final = """
    SELECT path, fingerprint, status FROM knowledge_uses WHERE run IS NOT ? ORDER BY seq, path
"""
_OF_A_WAIT: Final = frozenset({NoticeState.APPROVAL, NoticeState.BLOCKED, NoticeState.BUDGET})
_RUN: Final = """
    SELECT run, task, driver, workflow, status, outcome, reason, degraded, parent, root,
        base_ref, base_sha, base_tree, branch, landed, created_at,
        (SELECT recorded_at FROM events WHERE stream = 'run:' || run ORDER BY version DESC LIMIT 1),
        CASE status WHEN 'waiting' THEN
            (SELECT payload ->> 'reason' FROM events WHERE stream = 'run:' || run
                AND type = 'RunWaiting' ORDER BY version DESC LIMIT 1)
        END,
        CASE status WHEN 'waiting' THEN
            (SELECT min(due) FROM timers WHERE timers.run = runs.run AND status = 'set' AND parks)
        END,
        CASE status WHEN 'running' THEN
            (SELECT min(due) FROM timers WHERE timers.run = runs.run AND status = 'set'
                AND timer <> 'deadline')
        END,
        status = 'running' AND EXISTS (SELECT 1 FROM runs AS child WHERE child.parent = runs.run
            AND child.status NOT IN ('completed', 'failed', 'cancelled')),
        (SELECT payload -> 'fork' FROM events WHERE stream = 'run:' || run AND version = 1)
    FROM runs
"""
_MATCHING: Final = """
    SELECT run FROM runs WHERE substr(run, 1, ?1) = ?2 OR substr(run, -?1) = ?2 ORDER BY seq
"""
_STEPS: Final = """
    SELECT step, role, status, visits, attempts, last_verdict
    FROM steps WHERE run = ? ORDER BY seq
"""
_USAGE: Final = "SELECT tokens_in, tokens_out, cost, estimated FROM attempts WHERE run = ?"
_ATTEMPTS: Final = """
    SELECT step, visit, slot, attempt, role, cli, status, started_at, ended_at, said, category,
        reason, prompt, transcript, answer, snapshot
    FROM attempts WHERE run = ? ORDER BY seq
"""
_GATES: Final = """
    SELECT step, visit, gate, snapshot, verdict, reason, output, started_at, ended_at,
        tests, findings, report, feedback, is_reused, exit_code
    FROM gates WHERE run = ? ORDER BY seq, slot
"""
_CLAIMS: Final = """
    SELECT role, cli, answers.number, coalesce(refuted.number, 0), coalesce(files, 0),
        coalesce(tests, 0), coalesce(commits, 0)
    FROM (SELECT role, cli, count(*) AS number FROM attempts
        WHERE answer IS NOT NULL GROUP BY role, cli) AS answers
    LEFT JOIN (SELECT role, cli, count(*) AS number, sum(files) AS files, sum(tests) AS tests,
        sum(commits) AS commits FROM claims GROUP BY role, cli) AS refuted USING (role, cli)
    ORDER BY 4 DESC, role, cli
"""
_APPROVALS: Final = """
    SELECT step, visit, reason, tree, snapshot, question, asked_at, is_approved, answered_by,
        answered_at, note, answer, level, action, needs, approvers, because,
        (SELECT json_group_array(person) FROM (SELECT person FROM votes
            WHERE votes.run = approvals.run AND votes.step = approvals.step
                AND votes.visit = approvals.visit AND votes.slot = approvals.slot
                AND votes.seq > approvals.seq AND votes.seq < coalesce((SELECT min(later.seq)
                    FROM approvals AS later WHERE later.run = approvals.run
                        AND later.seq > approvals.seq), votes.seq + 1)
            ORDER BY votes.seq))
    FROM approvals WHERE run = ? ORDER BY seq
"""
_COMMENTS: Final = """
    SELECT number, step, visit, tree, file, line, text, person, made_at, side, quote
    FROM comments WHERE run = ? ORDER BY number
"""
_WAITING: Final = """
    SELECT approvals.run FROM approvals JOIN runs USING (run)
    WHERE answered_at IS NULL AND runs.status NOT IN ('completed', 'failed', 'cancelled')
    ORDER BY approvals.seq
"""

_NOTICES: Final = """
    SELECT key, notices.run, about, severity, words, notices.status, channels, notices.reason,
        owed_at, ended_at, runs.status = 'waiting'
    FROM notices LEFT JOIN runs USING (run)
    WHERE ?1 IS NULL OR notices.run = ?1 ORDER BY notices.seq DESC LIMIT ?2
"""


class SqliteRunQueries:
    """Reads the tables; the events are needed only where a run shares another one's past."""

    def __init__(self, connection: Connection, *, leases: SqliteLeases, codec: EventCodec) -> None:
        self._connection = connection
        self._leases = leases
        self._codec = codec

    def runs(self, *, limit: int) -> tuple[Sequence[RunRow], int]:
        """Return the newest runs and how many there are in all."""
        with self._connection.snapshot() as sql:
            rows = sql.execute(f"{_RUN} ORDER BY seq DESC LIMIT ?", (limit,)).fetchall()
            (total,) = sql.execute("SELECT count(*) FROM runs").fetchone()
            return [_run(row, _usage(sql, row[0])) for row in rows], total

    def runs_of(self, driver: str) -> Sequence[RunRow]:
        """Return all runs of a driver, the newest first."""
        return self._some("driver", driver)

    def children(self, run: RunId) -> Sequence[RunRow]:
        """Return the runs that a run has started, the newest first."""
        return self._some("parent", run)

    def _some(self, column: str, value: str) -> Sequence[RunRow]:
        with self._connection.snapshot() as sql:
            rows = sql.execute(f"{_RUN} WHERE {column} = ? ORDER BY seq DESC", (value,)).fetchall()
            return [_run(row, _usage(sql, row[0])) for row in rows]

    def run(self, run: RunId) -> RunRow | None:
        """Return one run."""
        with self._connection.snapshot() as sql:
            row = sql.execute(f"{_RUN} WHERE run = ?", (run,)).fetchone()
            return _run(row, _usage(sql, run)) if row else None

    def matching(self, part: str) -> Sequence[RunId]:
        """Return the runs whose name begins or ends so."""
        return [run for (run,) in self._connection.query(_MATCHING, (len(part), part))]

    def steps(self, run: RunId) -> Sequence[StepRow]:
        """Return the steps that the run has visited, in the past that it shares too."""
        with self._connection.snapshot() as sql:
            point = origin(sql, run)
            if point is None:
                return [_step(row) for row in sql.execute(_STEPS, (run,))]
            return forked_steps(sql, run, point, self._codec)

    def attempts(self, run: RunId) -> Sequence[AttemptRow]:
        """Return the run's attempts in order."""
        return [_attempt(row) for row in self._connection.query(_ATTEMPTS, (run,))]

    def gates(self, run: RunId) -> Sequence[GateRow]:
        """Return the run's gates in order."""
        return [_gate(row) for row in self._connection.query(_GATES, (run,))]

    def claims(self) -> Sequence[ClaimsRow]:
        """Return what was found false in workers' reports, by role and agent, over all runs."""
        return [_claims(row) for row in self._connection.query(_CLAIMS)]

    def approvals(self, run: RunId) -> Sequence[ApprovalRow]:
        """Return the run's questions to people in order."""
        return [_approval(row) for row in self._connection.query(_APPROVALS, (run,))]

    def notices(self, run: RunId | None = None, *, limit: int) -> Sequence[NoticeRow]:
        """Return the newest notices, of one run or of all."""
        return [_notice(row) for row in self._connection.query(_NOTICES, (run, limit))]

    def waiting(self) -> Sequence[RunId]:
        """Return the runs that wait for people's answers, in the order in which they asked."""
        return list(dict.fromkeys(run for (run,) in self._connection.query(_WAITING)))

    def comments(self, run: RunId) -> Sequence[CommentRow]:
        """Return what people said about lines of the run's changes, in order."""
        return [_comment(row) for row in self._connection.query(_COMMENTS, (run,))]

    def letters(self, run: RunId) -> Sequence[InboxCommand]:
        """Return the commands that the run's owner has not taken in yet, oldest first."""
        return SqliteInbox(self._connection).pending(run)

    def owner(self, run: RunId) -> OwnerRow | None:
        """Return who holds the run's lease, if anybody."""
        holder = self._leases.holder(run)
        if holder is None or holder.owner is None:
            return None
        is_alive = self._leases.is_alive(holder)
        return OwnerRow(owner=holder.owner, epoch=holder.epoch, is_alive=is_alive)


class SqliteKnowledgeUses:
    """Reads which tasks were told of which documents."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def knowledge_uses(self, *, but: RunId | None = None) -> tuple[KnowledgeUse, ...]:
        """Return all uses, the oldest first, but for those of a run."""
        return tuple(
            KnowledgeUse(path=path, fingerprint=fingerprint, status=UseStatus(status))
            for path, fingerprint, status in self._connection.query(_USES, (but,))
        )


def _usage(sql: Sql, run: RunId) -> Usage:
    """Add up exactly: SQL would add money as floating-point numbers."""
    total = NO_USAGE
    for tokens_in, tokens_out, cost, estimated in sql.execute(_USAGE, (run,)):
        total = Usage(
            tokens_in=total.tokens_in + tokens_in,
            tokens_out=total.tokens_out + tokens_out,
            cost=total.cost + Decimal(cost),
            estimated=total.estimated or bool(estimated),
        )
    return total


def _run(row: Row, usage: Usage) -> RunRow:
    run, task, driver, workflow, status, outcome, reason, degraded, parent, root = row[:10]
    ref, sha, tree, branch, landed, created_at, updated_at, waits_for, due = row[10:19]
    rests_until, has_children, fork = row[19:]
    return RunRow(
        id=run,
        task=task,
        driver=driver,
        workflow=workflow,
        status=RunStatus(status),
        outcome=Outcome(kind=OutcomeKind(outcome), reason=reason) if outcome else None,
        degraded=bool(degraded),
        parent=parent,
        root=root,
        base=Base(ref=ref, sha=sha, tree=tree) if sha else None,
        branch=branch,
        commit=landed,
        created_at=moment(created_at),
        updated_at=moment(updated_at),
        usage=usage,
        waits_for=waits_for,
        waits_until=moment(due) if due else None,
        rests_until=moment(rests_until) if rests_until else None,
        has_children=bool(has_children),
        fork=read_point(fork),
    )


def _step(row: Row) -> StepRow:
    step, role, status, visits, attempts, last_verdict = row
    return StepRow(
        step=step,
        role=role,
        status=StepStatus(status),
        visits=visits,
        attempts=attempts,
        last_verdict=last_verdict,
    )


def _attempt(row: Row) -> AttemptRow:
    step, visit, slot, attempt, role, cli, status, started_at, ended_at, said = row[:10]
    category, reason, prompt, transcript, answer, snapshot = row[10:]
    return AttemptRow(
        step=step,
        visit=visit,
        slot=slot,
        attempt=attempt,
        role=role,
        cli=cli,
        status=AttemptStatus(status),
        started_at=moment(started_at),
        ended_at=_moment(ended_at),
        said=said,
        category=FailureCategory(category) if category else None,
        reason=reason,
        prompt=prompt,
        transcript=transcript,
        answer=answer,
        snapshot=snapshot,
    )


def _claims(row: Row) -> ClaimsRow:
    role, cli, attempts, refuted, files, tests, commits = row
    return ClaimsRow(
        role=role,
        cli=cli,
        attempts=attempts,
        refuted=refuted,
        files=files,
        tests=tests,
        commits=commits,
    )


def _gate(row: Row) -> GateRow:
    step, visit, gate, snapshot, verdict, reason, output, started_at, ended_at, *more = row
    tests, findings, report, feedback, is_reused, exit_code = more
    return GateRow(
        step=step,
        visit=visit,
        gate=gate,
        snapshot=snapshot,
        verdict=Verdict(verdict) if verdict else None,
        reason=reason,
        output=output,
        started_at=moment(started_at),
        ended_at=_moment(ended_at),
        tests=tests,
        findings=findings,
        report=report,
        feedback=feedback,
        is_reused=bool(is_reused),
        exit_code=exit_code,
    )


def _approval(row: Row) -> ApprovalRow:
    step, visit, reason, tree, commit, question, asked_at = row[:7]
    is_approved, answered_by, answered_at, note, answer = row[7:12]
    level, action, needs, approvers, because, votes = row[12:]
    return ApprovalRow(
        step=step,
        visit=visit,
        reason=ReasonWord(reason),
        tree=tree,
        commit=commit,
        question=question,
        asked_at=moment(asked_at),
        is_approved=None if is_approved is None else bool(is_approved),
        answered_by=answered_by,
        answered_at=_moment(answered_at),
        note=note,
        answer=answer,
        level=RiskLevel(level) if level else None,
        action=ApprovalAction(action) if action else None,
        needs=needs,
        approvers=_words(approvers),
        because=_words(because),
        votes=_words(votes),
    )


def _words(written: str) -> tuple[str, ...]:
    return msgspec.json.decode(written, type=tuple[str, ...])


def _comment(row: Row) -> CommentRow:
    number, step, visit, tree, file, line, text, person, made_at, side, quote = row
    return CommentRow(
        number=number,
        step=step,
        visit=visit,
        tree=tree,
        file=file,
        line=line,
        text=text,
        person=person,
        made_at=moment(made_at),
        side=LineSide(side),
        quote=quote,
    )


def _notice(row: Row) -> NoticeRow:
    key, run, about, severity, words, status, channels, reason, owed_at, ended_at, waits = row
    return NoticeRow(
        key=key,
        run=run,
        about=NoticeState(about),
        severity=NoticeSeverity(severity),
        words=words,
        status=NoticeStatus(status),
        channels=tuple(json.loads(channels)),
        reason=reason,
        owed_at=moment(owed_at),
        ended_at=_moment(ended_at),
        is_current=bool(waits) and about in _OF_A_WAIT,
    )


def _moment(text: str | None) -> datetime | None:
    return moment(text) if text else None
