"""What a green gate is worth: the base's own tests and a hollow product are heard as well."""

import json
from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, GateKind, Severity
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.canary import sing
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.gate_result import Opinion, of_findings, weight
from supervisor_ai.engine.effects.gates.replay import replay
from supervisor_ai.engine.effects.gates.verdict_cache import is_kept
from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult, ChangeCase, Unexaminable
from supervisor_ai.engine.world import Operation

_SHOWN: Final = 10


def keep_results(operation: Operation, results: tuple[CaseResult, ...]) -> ArtifactHash | None:
    """Keep which tests there were and what became of them."""
    if not results:
        return None
    told = {it.name: it.outcome.value for it in results}
    return operation.keep(json.dumps(told))[0]


def _known_results(operation: Operation, kept: ArtifactHash | None) -> Mapping[str, CaseOutcome]:
    """Read what was kept; what was erased says nothing any more."""
    if kept is None or not is_kept(operation.world, kept):
        return {}
    told = json.loads(operation.world.artifacts.get(kept))
    return {name: CaseOutcome(outcome) for name, outcome in told.items()}


async def weigh(effect: RunGate, operation: Operation, ran: Ran, opinion: Opinion) -> Opinion:
    """Let a gate that is green be contradicted."""
    is_known = effect.baseline is not None or effect.baseline_output is not None
    if opinion.verdict is not Verdict.PASSED or not is_known:
        return opinion
    findings = await _contradictions(effect, operation, ran)
    weighed = of_findings(findings, opinion.reason)
    return replace(
        opinion,
        verdict=weighed.verdict,
        reason=weighed.reason,
        findings=findings,
        told=weighed.told,
    )


async def _contradictions(effect: RunGate, operation: Operation, ran: Ran) -> tuple[Finding, ...]:
    case = ChangeCase(base=effect.origin, head=effect.snapshot)
    before = _known_results(operation, effect.baseline)
    # A command of which nobody knows that it runs tests may well pass without the product.
    is_counted = bool(before) or effect.least_tests is not None
    try:
        halves = await operation.world.evidence.halves(case, effect.harness)
        old = await replay(effect, operation, ran, case, halves, before)
        if weight(old):
            return (*old, *await _read_in_tests(operation, case))
        return (*old, *await sing(effect, operation, ran, case)) if is_counted else old
    except Unexaminable as error:
        return (Finding(rule="unreadable", message=f"Nothing could be replayed: {error}"),)


async def _read_in_tests(operation: Operation, case: ChangeCase) -> tuple[Finding, ...]:
    """Say where tests say something else than before: what only might matter does, now."""
    seen = await operation.world.examiner.examine(GateKind.TEST_INTEGRITY, case)
    return tuple(replace(found, severity=Severity.ERROR) for found in seen.findings[:_SHOWN])
