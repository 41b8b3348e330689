"""Hidden failures: tests that are made to fail have to fail on the change as on the base."""

from collections.abc import Collection
from typing import Final

from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.engine.effects.gates.probes.probe_run import Contents, ProbeRuns, failed, passed
from supervisor_ai.engine.ports.evidence import Halves, ProbeKind
from supervisor_ai.engine.ports.gates import ChangeCase

_NAMED: Final = 5


async def hidden_failures(
    runs: ProbeRuns, halves: Halves, case: ChangeCase, meant: Collection[str | None]
) -> tuple[Finding, ...]:
    """Find out whether a change that could reach into its runner keeps tests from failing.

    Tests that are meant to fail, as everybody agreed, pass when they say the opposite.
    """
    if None in meant:
        return ()
    for probe in await runs.probes(case, ProbeKind.FAILURES):
        for contents in probe.variants:
            on_head = {**halves.replay, **contents, **probe.on_head}
            if found := await _hidden(runs, contents, on_head, meant):
                return (found,)
    return ()


async def _hidden(
    runs: ProbeRuns, contents: Contents, on_head: Contents, meant: Collection[str | None]
) -> Finding | None:
    """Compare with the base only where something passes that should not: it seldom does."""
    new = await runs.on_head(on_head)
    if not (passed(new) or runs.passes(new)):
        return None
    old = await runs.on_base(contents)
    names = (passed(new) & failed(old)) - set(meant)
    if not names and not (runs.passes(new) and not runs.passes(old)):
        return None
    # What passes by chance does not do so twice.
    again = await runs.on_head(on_head)
    sure = sorted(names & passed(again))
    return _finding(sure) if sure or (not names and runs.passes(again)) else None


def _finding(names: list[str]) -> Finding:
    others = f" The same holds for {', '.join(names[1:_NAMED])}." if len(names) > 1 else ""
    message = (
        "One of its assertions, as it was before the change, was turned into its opposite. It"
        " fails on the base then, and passes with the change, as it does without that: the product"
        f" is wrong, and keeps its tests from failing.{others}"
    )
    return Finding(rule="failure_hidden", message=message, subject=names[0] if names else None)
