"""Questions of runs to people, with everything that a yes would accept."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from supervisor_ai.control.ports.queries import ApprovalRow, GateRow
from supervisor_ai.control.queries.findings import read_findings
from supervisor_ai.control.queries.run_views import RunView
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import CommitSha, StepName, TreeSha
from supervisor_ai.domain.run.facts import ApprovalReason
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.status import ENDED, Verdict

_ABOUT_FILES: Final = frozenset({ApprovalReason.KANBAN, ApprovalReason.LANDING})
_END: Final = 2_000
"""So much is shown of what a command printed at last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtView:
    """A gate that did not pass, and why."""

    gate: str
    verdict: Verdict | None
    reason: str
    findings: tuple[Finding, ...]
    """Errors before notes."""
    printed: str
    """The end of its output, where there are no findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question that waits for a person's answer."""

    step: StepName
    visit: int
    reason: ApprovalReason
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
    """Where a kanban's files can be mended, if it is about these: a branch or a directory."""
    before: str | None = None
    """What was answered before, where a Manager asks about it."""


def find_question(records: Records, run: RunView) -> QuestionView | None:
    """Return the question that a run waits with, if it does."""
    unanswered = [row for row in records.queries.approvals(run.id) if row.is_approved is None]
    if not unanswered or run.status in ENDED:
        return None
    asked = unanswered[0]
    doubts = tuple(_doubt(records, gate) for gate in _asked_about(records, run, asked))
    return QuestionView(
        step=asked.step,
        visit=asked.visit,
        reason=asked.reason,
        tree=asked.tree,
        commit=asked.commit,
        asked_at=asked.asked_at,
        words=None if doubts or asked.question is None else records.text(asked.question),
        gates=doubts,
        findings=tuple(finding for doubt in doubts for finding in doubt.findings),
        mend=_mend(records, run) if _is_about_files(run, asked) else None,
        before=_before(records, run) if _is_about_an_answer(run, asked) else None,
    )


def _is_about_files(run: RunView, asked: ApprovalRow) -> bool:
    """Tell whether the files of a kanban are looked at again after the answer."""
    return asked.reason in _ABOUT_FILES or _is_about_an_answer(run, asked)


def _is_about_an_answer(run: RunView, asked: ApprovalRow) -> bool:
    """Tell whether the Manager of a kanban cannot go on."""
    if asked.reason is not ApprovalReason.BLOCKED:
        return False
    from supervisor_ai.drivers.kanban.driver import KanbanDriver
    from supervisor_ai.drivers.kanban.state import MANAGER

    return run.driver == KanbanDriver.name and asked.step == MANAGER


def _before(records: Records, run: RunView) -> str | None:
    from supervisor_ai.drivers.kanban.queries.log import last_answer

    return last_answer(records, run.id)


def _mend(records: Records, run: RunView) -> str | None:
    # Few questions are about a kanban, and looking at a run should stay quick.
    from supervisor_ai.drivers.kanban.runs import policy_of_run

    policy = policy_of_run(records, run.id)
    directory = None if policy is None else policy.place.directory
    return run.branch if directory is None else directory


def _asked_about(records: Records, run: RunView, asked: ApprovalRow) -> Iterator[GateRow]:
    """Name the gates that a yes overrules; of one that ran again, what it said last."""
    if asked.reason is not ApprovalReason.FINDINGS:
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
