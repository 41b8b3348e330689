"""How the checkpoints of a session stand."""

from typing import Final

from msgspec import Struct

from supervisor_ai.control.sessions.desk import SessionDesk
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash, SessionId
from supervisor_ai.domain.session.tasks import SessionTask, TaskStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.event_kinds.residence import BlockDecision
from supervisor_ai.drivers.checkpoint.protocol.words import report_path
from supervisor_ai.drivers.checkpoint.queries.reports import newest_reports
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, read_report
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict, QualityTrend
from supervisor_ai.tools.text import nearest

_AFTER_BLOCK: Final = {
    TaskStatus.COMPLETED: BlockDecision.OVERRIDE,
    TaskStatus.PENDING: BlockDecision.REVISE,
}


class CheckpointView(Struct, frozen=True, kw_only=True):
    """A checkpoint as every door shows it; without a verdict as long as it was not made."""

    task_id: str
    status: TaskStatus
    verdict: CheckpointVerdict | None = None
    score: float | None = None
    decided: int | None = None
    """How many of the checks that are about the work are decided."""
    checks: int | None = None
    findings: tuple[str, ...] = ()
    trend: QualityTrend | None = None
    risks: int = 0
    report: str | None = None
    """Where its report is."""
    text: str | None = None
    """What the report says; None in lists."""
    is_blocked: bool = False
    """Whether a person has to decide."""
    decision: BlockDecision | None = None
    """What a person decided about a block."""
    message: str | None = None
    """The message that asks for it, where it was just asked for."""


def list_checkpoints(desk: SessionDesk, session: SessionId) -> tuple[CheckpointView, ...]:
    """Return all checkpoints of a session, in the order of its tasks."""
    found = desk.view(session).refresh()
    reports = newest_reports(desk.log, session)
    folder = (found.opened.folder if found.opened else None) or session
    return tuple(
        _view(desk, task, reports.get(task.task), folder)
        for task in found.tasks.values()
        if task.is_checkpoint
    )


def show_checkpoint(desk: SessionDesk, session: SessionId, task: str) -> CheckpointView:
    """Return one checkpoint with the words of its report."""
    found = {it.task_id: it for it in list_checkpoints(desk, session)}
    if task not in found:
        near = nearest(task, found)
        known = f"There are {', '.join(found)}." if found else "It has no checkpoint yet."
        raise NotFound(
            f"Session {session!r} has no checkpoint {task[:80]!r}.",
            hint=f"Did you mean {near!r}?" if near else known,
        )
    report = newest_reports(desk.log, session).get(task)
    text = None if report is None else desk.text(report)
    return replace(found[task], text=text)


def _view(
    desk: SessionDesk, task: SessionTask, kept: ArtifactHash | None, folder: str
) -> CheckpointView:
    report = None if kept is None else read_report(desk.text(kept))
    if not isinstance(report, CheckpointReport):
        return CheckpointView(task_id=task.task, status=task.status)
    is_block = report.verdict is CheckpointVerdict.BLOCK
    return CheckpointView(
        task_id=task.task,
        status=task.status,
        verdict=report.verdict,
        score=report.score.number,
        decided=report.decided,
        checks=report.checks,
        findings=report.findings,
        trend=report.trend,
        risks=len(report.risks),
        report=report_path(folder, task.task),
        is_blocked=is_block and task.status is TaskStatus.IN_PROGRESS,
        decision=_AFTER_BLOCK.get(task.status) if is_block else None,
    )
