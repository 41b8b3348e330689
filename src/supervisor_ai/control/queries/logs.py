"""Log of a run: what was sent, what came back and what the gates printed."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from supervisor_ai.control.ports.queries import ApprovalRow, AttemptRow, GateRow
from supervisor_ai.control.queries.findings import read_findings
from supervisor_ai.control.records import Records, unvisited_step
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, run_stream
from supervisor_ai.domain.run.events import BaselineEnded
from supervisor_ai.domain.run.gates import Finding, Health
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.tools.text import nearest


class LogKind(StrEnum):
    """What an entry of the log is about."""

    ATTEMPT = "attempt"
    GATE = "gate"
    APPROVAL = "approval"
    BASELINE = "baseline"


class RunLogEntry(Struct, frozen=True, kw_only=True):
    """One attempt, gate, baseline or question, with every text that belongs to it."""

    kind: LogKind
    step: StepName
    visit: int
    attempt: int | None
    by: str | None
    status: str
    reason: str | None
    started_at: datetime
    ended_at: datetime | None
    sent: str | None
    came_back: str | None
    answer: str | None
    findings: tuple[Finding, ...] = ()
    """What a gate found in the change."""
    feedback: str | None = None
    """What of a gate's output went back to a worker."""


class LogFilter(Struct, frozen=True, kw_only=True):
    """Which entries are wanted; None means all."""

    step: str | None = None
    visit: int | None = None
    attempt: int | None = None
    gate: str | None = None
    """Only what this gate said."""

    def accepts(self, step: StepName, visit: int, attempt: int | None) -> bool:
        """Tell whether an entry at this place is wanted."""
        return (
            self.step in {None, step}
            and self.visit in {None, visit}
            and self.attempt in {None, attempt}
        )


def read_logs(records: Records, run: RunId, wanted: LogFilter) -> tuple[RunLogEntry, ...]:
    """Return a run's log in the order in which things began."""
    require_visited(records, run, wanted.step)
    gates = records.queries.gates(run)
    if wanted.gate is not None:
        _require_gate(run, wanted.gate, gates)
        return tuple(_gates(records, gates, wanted))
    entries = [
        *_attempts(records, records.queries.attempts(run), wanted),
        *_gates(records, gates, wanted),
        *_baselines(records, run, wanted),
        *_approvals(records, records.queries.approvals(run), wanted),
    ]
    return tuple(sorted(entries, key=lambda entry: entry.started_at))


def require_visited(records: Records, run: RunId, step: str | None) -> None:
    """Refuse a step that the run has not been at."""
    visited = [known.step for known in records.queries.steps(run)]
    if step is not None and step not in visited:
        raise unvisited_step(run, step, visited)


def _require_gate(run: RunId, gate: str, gates: Sequence[GateRow]) -> None:
    ran = list(dict.fromkeys(it.gate for it in gates))
    if gate in ran:
        return
    near = nearest(gate, ran)
    raise NotFound(
        f"No gate {gate!r} has run in {run!r}; gates that ran: {', '.join(ran) or 'none'}.",
        hint=f"Did you mean {near!r}?" if near else None,
    )


def _attempts(
    records: Records, rows: Iterable[AttemptRow], wanted: LogFilter
) -> Iterator[RunLogEntry]:
    for row in rows:
        if wanted.accepts(row.step, row.visit, row.attempt):
            yield RunLogEntry(
                kind=LogKind.ATTEMPT,
                step=row.step,
                visit=row.visit,
                attempt=row.attempt,
                by=f"{row.role} ({row.cli})",
                status=row.said or row.status.value,
                reason=row.reason,
                started_at=row.started_at,
                ended_at=row.ended_at,
                sent=_text(records, row.prompt),
                came_back=_text(records, row.transcript),
                answer=_text(records, row.answer),
            )


def _gates(records: Records, gates: Iterable[GateRow], wanted: LogFilter) -> Iterator[RunLogEntry]:
    for it in gates:
        if wanted.accepts(it.step, it.visit, None) and wanted.gate in {None, it.gate}:
            yield RunLogEntry(
                kind=LogKind.GATE,
                step=it.step,
                visit=it.visit,
                attempt=None,
                by=it.gate,
                status=it.verdict.value if it.verdict else "started",
                reason=it.reason,
                started_at=it.started_at,
                ended_at=it.ended_at,
                sent=None,
                came_back=_text(records, it.output),
                answer=None,
                findings=read_findings(records, it.report),
                feedback=_text(records, it.feedback),
            )


def _baselines(records: Records, run: RunId, wanted: LogFilter) -> Iterator[RunLogEntry]:
    """Show what a gate, or the set-up before it, printed on a base that is not green."""
    for envelope in records.log.read(run_stream(run)):
        it = envelope.event
        if not isinstance(it, BaselineEnded) or it.health is Health.GREEN or it.output is None:
            continue
        if wanted.accepts(it.step, it.visit, None):
            yield RunLogEntry(
                kind=LogKind.BASELINE,
                step=it.step,
                visit=it.visit,
                attempt=None,
                by=it.gate,
                status=it.health.value,
                reason=it.reason,
                started_at=envelope.recorded_at,
                ended_at=envelope.recorded_at,
                sent=None,
                came_back=_text(records, it.output),
                answer=None,
            )


def _approvals(
    records: Records, rows: Iterable[ApprovalRow], wanted: LogFilter
) -> Iterator[RunLogEntry]:
    words = {True: "approved", False: "rejected", None: "waiting"}
    for row in rows:
        if wanted.accepts(row.step, row.visit, None):
            is_findings = row.reason == ApprovalReason.FINDINGS
            findings = read_findings(records, row.question) if is_findings else ()
            yield RunLogEntry(
                kind=LogKind.APPROVAL,
                step=row.step,
                visit=row.visit,
                attempt=None,
                by=row.answered_by,
                status=words[row.is_approved],
                reason=row.reason,
                started_at=row.asked_at,
                ended_at=row.answered_at,
                sent=None if findings else _text(records, row.question),
                came_back=_text(records, row.note),
                answer=None,
                findings=findings,
            )


def _text(records: Records, artifact: ArtifactHash | None) -> str | None:
    return None if artifact is None else records.text(artifact)
