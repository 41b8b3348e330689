"""Runs tests that somebody else than the change wrote, as long as nobody waits too long."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.command import Ran, Wanted, run_command
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.ports.evidence import Halves, ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import CaseOutcome, ChangeCase
from supervisor_ai.engine.world import Operation

Contents = Mapping[str, bytes | None]
_SECONDS: Final = 300.0
"""After so many no further run begins."""


class OutOfTimeError(Exception):
    """The tests take too long to be asked once more."""


def passed(ran: Ran) -> set[str]:
    """Name the tests that passed."""
    return {it.name for it in ran.reading.results if it.outcome is CaseOutcome.PASSED}


def failed(ran: Ran) -> set[str]:
    """Name the tests that failed."""
    return {it.name for it in ran.reading.results if it.outcome is CaseOutcome.FAILED}


class ProbeRuns:
    """The runs of one gate that is asked more."""

    def __init__(self, effect: RunGate, operation: Operation) -> None:
        self._effect = effect
        self._operation = operation
        self._begun = operation.world.clock.boottime()

    async def probes(
        self, case: ChangeCase, kind: ProbeKind, speaking: tuple[str, ...] = ()
    ) -> tuple[TestProbe, ...]:
        """Have tests written."""
        evidence, rules = self._operation.world.evidence, self._effect.harness
        return await evidence.probes(case, rules, kind, speaking)

    async def halves(self, case: ChangeCase) -> Halves:
        """Have a change taken apart."""
        return await self._operation.world.evidence.halves(case, self._effect.harness)

    async def on_base(self, contents: Contents) -> Ran:
        """Run all tests that are left, with the product of the base."""
        return await self._run(self._effect.origin, contents, Wanted.ALL)

    async def on_head(self, contents: Contents) -> Ran:
        """Run all tests that are left, with the product of the change."""
        return await self._run(self._effect.snapshot, contents, Wanted.ALL)

    async def is_green(self, contents: Contents) -> bool:
        """Tell whether the change passes; how many tests there should be is not the question."""
        return self.passes(await self._run(self._effect.snapshot, contents, Wanted.ONE_RED))

    def passes(self, ran: Ran) -> bool:
        """Tell whether a run is green."""
        return judge(replace(self._effect.gate, min_tests=None), ran).verdict is Verdict.PASSED

    async def _run(self, over: CommitSha, contents: Contents, wanted: Wanted) -> Ran:
        world, at = self._operation.world, self._operation.intended_at
        if world.clock.boottime() - self._begun > _SECONDS:
            raise OutOfTimeError
        composed = await world.workspaces.compose(over, contents, at=at)
        return await run_command(self._effect, self._operation, composed.commit, wanted)
