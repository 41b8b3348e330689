"""Gates that look at the change itself and run nothing."""

from collections import Counter
from typing import Final

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.events import ClaimsRefuted
from supervisor_ai.domain.run.gates import CLAIM_RULES, REPLAYABLE, Finding, GateKind, Severity
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.findings_report import keep_report
from supervisor_ai.engine.effects.gates.gate_result import Opinion, of_findings
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.engine.world import Operation

_OF_THE_WHOLE: Final = frozenset({GateKind.CHANGELOG, GateKind.COMPLEXITY, GateKind.MUTATION})
"""Gates that ask about all that the run has changed, whatever was let pass before."""


def change_case(effect: RunGate, operation: Operation) -> ChangeCase:
    """Bring together what is known about a change."""
    artifacts, author = operation.world.artifacts, effect.author
    is_whole = effect.gate.kind in _OF_THE_WHOLE
    return ChangeCase(
        base=effect.origin if is_whole else effect.vouched,
        head=effect.snapshot,
        origin=effect.origin,
        start=author.start if author else None,
        answer=artifacts.get(author.answer) if author else None,
        plans=tuple(artifacts.get(plan) for plan in effect.plans),
        may_change=effect.gate.may_change,
    )


async def look(effect: RunGate, operation: Operation) -> Opinion:
    """Let the examiner look at the change."""
    try:
        case = change_case(effect, operation)
    except NotFound as error:
        gone = Finding(rule="unreadable", message=f"What was reported is gone. {error.message}")
        return of_findings((gone,), "")
    seen = await operation.world.examiner.examine(effect.gate.kind, case)
    findings = tuple(_weighed(effect, found) for found in seen.findings)
    opinion = of_findings(findings, seen.summary)
    if effect.gate.kind == GateKind.CLAIMS:
        _record_claims(effect, operation, seen.findings)
    return Opinion(
        verdict=opinion.verdict,
        reason=opinion.reason,
        findings=opinion.findings,
        told=opinion.told,
        complexity=seen.complexity,
    )


def _weighed(effect: RunGate, found: Finding) -> Finding:
    """Leave to the replay what it can tell better than who only reads."""
    if found.rule not in REPLAYABLE or not effect.replay_decides:
        return found
    return replace(found, severity=Severity.NOTE)


def _record_claims(effect: RunGate, operation: Operation, findings: tuple[Finding, ...]) -> None:
    """Record what a worker reported and git does not bear out."""
    false = tuple(finding for finding in findings if finding.rule in CLAIM_RULES)
    if effect.author is None or not false:
        return
    counts = Counter(CLAIM_RULES[finding.rule] for finding in false)
    operation.record(
        ClaimsRefuted(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.author.attempt,
            role=effect.author.role,
            cli=effect.author.cli,
            files=counts["files"],
            tests=counts["tests"],
            commits=counts["commits"],
            report=keep_report(operation, false),
        )
    )
