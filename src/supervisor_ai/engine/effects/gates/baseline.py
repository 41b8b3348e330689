"""A gate on the files that a run starts from: does it work here at all, and which tests pass?"""

from supervisor_ai.domain.run.effects import RunBaseline, RunGate
from supervisor_ai.domain.run.events import BaselineEnded
from supervisor_ai.domain.run.gates import Health
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.command import Ran, Wanted, run_command
from supervisor_ai.engine.effects.gates.judgement import is_final, judge
from supervisor_ai.engine.effects.gates.named_tests import keep_results
from supervisor_ai.engine.effects.gates.verdict_cache import is_kept, verdict_key
from supervisor_ai.engine.ports.gates import Lack, LackKind
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.engine.world import Operation, World


async def perform_baseline(effect: RunBaseline, operation: Operation) -> BaselineEnded:
    """Find out how the gate stands; what is known of the same files is not found out again."""
    async with verdict_key(effect, operation.world, "baseline ") as key:
        known = _find_known(operation.world, await key.to_find())
        if known is not None:
            return replace(
                known,
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                gate=effect.gate.name,
                is_reused=True,
            )
        ran = await run_command(effect, operation, effect.snapshot, Wanted.ALL)
        opinion = judge(effect.gate, ran)
        broken = await why_broken(effect, operation, ran)
        is_green = opinion.verdict is Verdict.PASSED
        health = Health.BROKEN if broken else Health.GREEN if is_green else Health.RED
        # Only what was green is found again: nobody waits for the name of anything else.
        kept = await key.to_keep() if health is Health.GREEN else None
    redact = operation.world.redactor.redact
    return BaselineEnded(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        gate=effect.gate.name,
        health=health,
        reason=redact(broken or _in_short(health, opinion.reason)).text,
        output=ran.output,
        feedback=operation.keep(opinion.told)[0] if opinion.told else None,
        tests=ran.reading.tests,
        results=keep_results(operation, ran.reading.results),
        key=kept,
    )


def _in_short(health: Health, reason: str) -> str:
    return reason if health is Health.GREEN else f"does not pass on the base already: {reason}"


def _find_known(world: World, key: str | None) -> BaselineEnded | None:
    """Return what is known; only what was green, and can still be read, counts."""
    known = None if key is None else world.verdicts.find_baseline(key)
    is_good = known is not None and is_kept(world, known.output, known.results)
    return known if is_good else None


async def why_broken(effect: RunGate, operation: Operation, ran: Ran) -> str | None:
    """Say why the gate cannot work here, whatever a worker changes; None where one can mend it."""
    end, result = ran.result.end, ran.result
    if end is not SandboxEnd.EXITED or not is_final(result):
        return f"cannot work here: {result.reason or f'exit code {result.exit_code}'}"
    if result.exit_code == 0:
        return None
    lacks = await operation.world.examiner.lacks(effect.origin, ran.reading.missing)
    return f"fails on the base already: {in_words(lacks[0])}" if lacks else None


def in_words(lack: Lack) -> str:
    """Say what is missing, and what the user can do about it."""
    if lack.kind is LackKind.DECLARED:
        return (
            f"{lack.name!r} is a dependency of the project and is not installed in the sandbox."
            " Install it where the gate's tools are, or add a `workspace.setup` that does."
        )
    return (
        f"No module named {lack.name!r}: the project has it in {lack.place!r}, and is not"
        " installed in the sandbox. Give the gate an `env:` with"
        f" `PYTHONPATH: {lack.place}`, or add a `workspace.setup` that installs the project."
    )
