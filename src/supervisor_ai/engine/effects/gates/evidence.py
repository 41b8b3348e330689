"""What a green gate is worth: the base's own tests and a hollow product are heard as well."""

from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, GateKind, Severity
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.agreed_changes import AGREED, TO_ACCEPT
from supervisor_ai.engine.effects.gates.canary import sing
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.evidence_ahead import is_compared
from supervisor_ai.engine.effects.gates.gate_result import Opinion, of_findings, weight
from supervisor_ai.engine.effects.gates.named_tests import known_results
from supervisor_ai.engine.effects.gates.probes.deaf_tests import deaf_tests
from supervisor_ai.engine.effects.gates.probes.hidden_failures import hidden_failures
from supervisor_ai.engine.effects.gates.probes.known_runner import known_runner
from supervisor_ai.engine.effects.gates.probes.other_answers import other_answers
from supervisor_ai.engine.effects.gates.probes.probe_run import OutOfTimeError, ProbeRuns
from supervisor_ai.engine.effects.gates.replay import replay
from supervisor_ai.engine.ports.evidence import Halves
from supervisor_ai.engine.ports.gates import ChangeCase, Unexaminable
from supervisor_ai.engine.world import Operation

_SHOWN: Final = 10
_MEANT: Final = frozenset({AGREED, TO_ACCEPT})


async def weigh(effect: RunGate, operation: Operation, ran: Ran, opinion: Opinion) -> Opinion:
    """Let a gate that is green be contradicted."""
    if opinion.verdict is not Verdict.PASSED:
        return opinion
    if is_compared(effect):
        findings = await _contradictions(effect, operation, ran)
    elif effect.has_new_tests and ran.reading.tests:
        findings = await _heard_alone(effect, operation, ran)
    else:
        return opinion
    needs_person = not weight(findings) and any(it.rule == TO_ACCEPT for it in findings)
    if needs_person:
        findings = tuple(
            replace(it, severity=Severity.ERROR) if it.rule == TO_ACCEPT else it for it in findings
        )
    weighed = of_findings(findings, opinion.reason)
    return replace(
        opinion,
        needs_person=needs_person,
        verdict=weighed.verdict,
        reason=weighed.reason,
        findings=findings,
        told=weighed.told,
    )


async def _heard_alone(effect: RunGate, operation: Operation, ran: Ran) -> tuple[Finding, ...]:
    """Let the tests of the change notice at least that it does nothing."""
    case = ChangeCase(base=effect.origin, head=effect.snapshot)
    try:
        return await sing(effect, operation, ran, case)
    except Unexaminable as error:
        return (_unreadable(error),)


def _unreadable(error: Unexaminable) -> Finding:
    return Finding(rule="unreadable", message=f"Nothing could be replayed: {error}")


async def _contradictions(effect: RunGate, operation: Operation, ran: Ran) -> tuple[Finding, ...]:
    case = ChangeCase(base=effect.origin, head=effect.snapshot)
    before = known_results(operation, effect.baseline)
    # A command of which nobody knows that it runs tests may well pass without the product.
    is_counted = bool(before) or effect.least_tests is not None
    try:
        halves = await operation.world.evidence.halves(case, effect.harness)
        old = await replay(effect, operation, ran, case, halves, before)
        if weight(old):
            return (*old, *await _read_in_tests(operation, case))
        found = (*old, *await sing(effect, operation, ran, case)) if is_counted else old
        return (
            found
            if weight(found)
            else (*found, *await _probed(effect, operation, halves, case, ran, found))
        )
    except Unexaminable as error:
        return (_unreadable(error),)


async def _probed(
    effect: RunGate,
    operation: Operation,
    halves: Halves,
    case: ChangeCase,
    ran: Ran,
    noted: tuple[Finding, ...],
) -> tuple[Finding, ...]:
    """Ask what the change's own tests do not ask, where there is a reason to."""
    if not halves.touches_product:
        return ()
    runs = ProbeRuns(effect, operation)
    try:
        meant = {it.subject for it in noted if it.rule in _MEANT}
        if hidden := await hidden_failures(runs, halves, case, meant):
            return hidden
        if known := await known_runner(runs, halves, case, meant):
            return known
        if halves.touches_harness and (deaf := await deaf_tests(runs, case)):
            return deaf
        return await other_answers(runs, halves, case, ran)
    except OutOfTimeError:
        message = "The tests take too long to be asked with other values and failures in them."
        return (Finding(rule="not_probed", message=message, severity=Severity.NOTE),)


async def _read_in_tests(operation: Operation, case: ChangeCase) -> tuple[Finding, ...]:
    """Say where tests say something else than before: what only might matter does, now."""
    seen = await operation.world.examiner.examine(GateKind.TEST_INTEGRITY, case)
    return tuple(replace(found, severity=Severity.ERROR) for found in seen.findings[:_SHOWN])
