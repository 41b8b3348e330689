"""Performing a gate, whatever it looks at."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.events import GateEnded
from supervisor_ai.domain.run.gates import GateKind, GateWord
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.baseline import in_words
from supervisor_ai.engine.effects.gates.change_gate import look
from supervisor_ai.engine.effects.gates.collected_tests import look_and_collect
from supervisor_ai.engine.effects.gates.command import Ran, run_command
from supervisor_ai.engine.effects.gates.components import lacking
from supervisor_ai.engine.effects.gates.evidence import weigh
from supervisor_ai.engine.effects.gates.evidence_ahead import asked_ahead
from supervisor_ai.engine.effects.gates.findings_report import keep_report
from supervisor_ai.engine.effects.gates.gate_result import Opinion, weight, with_notes
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.effects.gates.mutation import run_mutation
from supervisor_ai.engine.effects.gates.red_first import run_red_first
from supervisor_ai.engine.effects.gates.verdict_cache import find_known, followed, verdict_key
from supervisor_ai.engine.world import Operation


async def perform_gate(effect: RunGate, operation: Operation) -> GateEnded:
    """Find out whether the snapshot passes; what is known is not found out again."""
    async with verdict_key(effect, operation.world) as key:
        known = find_known(effect, operation, await key.to_find())
        if known is not None:
            return known
        opinion = await form_opinion(effect, operation)
        kept = await key.to_keep() if opinion.is_final else None
    return _ended(effect, operation, opinion, kept)


async def form_opinion(effect: RunGate, operation: Operation) -> Opinion:
    """Look or run, as the kind of the gate says."""
    form = _SPECIAL.get(effect.gate.kind, look)
    return await form(effect, operation)


async def _run_and_judge(effect: RunGate, operation: Operation) -> Opinion:
    with asked_ahead(effect, operation.world.evidence) as ahead:
        ran = await run_command(effect, operation, effect.snapshot, beside=ahead.begin)
        lack = await lacking(effect, operation, ran)
        opinion = judge(effect.gate, ran, lack, least=effect.least_tests)
        if opinion.verdict is Verdict.FAILED and effect.gate.runs_tests:
            return await _unmendable(effect, operation, ran, opinion)
        known = replace(operation, world=replace(operation.world, evidence=ahead))
        return await weigh(effect, known, ran, opinion)


async def _unmendable(effect: RunGate, operation: Operation, ran: Ran, opinion: Opinion) -> Opinion:
    """Let nobody be paid to mend what only the surroundings lack."""
    lacks = await operation.world.examiner.lacks(effect.origin, ran.reading.missing)
    if not lacks:
        return opinion
    return replace(opinion, verdict=Verdict.NOT_RUN, reason=in_words(lacks[0]))


_SPECIAL: Final[Mapping[GateWord, Callable[[RunGate, Operation], Awaitable[Opinion]]]] = {
    GateKind.COMMAND: _run_and_judge,
    GateKind.RED_BEFORE_GREEN: run_red_first,
    GateKind.MUTATION: run_mutation,
    GateKind.TEST_INTEGRITY: look_and_collect,
}
"""Kinds that run something; whoever can look at a change looks at all others."""


def _ended(effect: RunGate, operation: Operation, opinion: Opinion, key: str | None) -> GateEnded:
    told = opinion.told if opinion.verdict is Verdict.FAILED else ""
    return GateEnded(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        gate=effect.gate.name,
        verdict=followed(effect, opinion.verdict),
        reason=operation.world.redactor.redact(with_notes(opinion)).text,
        output=opinion.output,
        exit_code=opinion.exit_code,
        category=opinion.category,
        limits=opinion.limits,
        key=key,
        tests=opinion.tests,
        coverage=opinion.coverage,
        mender=opinion.mender,
        needs_person=opinion.needs_person,
        findings=weight(opinion.findings),
        report=keep_report(operation, opinion.findings) if opinion.findings else None,
        feedback=operation.keep(told)[0] if told else None,
        complexity=opinion.complexity,
    )
