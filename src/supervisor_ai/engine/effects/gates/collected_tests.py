"""Tests as their runner collects them: fewer than before is a finding."""

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.change_gate import look
from supervisor_ai.engine.effects.gates.command import Ran, run_command
from supervisor_ai.engine.effects.gates.gate_result import Opinion, of_findings
from supervisor_ai.engine.effects.gates.judgement import verdict
from supervisor_ai.engine.world import Operation


async def look_and_collect(effect: RunGate, operation: Operation) -> Opinion:
    """Look at the tests; where a command lists them, count them before and after, too."""
    looked = await look(effect, operation)
    if not effect.gate.command:
        return looked
    before = await run_command(effect, operation, effect.vouched)
    after = await run_command(effect, operation, effect.snapshot)
    for ran in (before, after):
        if verdict(ran.result) is Verdict.NOT_RUN:
            return Opinion(verdict=Verdict.NOT_RUN, reason=ran.result.reason, output=ran.output)
    found = (*looked.findings, *_compared(before, after))
    opinion = of_findings(found, looked.reason)
    return replace(opinion, output=after.output, exit_code=after.result.exit_code)


def _compared(before: Ran, after: Ran) -> tuple[Finding, ...]:
    had, has = before.reading.tests, after.reading.tests
    if had is None and has is None:
        message = "The command that lists the tests prints no number that is known."
        return (Finding(rule="tests_unknown", message=message, severity=Severity.NOTE),)
    if verdict(after.result) is not Verdict.PASSED or has is None:
        message = f"The command that lists the tests did not work. {after.result.reason}".strip()
        return (Finding(rule="collection_failed", message=message),)
    if had is not None and has < had:
        message = f"The runner collects {has} tests; before the change it collected {had}."
        return (Finding(rule="fewer_tests_collected", message=message),)
    return ()
