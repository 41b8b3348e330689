"""Causes: what stood in a run's way last, named before how the run ended because of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.control.phrases import finding_line, one_line
from supervisor_ai.control.ports.queries import ApprovalRow, AttemptRow, GateRow
from supervisor_ai.control.queries.findings import read_findings
from supervisor_ai.control.queries.first_failures import first_failure
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import RunView
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId, StepName
from supervisor_ai.domain.project.events import FailureCounted
from supervisor_ai.domain.run.answers import MEANINGS, Meaning
from supervisor_ai.domain.run.failures.breaker import breaker_key
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.domain.run.status import (
    AttemptStatus,
    OutcomeKind,
    RunStatus,
    StepStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.json_value import parse_object

_LINES: Final = 8
_WIDTH: Final = 300
_END: Final = 64 << 10
_WELL: Final = frozenset({StepStatus.PASSED, StepStatus.SKIPPED})
_RED: Final = frozenset({Verdict.FAILED, Verdict.NOT_RUN})
_SAYS: Final = {
    Verdict.FAILED: "failed",
    Verdict.WARNED: "failed (it only warns)",
    Verdict.NOT_RUN: "could not run",
}
_UNSATISFIED: Final = frozenset(
    said
    for answers in MEANINGS.values()
    for said, meant in answers.items()
    if meant is not Meaning.PASS
)


class CauseView(Struct, frozen=True, kw_only=True):
    """What stood in a run's way last."""

    step: StepName
    line: str
    """The gate, the worker or the person, and the first thing that was said."""
    gate: str | None = None
    printed: tuple[str, ...] = ()
    """The last lines of a worker that failed."""


def find_cause(records: Records, run: RunView) -> CauseView | None:
    """Say what a failed run failed at; None where its outcome says all that is known."""
    if run.status is not RunStatus.FAILED:
        return None
    found = sorted(_candidates(records, run), key=lambda it: it[0])
    if found:
        return found[-1][1]
    return _behind_breaker(records, run)


def latest(gates: Iterable[GateRow]) -> tuple[GateRow, ...]:
    """Keep of each gate of each step only what it said last."""
    return tuple({(gate.step, gate.gate): gate for gate in gates}.values())


def gate_line(records: Records, gate: GateRow) -> str:
    """Name a gate that did not pass, and the first thing that it found or printed."""
    said = _SAYS.get(gate.verdict) if gate.verdict else None
    return one_line(f"gate {gate.gate} {said or 'did not end'}: {_first(records, gate)}")


def _first(records: Records, gate: GateRow) -> str:
    findings = read_findings(records, gate.report)
    errors = [it for it in findings if it.severity is not Severity.NOTE]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return f"{finding_line(errors[0])}{more}"
    # What a command printed says why it failed only where its exit code says that it failed.
    has_failed = gate.verdict is not Verdict.NOT_RUN and gate.exit_code
    printed = first_failure(records.text(gate.output)) if gate.output and has_failed else ""
    return printed or gate.reason or ""


def _candidates(records: Records, run: RunView) -> Iterator[tuple[datetime, CauseView]]:
    well = {it.step for it in run.steps if it.status in _WELL}
    yield from _gates(records, run, well)
    tried: dict[StepName, CauseView] = {}
    for attempt in _last_attempts(records.queries.attempts(run.id)):
        cause = None if attempt.step in well else _attempt(records, attempt)
        if cause is not None and attempt.ended_at is not None:
            tried[attempt.step] = cause
            yield attempt.ended_at, cause
    for asked in records.queries.approvals(run.id):
        if asked.is_approved is False and asked.answered_at is not None:
            yield asked.answered_at, _refusal(records, asked, tried)


def _gates(
    records: Records, run: RunView, well: set[StepName]
) -> Iterator[tuple[datetime, CauseView]]:
    """Take of several red gates of one visit the one that the outcome names, else the first."""
    reason = run.outcome.reason if run.outcome else ""
    red = [
        it
        for it in latest(records.queries.gates(run.id))
        if it.verdict in _RED and it.ended_at is not None and it.step not in well
    ]
    for step in dict.fromkeys(it.step for it in red):
        here = [it for it in red if it.step == step]
        here = [it for it in here if it.visit == max(other.visit for other in here)]
        gate = next((it for it in here if repr(it.gate) in reason), here[0])
        if gate.ended_at is not None:
            line = gate_line(records, gate)
            yield gate.ended_at, CauseView(step=step, line=line, gate=gate.gate)


def _last_attempts(attempts: Sequence[AttemptRow]) -> Iterable[AttemptRow]:
    return {(it.step, it.slot): it for it in attempts}.values()


def _attempt(records: Records, attempt: AttemptRow) -> CauseView | None:
    who = f"{attempt.role} with {attempt.cli}"
    if attempt.status is AttemptStatus.FAILED:
        line = one_line(f"{who} failed: {attempt.reason or _objection(records, attempt)}")
        return CauseView(step=attempt.step, line=line, printed=last_lines(records, attempt))
    if attempt.said not in _UNSATISFIED:
        return None
    words = _objection(records, attempt)
    return CauseView(step=attempt.step, line=one_line(f"{who} answered {attempt.said}: {words}"))


def _objection(records: Records, attempt: AttemptRow) -> str:
    """Return the first thing that a worker objects to in its own answer."""
    said = (parse_object(records.text(attempt.answer)) if attempt.answer else None) or {}
    issues, blockers = said.get("issues"), said.get("blockers")
    first = issues[0] if isinstance(issues, list) and issues else {}
    if isinstance(first, dict) and first.get("message"):
        where = ":".join(str(first[key]) for key in ("file", "line") if first.get(key))
        return f"{where}: {first['message']}" if where else str(first["message"])
    if isinstance(blockers, list) and blockers:
        return str(blockers[0])
    return str(said.get("summary") or "")


def _refusal(
    records: Records, asked: ApprovalRow, tried: Mapping[StepName, CauseView]
) -> CauseView:
    """Tell of a person's no; where it was about a worker that got nowhere, of that first."""
    words = "" if asked.note is None else records.text(asked.note)
    no = f"{asked.answered_by or 'a person'} said no at step {asked.step}: {words}"
    before = tried.get(asked.step) if asked.reason == ApprovalReason.BLOCKED else None
    if before is None:
        return CauseView(step=asked.step, line=one_line(no))
    return replace(before, line=one_line(f"{before.line} {no}"))


def _behind_breaker(records: Records, run: RunView) -> CauseView | None:
    """Find the failure of another run because of which an agent is left alone."""
    if run.outcome is None or run.outcome.kind is not OutcomeKind.CIRCUIT_OPEN:
        return None
    counted = [
        envelope.event
        for envelope in records.log.read(PROJECT_STREAM)
        if isinstance(envelope.event, FailureCounted) and envelope.event.run != run.id
    ]
    here = {it.step for it in run.steps if it.status not in _WELL}
    for event in reversed(counted):
        for attempt in reversed(records.queries.attempts(RunId(event.run))):
            who = (attempt.step, attempt.role, attempt.cli)
            is_counted = event.breaker in {breaker_key(*who, level) for level in Level}
            if attempt.step in here and is_counted and attempt.status is AttemptStatus.FAILED:
                return _attempt(records, attempt)
    return None


def last_lines(records: Records, attempt: AttemptRow) -> tuple[str, ...]:
    """Return the end of what a worker printed, made harmless."""
    text = records.text(attempt.transcript) if attempt.transcript else ""
    lines = [line.rstrip() for line in plain(text[-_END:]).splitlines() if line.strip()]
    return tuple(it if len(it) <= _WIDTH else f"{it[:_WIDTH]}…" for it in lines[-_LINES:])
