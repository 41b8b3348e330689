"""Finds what tests no longer prepare although they expect something else since: an easier case."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.gates.integrity.comparison.matches import ChangedExpectation, Pair
from supervisor_ai.gates.integrity.comparison.sides import CheckedTest, bare_name
from supervisor_ai.gates.integrity.comparison.words import tokens
from supervisor_ai.gates.integrity.model import TestCase, TestFile

_CHECKING: Final = ("assert", "self.assert", "with pytest.raises", "pytest.mark", "return", "yield")


def reductions(
    pairs: Iterable[Pair], changed: Sequence[ChangedExpectation], gone: frozenset[str]
) -> Iterator[Finding]:
    """Find the tests that do less than before, and expect something else."""
    touched = {id(change.test) for change in changed}
    for old, new in pairs:
        if id(new) in touched:
            yield from _told(new.file, new.test, _removed(old.test, new.test), gone)


def reduced_fixtures(
    before: Mapping[str, TestFile],
    after: Mapping[str, TestFile],
    changed: Sequence[ChangedExpectation],
    gone: frozenset[str],
) -> Iterator[Finding]:
    """Find the fixtures that do less than before, where tests with them expect something else."""
    for path, file in after.items():
        old = {fixture.name: fixture for fixture in before[path].fixtures} if path in before else {}
        for fixture in file.fixtures:
            if fixture.name in old and any(_uses(change.test, path, fixture) for change in changed):
                yield from _told(path, fixture, _removed(old[fixture.name], fixture), gone)


def _uses(test: CheckedTest, path: str, fixture: TestCase) -> bool:
    outer, _, name = fixture.name.rpartition(".")
    if outer:
        return test.file == path and test.test.name.startswith(f"{outer}.")
    return bare_name(name) in tokens(test.test.body)


def _removed(old: TestCase, new: TestCase) -> list[str]:
    """Return the calls that are gone, where nothing else was done to the code."""
    then, now = _steps(old), _steps(new)
    rest = iter(then)
    if not now or len(now) >= len(then) or not all(line in rest for line in now):
        return []
    removed = list((Counter(then) - Counter(now)).elements())
    is_reshaped = any(line.endswith(":") for line in removed)
    return [] if is_reshaped else [line for line in removed if "(" in line]


def _steps(test: TestCase) -> list[str]:
    lines = (line.strip() for line in test.body.split("\n"))
    return [line for line in lines if line and not line.startswith(_CHECKING)]


def _told(
    path: str, test: TestCase, removed: Sequence[str], gone: frozenset[str]
) -> Iterator[Finding]:
    if not removed:
        return
    is_gone = any(tokens(line) & gone for line in removed)
    shown = removed[0][:100]
    yield Finding(
        rule="setup_reduced",
        message=f"{test.name!r} no longer does `{shown if shown.isprintable() else ascii(shown)}`, "
        "and what is expected follows it.",
        file=path,
        line=test.line,
        subject=test.name,
        severity=Severity.NOTE if is_gone else Severity.ERROR,
    )
