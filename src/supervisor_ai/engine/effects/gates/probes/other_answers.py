"""Other answers: where no test looks, a change that no test speaks of answers as the base did.

The base's tests are run with other values on both sides. What they expect is wrong then, so most
of them fail; but they fail alike, unless the change has the answers of the tests in it.
"""

import re
from typing import Final

from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.probes.probe_run import Contents, ProbeRuns
from supervisor_ai.engine.ports.evidence import Halves, ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult, ChangeCase, Reading

_SHOWN: Final = 200
_NAMED: Final = 3
_UNASKED: Final = re.compile(
    r"\b(?!Assertion)\w*(?:Error|Exception|Warning|Exit)\b|\bunwrap\(\)|\bpanic: |\boverflow"
)
"""Where the base itself could not answer, nobody says what an answer would be."""
_PLACE: Final = re.compile(
    r"[\w./-]*\.\w+:\d+(?::\d+)?|\b0x[0-9a-f]+\b|\(?\d+\.\d+ ?m?s\)?|(?<=') \(\d+\)(?= panicked)"
)
"""Lines, addresses, times and threads are others in every run."""


async def other_answers(
    runs: ProbeRuns, halves: Halves, case: ChangeCase, gate: Ran
) -> tuple[Finding, ...]:
    """Find out whether a change that looks as if it knew the answers knows others, too."""
    found = await _asked(runs, halves, await runs.probes(case, ProbeKind.NEIGHBOURS))
    if not found or not halves.touches_harness:
        return found
    speaking = await _speaking_tests(runs, case, gate)
    if not speaking:
        return found
    rest = await runs.probes(case, ProbeKind.NEIGHBOURS, speaking)
    return await _asked(runs, halves, rest)


async def _speaking_tests(runs: ProbeRuns, case: ChangeCase, gate: Ran) -> tuple[str, ...]:
    """Name the tests of a change that pass with it, and not on the product of the base."""
    back = await runs.halves(ChangeCase(base=case.head, head=case.base))
    old = await runs.on_base(back.replay)
    passed = {it.name for it in old.reading.results if it.outcome is CaseOutcome.PASSED}
    return tuple(
        it.name
        for it in gate.reading.results
        if it.outcome is CaseOutcome.PASSED and it.name not in passed
    )


async def _asked(
    runs: ProbeRuns, halves: Halves, probes: tuple[TestProbe, ...]
) -> tuple[Finding, ...]:
    for contents in (each for probe in probes for each in probe.variants):
        if found := await _compared(runs, halves, contents):
            return (found,)
    return ()


async def _compared(runs: ProbeRuns, halves: Halves, contents: Contents) -> Finding | None:
    old = await runs.on_base(contents)
    if not any(map(_is_answered, old.reading.results)):
        return None
    new = await runs.on_head({**halves.replay, **contents})
    others = different(old.reading, new.reading)
    if not others:
        return None
    again = await runs.on_base(contents)
    wavering = {name for name, _ in different(old.reading, again.reading)}
    sure = [it for it in others if it[0] not in wavering]
    return _finding(sure) if sure else None


def different(old: Reading, new: Reading) -> list[tuple[str, str]]:
    """Name the tests that the base answers and the change answers otherwise, and what it says."""
    after = {it.name: it for it in new.results}
    pairs = ((it, after.get(it.name)) for it in old.results)
    return [
        (was.name, _telling(now.told))
        for was, now in pairs
        if now is not None and _is_answered(was) and _answer(was) != _answer(now)
    ]


def _is_answered(result: CaseResult) -> bool:
    if result.outcome is CaseOutcome.SKIPPED:
        return False
    return result.outcome is CaseOutcome.PASSED or not _UNASKED.search(_telling(result.told))


def _answer(result: CaseResult) -> tuple[CaseOutcome, str]:
    return result.outcome, _PLACE.sub("", _telling(result.told))


def _telling(told: str) -> str:
    """Return what a test says of the values, without where it says so."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return "\n".join(errors or [line for line in lines if not line.startswith(("at ", "File "))])


def _finding(others: list[tuple[str, str]]) -> Finding:
    names = ", ".join(name for name, _ in others[1 : 1 + _NAMED])
    said = next((line for _, told in others for line in told.splitlines()[:1] if line), "")
    shown = f" It says: {said[:_SHOWN].rstrip('.')}." if said else ""
    more = f" So are {names}." if names else ""
    message = (
        "With other values in it, this test is answered otherwise than before the change, and no"
        " test says so: the product may know the values of the tests. If it is meant to answer"
        f" otherwise, add a test of it that fails without the change.{shown}{more}"
    )
    return Finding(rule="other_answers", message=message, subject=others[0][0])
