"""What the supervisor says to the coordinator, in its fixed form."""

from typing import Final

from msgspec import Struct, field

from supervisor_ai.drivers.checkpoint.protocol.words import (
    COORDINATOR,
    TAG,
    key_findings,
    plain,
    report_path,
)
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict, QualityTrend, Score
from supervisor_ai.tools.text import counted

MESSAGE: Final = "message"
STATE_UPDATE: Final = "state_update"
SHUTDOWN_RESPONSE: Final = "shutdown_response"
ALERT_FROM: Final = 3
"""From this error on, over all wakes, each error is one alert."""
_LONGEST_REASON: Final = 400
_LONGEST_SUMMARY: Final = 120


class MessageTypes(Struct, frozen=True, kw_only=True):
    """Of which type the supervisor's messages are on the bus, as its role says."""

    success: str = "supervision_report"
    alert: str = "consistency_alert"
    warning: str = "pattern_warning"
    error: str = "error"

    def of(self, verdict: CheckpointVerdict) -> str:
        """Name the type of a report with a verdict."""
        return {
            CheckpointVerdict.PASS: self.success,
            CheckpointVerdict.WARN: self.warning,
            CheckpointVerdict.BLOCK: self.alert,
        }[verdict]


class Outgoing(Struct, frozen=True, kw_only=True):
    """A message of the supervisor; it speaks to nobody but the coordinator."""

    kind: str
    summary: str
    content: str
    to: str = COORDINATOR
    fields: dict[str, object] = field(default_factory=dict)
    """What its data says besides the content."""


class CheckpointSummary(Struct, frozen=True, kw_only=True):
    """What came of one checkpoint, as messages tell it."""

    task: str
    session: str
    """The folder of the session, before the paths of its files."""
    score: Score
    findings: tuple[str, ...]
    risks: int
    blocks: int
    trend: QualityTrend
    verdict: CheckpointVerdict
    reason: str = ""
    """Why it blocks."""

    @property
    def path(self) -> str:
        """Name the file of the report."""
        return report_path(self.session, self.task)


def ready(session_id: str) -> Outgoing:
    """Say that the supervisor has begun and waits."""
    session = plain(session_id)
    content = (
        f"{TAG} Resident supervisor ready. Baseline loaded for session {session}. "
        "Awaiting checkpoint assignments."
    )
    return Outgoing(kind=MESSAGE, summary=f"{TAG} Ready, awaiting checkpoints", content=content)


def recovered(reports: int) -> Outgoing:
    """Say that the supervisor has begun again, and knows what it knew."""
    content = f"{TAG} Recovered. Rebuilt context from {reports} previous checkpoint reports."
    return Outgoing(kind=MESSAGE, summary=f"{TAG} Recovered, awaiting checkpoints", content=content)


def report(summary: CheckpointSummary, types: MessageTypes) -> Outgoing:
    """Tell what came of a checkpoint."""
    verdict = summary.verdict.value
    content = "\n".join(
        (
            f"{TAG} {summary.task} complete.",
            f"Verdict: {verdict} (score: {summary.score.text})",
            f"Findings: {', '.join(key_findings(summary.findings)) or 'none'}",
            f"Risks: {summary.risks} logged",
            f"Quality trend: {summary.trend.value}",
            f"Artifact: {plain(summary.path)}",
        )
    )
    return Outgoing(
        kind=types.of(summary.verdict),
        summary=f"{TAG} {summary.task}: {verdict}",
        content=content,
    )


def error(problem: str, number: int, types: MessageTypes) -> Outgoing:
    """Tell that something could not be done; `number` counts the errors of all wakes."""
    reason = plain(problem, _LONGEST_REASON)
    if number >= ALERT_FROM:
        content = f"{TAG} Alert: {counted(number, 'error')} since the session began. {reason}"
        return Outgoing(kind=types.alert, summary=_short(content), content=content)
    content = f"{TAG} Error: {reason}"
    return Outgoing(kind=types.error, summary=_short(content), content=content)


def _short(content: str) -> str:
    return plain(content, _LONGEST_SUMMARY)


def shutdown_response(request_id: str) -> Outgoing:
    """Agree to end."""
    return Outgoing(
        kind=SHUTDOWN_RESPONSE,
        summary=f"{TAG} Shutting down",
        content=f"{TAG} Shutting down.",
        fields={"request_id": request_id, "approve": True},
    )


def postponed(task: str, blocked: str) -> Outgoing:
    """Tell that a checkpoint has to be asked for again, because a person decides about another."""
    content = (
        f"{TAG} {task} postponed: {blocked} blocks, and a person decides about it. "
        "Ask again when the decision is told."
    )
    return Outgoing(kind=MESSAGE, summary=f"{TAG} {task}: postponed", content=content)


def overridden(task: str, *, by: str, reason: str, types: MessageTypes) -> Outgoing:
    """Tell that a person lets the pipeline go on although a checkpoint blocked it."""
    content = "\n".join(
        (
            f"{TAG} {task} overridden.",
            f"By: {plain(by, _LONGEST_SUMMARY)}",
            f"Reason: {plain(reason, _LONGEST_REASON)}",
        )
    )
    return Outgoing(kind=types.success, summary=f"{TAG} {task}: overridden", content=content)


def revision(task: str, *, by: str, reason: str, types: MessageTypes) -> Outgoing:
    """Tell that a person wants upstream work revised before the checkpoint is asked for again."""
    content = "\n".join(
        (
            f"{TAG} {task} not overridden: revise upstream.",
            f"By: {plain(by, _LONGEST_SUMMARY)}",
            f"Reason: {plain(reason, _LONGEST_REASON) or 'none given'}",
        )
    )
    return Outgoing(kind=types.alert, summary=f"{TAG} {task}: revise upstream", content=content)


def state_update(summary: CheckpointSummary) -> Outgoing:
    """Publish what the supervisor's role state is after a checkpoint."""
    is_block = summary.verdict is CheckpointVerdict.BLOCK
    reason = plain(summary.reason, _LONGEST_REASON) or "the score is too low"
    return Outgoing(
        kind=STATE_UPDATE,
        summary=f"{TAG} {summary.task}: {summary.verdict.value}",
        content="",
        fields={
            "status": "task_complete",
            "task_id": summary.task,
            "ref": plain(summary.path),
            "key_findings": list(key_findings(summary.findings)),
            "decisions": [f"Block: {reason}" if is_block else "Proceed"],
            "verification": "self-validated",
            "supervision_verdict": summary.verdict.value,
            "supervision_score": summary.score.number,
            "risks_logged": summary.risks,
            "blocks_detected": summary.blocks,
        },
    )
