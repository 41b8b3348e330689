"""What a run asks a person, and how the person can answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.cli.gate_words import NO_MEANS, WHY_ASKED, YES_MEANS, counted, finding_line
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.narration import one_line, short
from supervisor_ai.control.findings import read_findings
from supervisor_ai.control.records import Records
from supervisor_ai.control.views import RunView
from supervisor_ai.domain.run.facts import ApprovalReason
from supervisor_ai.domain.run.status import ENDED, Verdict
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.queries import ApprovalRow, GateRow

_LENGTH: Final = 2_000
_SHOWN: Final = 20
_PLAIN: Final = frozenset({ApprovalReason.HUMAN_GATE, ApprovalReason.BLOCKED})
"""Questions whose answers need no explanation: go on, or do not."""

Rows = Iterator[tuple[str, str]]


def question(invocation: Invocation, records: Records, run: RunView) -> Rows:
    """Show the question that a run waits with, if it does."""
    unanswered = [row for row in records.queries.approvals(run.id) if row.is_approved is None]
    if not unanswered or run.status in ENDED:
        return
    asked = unanswered[0]
    yield "waits", f"for a person at step {asked.step}, about tree {asked.tree}"
    yield from _words(invocation, records, run, asked)
    if run.base is not None and run.base.sha != asked.commit:
        yield "look", f"{invocation.git} diff {short(run.base.sha)} {short(asked.commit)}"
    note = ' --note "…"' if asked.reason is ApprovalReason.FINDINGS else ""
    yield "yes", f"{invocation.command} approve {run.id}{note}{_meant(asked, YES_MEANS)}"
    yield "no", f'{invocation.command} reject {run.id} --reason "…"{_meant(asked, NO_MEANS)}'


def _words(invocation: Invocation, records: Records, run: RunView, asked: ApprovalRow) -> Rows:
    """Show why a person is asked, where it is more than that the workflow says so."""
    if asked.reason is ApprovalReason.HUMAN_GATE:
        return
    if asked.reason not in _PLAIN:
        yield "why", WHY_ASKED[asked.reason]
    found = list(_findings(invocation, records, run, asked))
    if found:
        yield "found", "\n".join(found)
    elif asked.question is not None:
        yield "asks", _cut(asked, plain(records.text(asked.question)).strip())


def _cut(asked: ApprovalRow, text: str) -> str:
    """Keep the beginning of somebody's words, and the end of what a command printed."""
    return text[-_LENGTH:] if asked.reason is ApprovalReason.FINDINGS else text[:_LENGTH]


def _findings(
    invocation: Invocation, records: Records, run: RunView, asked: ApprovalRow
) -> Iterator[str]:
    if asked.reason is not ApprovalReason.FINDINGS:
        return
    for gate in _asked_about(asked, records.queries.gates(run.id)):
        findings = read_findings(records, gate.report)
        yield from (one_line(finding_line(finding)) for finding in findings[:_SHOWN])
        if len(findings) > _SHOWN:
            more = counted(len(findings) - _SHOWN, "more finding")
            yield f"… and {more}: {invocation.command} logs {run.id} --gate {gate.gate}"


def _asked_about(asked: ApprovalRow, gates: Sequence[GateRow]) -> Iterator[GateRow]:
    for gate in gates:
        is_here = (gate.step, gate.visit) == (asked.step, asked.visit)
        if is_here and gate.verdict is not Verdict.PASSED:
            yield gate


def _meant(asked: ApprovalRow, meanings: Mapping[ApprovalReason, str]) -> str:
    """Say under an answer what it means, where that cannot be guessed."""
    return "" if asked.reason in _PLAIN else f"\n→ {meanings[asked.reason]}"
