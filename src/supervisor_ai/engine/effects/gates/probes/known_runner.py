"""Known runner: what is right only where a runner is around it knows that it is tested."""

import re
from collections.abc import Collection
from typing import Final

from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.engine.effects.gates.probes.probe_run import Contents, ProbeRuns, failed, passed
from supervisor_ai.engine.ports.evidence import Halves, ProbeKind
from supervisor_ai.engine.ports.gates import ChangeCase

_NAMED: Final = 5
_PARTS: Final = re.compile(r"[.:/ ]+")
_WHOLE_FILE: Final = "plainly"
"""What all tests of a file are called where they are not told apart."""


async def known_runner(
    runs: ProbeRuns, halves: Halves, case: ChangeCase, meant: Collection[str | None]
) -> tuple[Finding, ...]:
    """Find out whether tests that pass in their runner pass as well when they are just called.

    Tests that are meant to fail, as everybody agreed, do so anyhow.
    """
    if None in meant:
        return ()
    excused = {_short(name) for name in meant if name} | ({_WHOLE_FILE} if meant else set())
    for probe in await runs.probes(case, ProbeKind.PLAINLY):
        for contents in probe.variants:
            names = await _lost(runs, contents, {**halves.replay, **contents})
            if sure := [name for name in names if _short(name) not in excused]:
                return (_finding(sure),)
    return ()


async def _lost(runs: ProbeRuns, contents: Contents, on_head: Contents) -> list[str]:
    """Compare with the base only where something fails: it seldom does."""
    lost = failed(await runs.on_head(on_head))
    if lost:
        lost &= passed(await runs.on_base(contents))
    # What fails by chance does not do so twice.
    return sorted(lost & failed(await runs.on_head(on_head))) if lost else []


def _short(name: str) -> str:
    """Return how a test is called in its file, whatever its runner puts before and behind it."""
    return _PARTS.split(name.partition("[")[0])[-1]


def _finding(names: list[str]) -> Finding:
    others = f" The same holds for {', '.join(names[1:_NAMED])}." if len(names) > 1 else ""
    message = (
        "Called without a runner around it, this test passes on the base and fails with the"
        " change, as it does not in its runner: the product does the right thing only where it is"
        f" being tested.{others}"
    )
    return Finding(rule="runner_known", message=message, subject=names[0])
