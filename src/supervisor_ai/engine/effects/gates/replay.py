"""Replay: everything that passed before the change still runs and passes.

The base's own harness judges the head's product, so that what a change does to tests, fixtures and
runners cannot hide what it does to the product.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.engine.effects.gates.agreed_changes import (
    NOTHING_AGREED,
    Agreed,
    agreed_changes,
)
from supervisor_ai.engine.effects.gates.command import Ran, Wanted, run_command
from supervisor_ai.engine.effects.gates.named_tests import Outcomes, shown_results
from supervisor_ai.engine.effects.gates.unnamed_tests import unnamed_tests
from supervisor_ai.engine.ports.evidence import Halves
from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult, ChangeCase
from supervisor_ai.engine.world import Operation

_NAMED: Final = 5
_EXCERPT: Final = 600
_LOADED_FIRST: Final = frozenset({"conftest.py", "__init__.py"})
"""Files of a harness without which none of its tests can be loaded."""


async def replay(
    effect: RunGate,
    operation: Operation,
    gate: Ran,
    case: ChangeCase,
    halves: Halves,
    before: Outcomes,
) -> tuple[Finding, ...]:
    """Compare the tests with how they stood at the baseline, by name where they have any."""
    agreed = agreed_changes(effect, operation.world.artifacts)
    ran, own = gate, frozenset[str]()
    if halves.replay:
        ran = await _run(effect, operation, halves.replay)
    if before and not ran.reading.results and (own := _loaded_first(halves)):
        contents = await operation.world.evidence.head_version(case, halves, own)
        ran = await _run(effect, operation, contents)
    rest = _not_replayed(halves, own)
    if not before:
        return (*unnamed_tests(effect, operation, ran, agreed), *rest)
    now, old = (shown_results(operation, it.reading.results) for it in (gate, ran))
    return (*lost_tests(before, now, old, agreed), *rest)


async def _run(effect: RunGate, operation: Operation, contents: Mapping[str, bytes | None]) -> Ran:
    workspaces, at = operation.world.workspaces, operation.intended_at
    base = effect.origin
    composed = await workspaces.compose(effect.snapshot, contents, at=at, modes_of=base)
    return await run_command(effect, operation, composed.commit, Wanted.ALL)


def _loaded_first(halves: Halves) -> frozenset[str]:
    return frozenset(path for path in halves.replay if PurePosixPath(path).name in _LOADED_FIRST)


def _not_replayed(halves: Halves, own: frozenset[str]) -> Iterator[Finding]:
    """Say which part of the harness judged that a change could have written itself."""
    for sentence in halves.not_replayed:
        yield Finding(rule="not_replayed", message=sentence)
    for path in sorted(own):
        message = "The base's version cannot be loaded any more, so the change's own was used."
        yield Finding(
            rule="harness_of_the_change", message=message, file=path, severity=Severity.NOTE
        )


def lost_tests(
    before: Outcomes,
    gate: Iterable[CaseResult],
    replayed: Iterable[CaseResult],
    agreed: Agreed = NOTHING_AGREED,
) -> tuple[Finding, ...]:
    """Find the tests that passed before, or are called green now, and are not when replayed."""
    after = {it.name: it for it in replayed}
    green = {it.name for it in gate if it.outcome is CaseOutcome.PASSED}
    wanted = [
        name
        for name, outcome in before.items()
        if outcome is CaseOutcome.PASSED or (outcome is CaseOutcome.FAILED and name in green)
    ]
    lost = [name for name in wanted if not _passes(after.get(name))]
    meant = [name for name in lost if agreed.is_meant(name)]
    others = [after.get(name) or name for name in lost if name not in meant]
    found = (_told(cause, names) for cause, names in _by_cause(others).items())
    return (*found, *(agreed.finding(name, "It does not pass any more.") for name in meant))


def _passes(result: CaseResult | None) -> bool:
    return result is not None and result.outcome is CaseOutcome.PASSED


def _by_cause(lost: Iterable[CaseResult | str]) -> Mapping[tuple[str, str], list[str]]:
    """Put tests together that one and the same thing has broken."""
    causes: dict[tuple[str, str], list[str]] = defaultdict(list)
    first: dict[str, str] = {}
    for each in lost:
        if isinstance(each, str):
            causes["test_not_run", ""].append(each)
        elif each.outcome is CaseOutcome.SKIPPED:
            causes["test_skipped", each.told[:_EXCERPT]].append(each.name)
        else:
            # The cases of one test say different things about the same cause.
            said = first.setdefault(each.name.partition("[")[0], _telling(each.told))
            causes["old_test_fails", said].append(each.name)
    return causes


def _telling(told: str) -> str:
    """Return the line of what a test said that tells what was raised, and not where."""
    lines = [line.strip() for line in told.strip().splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return (errors[:1] or lines[-1:] or [""])[0][:_EXCERPT]


_SENTENCES: Final = {
    "test_not_run": "It passed before the change and does not run any more.",
    "test_skipped": "It passed before the change and is skipped now.",
    "old_test_fails": "It passed before the change and fails now, as it was written then.",
}


def _told(cause: tuple[str, str], names: list[str]) -> Finding:
    rule, words = cause
    more = len(names) - _NAMED
    others = f" The same holds for {', '.join(names[1:_NAMED])}" if len(names) > 1 else ""
    others += f" and {more} more." if more > 0 else "." if others else ""
    said = f" It says: {words.rstrip('.')}." if words else ""
    return Finding(rule=rule, message=f"{_SENTENCES[rule]}{said}{others}", subject=names[0])
