"""Questions of runs to people, with everything that a yes would accept."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.queries import ApprovalRow, GateRow
from supervisor_ai.control.queries.approvals import find_plan
from supervisor_ai.control.queries.findings import read_findings
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import QuestionHelp, find_slice
from supervisor_ai.domain.ids import CommitSha, StepName, TreeSha
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.status import ENDED, Verdict
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace

_END: Final = 2_000
"""So much is shown of what a command printed at last."""


class DoubtView(Struct, frozen=True, kw_only=True):
    """A gate that did not pass, and why."""

    gate: str
    verdict: Verdict | None
    reason: str
    findings: tuple[Finding, ...]
    """Errors before notes."""
    printed: str
    """The end of its output, where there are no findings."""


class QuestionView(Struct, frozen=True, kw_only=True):
    """A question that waits for a person's answer."""

    step: StepName
    visit: int
    reason: ReasonWord
    tree: TreeSha
    commit: CommitSha
    asked_at: datetime
    words: str | None
    """What a worker or a reviewer says about it."""
    gates: tuple[DoubtView, ...]
    """Where it is about findings: the gates of the step that did not pass."""
    findings: tuple[Finding, ...]
    """What all these gates found."""
    mend: str | None = None
    """Where files can be mended, if it is about these: a branch or a directory."""
    before: str | None = None
    """What was answered before, where a Manager asks about it."""
    plan: str | None = None
    """What workers have planned, where none has changed a file yet."""


def find_question(records: Records, run: RunView) -> QuestionView | None:
    """Return the question that a run waits with, if it does."""
    unanswered = [row for row in records.queries.approvals(run.id) if row.is_approved is None]
    if not unanswered or run.status in ENDED:
        return None
    asked = unanswered[0]
    helped = _help(records, run, asked)
    doubts = tuple(_doubt(records, gate) for gate in _asked_about(records, run, asked))
    return QuestionView(
        step=asked.step,
        visit=asked.visit,
        reason=asked.reason,
        tree=asked.tree,
        commit=asked.commit,
        asked_at=asked.asked_at,
        words=None if doubts else _words(records, asked),
        gates=doubts,
        findings=tuple(finding for doubt in doubts for finding in doubt.findings),
        mend=helped.mend,
        before=helped.before,
        plan=find_plan(records, run.id) if asked.reason == ApprovalReason.HUMAN_GATE else None,
    )


def _words(records: Records, asked: ApprovalRow) -> str | None:
    """Return what the question says; of a policy, which level led to it and why."""
    if asked.level is not None:
        return f"{asked.level.value}: {', '.join(asked.because)}"
    return None if asked.question is None else records.text(asked.question)


def _help(records: Records, run: RunView, asked: ApprovalRow) -> QuestionHelp:
    """Ask the driver what can be seen or changed before the answer."""
    found = find_slice(run.driver)
    helped = QuestionHelp() if found is None else found.question_help(records, run, asked)
    if helped.mend is None and asked.reason == ApprovalReason.LANDING:
        return replace(helped, mend=run.branch)
    return helped


def _asked_about(records: Records, run: RunView, asked: ApprovalRow) -> Iterator[GateRow]:
    """Name the gates that a yes overrules; of one that ran again, what it said last."""
    if asked.reason != ApprovalReason.FINDINGS:
        return
    here = (asked.step, asked.visit)
    gates = {it.gate: it for it in records.queries.gates(run.id) if (it.step, it.visit) == here}
    for gate in gates.values():
        if gate.verdict is not Verdict.PASSED:
            yield gate


def _doubt(records: Records, gate: GateRow) -> DoubtView:
    found = sorted(read_findings(records, gate.report), key=_is_note)
    printed = "" if found or gate.output is None else records.text(gate.output)
    return DoubtView(
        gate=gate.gate,
        verdict=gate.verdict,
        reason=gate.reason or "",
        findings=tuple(found),
        printed=printed[-_END:],
    )


def _is_note(finding: Finding) -> bool:
    return finding.severity is Severity.NOTE
