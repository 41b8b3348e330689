"""Compares the tests before and after a change: does anything say less than it did?"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.gates.integrity.comparison.inherited import (
    lost_inheritance,
    lost_shared_tests,
)
from supervisor_ai.gates.integrity.comparison.losses import Losses
from supervisor_ai.gates.integrity.comparison.matches import Matcher, Pairing, pair
from supervisor_ai.gates.integrity.comparison.reductions import reduced_fixtures, reductions
from supervisor_ai.gates.integrity.comparison.removed_names import uses_any
from supervisor_ai.gates.integrity.comparison.sides import CheckedTest, Side, side_of
from supervisor_ai.gates.integrity.comparison.twins import TwinSearch
from supervisor_ai.gates.integrity.model import (
    Oddity,
    Strength,
    TestCase,
    TestFile,
    Unreadable,
)

_NOTHING: Final = frozenset[str]()
_PREFIX: Final = re.compile(r"^test_?", re.IGNORECASE)
_SHOWN: Final = 60


class Comparison(Struct, frozen=True, kw_only=True):
    """What the tests were before a change, and what they are after it."""

    before: Sequence[TestFile | Unreadable]
    after: Sequence[TestFile | Unreadable]
    shared_before: Sequence[TestFile] = ()
    """Files that did not change, for the functions in them that tests call."""
    shared_after: Sequence[TestFile] = ()
    gone: frozenset[str] = _NOTHING
    """What the product no longer defines."""


@dataclass(slots=True)
class Compared:
    """What came of a comparison."""

    findings: list[Finding] = field(default_factory=list)
    tests_before: int = 0
    tests_after: int = 0


def compare(comparison: Comparison) -> Compared:
    """Find everything that makes the tests say less than before."""
    before = side_of(_readable(comparison.before), comparison.shared_before, is_head=False)
    after = side_of(_readable(comparison.after), comparison.shared_after, is_head=True)
    findings = [*_unreadable(comparison), *_of_files(before, after)]
    hidden = {file.path for file in comparison.after if isinstance(file, Unreadable)}
    tests = pair([test for test in before.tests if test.file not in hidden], after.tests)
    checkers = pair(before.checkers, after.checkers)
    shared = Losses(comparison.gone)
    checked = _matched(checkers)
    findings += [found for pairs in checkers.pairs for found in shared.of_checker(*pairs, after)]
    findings += lost_shared_tests(checkers, after, comparison.gone)
    findings += lost_inheritance(before, after)
    matcher = _matched(tests)
    losses = Losses(comparison.gone, reported=shared.reported)
    for old, new in tests.pairs:
        findings += _of_pair(old, new, losses, after)
    twins = [*after.tests, *_unchanged(comparison.shared_after)]
    findings += _of_gone(tests, after, losses, TwinSearch(twins))
    for new in tests.added:
        findings += _of_added(new)
    changed = (*checked.changed, *matcher.changed)
    findings += [losses.changed(change) for change in changed]
    findings += reductions(tests.pairs, changed, comparison.gone)
    findings += reduced_fixtures(before.files, after.files, changed, comparison.gone)
    counts = Compared(
        tests_before=sum(test.runs for test in before.tests),
        tests_after=sum(test.runs for test in after.tests),
    )
    counts.findings = [*dict.fromkeys(findings), *_fewer(counts, findings)]
    return counts


def _matched(pairing: Pairing) -> Matcher:
    matcher = Matcher(pairing)
    matcher.match()
    return matcher


def _readable(files: Iterable[TestFile | Unreadable]) -> list[TestFile]:
    return [file for file in files if isinstance(file, TestFile)]


def _unreadable(comparison: Comparison) -> Iterator[Finding]:
    known = {file.path for file in comparison.before if isinstance(file, Unreadable)}
    for file in comparison.after:
        if isinstance(file, Unreadable):
            severity = Severity.NOTE if file.path in known else Severity.ERROR
            message = f"Nobody can say what {file.path!r} tests: {file.reason}."
            yield Finding(
                rule="unreadable_test", message=message, file=file.path, severity=severity
            )


def _of_files(before: Side, after: Side) -> Iterator[Finding]:
    """Find what a file says about all its tests, and about those of others."""
    for path, file in after.files.items():
        old = before.files.get(path)
        if file.is_focused and not (old and old.is_focused):
            message = "Only some of the tests run: one of them is marked as the only one."
            yield Finding(rule="tests_focused", message=message, file=path)
        if file.is_skipped and not (old and old.is_skipped) and file.tests:
            message = f"None of the {len(file.tests)} tests of the file runs any more."
            severity = Severity.ERROR if old and old.tests else Severity.NOTE
            yield Finding(rule="test_skipped", message=message, file=path, severity=severity)
        yield from _odd(path, None, file.oddities if old else _for_others(file), old)


def _odd(
    path: str, name: str | None, now: Iterable[Oddity], then: TestFile | TestCase | None
) -> Iterator[Finding]:
    known = Counter((odd.rule, odd.message) for odd in (then.oddities if then else ()))
    for odd in now:
        if known[odd.rule, odd.message] > 0:
            known[odd.rule, odd.message] -= 1
        else:
            yield Finding(
                rule=odd.rule, message=odd.message, file=path, line=odd.line, subject=name
            )


def _for_others(file: TestFile) -> list[Oddity]:
    """Return what a new file does; whether its own tests run takes nothing away."""
    return [odd for odd in file.oddities if odd.rule != "test_skipped"]


def _of_pair(old: CheckedTest, new: CheckedTest, losses: Losses, after: Side) -> Iterator[Finding]:
    yield from _odd(new.file, new.test.name, new.test.oddities, old.test)
    if new.is_skipped and not old.is_skipped:
        if not _is_said_of_file(new, after):
            yield _finding("test_skipped", new, "no longer runs, or may fail: it is skipped")
    elif new.test.swallows and not old.test.swallows:
        yield _finding("failure_swallowed", new, "can no longer fail where it checks something")
    elif not old.is_skipped:
        yield from losses.of_test(old, new)


def _is_said_of_file(new: CheckedTest, after: Side) -> bool:
    file = after.files[new.file]
    return file.is_skipped and not new.test.is_skipped


def _of_added(new: CheckedTest) -> Iterator[Finding]:
    """Look at a test that is new: it takes nothing away, but it may only pretend to test.

    No replay can tell: at the base there is nothing to compare it with.
    """
    odd = [odd for odd in new.test.oddities if odd.rule != "failure_retried"]
    yield from _odd(new.file, new.test.name, odd, None)
    if new.is_skipped:
        yield _finding("test_skipped", new, "is new and does not run", Severity.NOTE)
    elif new.test.swallows:
        yield _finding("test_cannot_fail", new, "is new and cannot fail where it checks something")
    elif new.checks and not new.still_says():
        yield _finding("test_cannot_fail", new, "is new and checks only what always holds")
    elif not new.checks and not new.test.calls:
        yield _finding("test_emptied", new, "is new and does nothing", Severity.NOTE)


def _unchanged(files: Iterable[TestFile]) -> Iterator[CheckedTest]:
    for file in files:
        for test in file.tests:
            yield CheckedTest(
                file=file.path, test=test, is_skipped=file.is_skipped or test.is_skipped
            )


def _of_gone(tests: Pairing, after: Side, losses: Losses, twins: TwinSearch) -> Iterator[Finding]:
    """Look at the tests that are nowhere; whole files are named once."""
    lost: dict[str, list[Finding]] = {}
    for old in tests.gone:
        if twins.has_twin(old):
            what = "is deleted; its twin is still there"
            found = [_finding("test_deleted", old, what, Severity.NOTE)]
        else:
            found = list(_of_missing(old, tests, after, losses))
        lost.setdefault(old.file, []).extend(found)
    for path, findings in lost.items():
        deleted = [found for found in findings if _is_deletion(found)]
        if path in after.files or len(deleted) < 2:  # noqa: PLR2004 - one test is named itself
            yield from findings
            continue
        names = ", ".join(str(found.subject) for found in deleted[:_SHOWN])
        message = f"The file was deleted with {len(deleted)} tests: {names}."
        yield Finding(rule="test_file_deleted", message=message, file=path)
        yield from (found for found in findings if not _is_deletion(found))


def _is_deletion(found: Finding) -> bool:
    return found.rule == "test_deleted" and found.severity is Severity.ERROR


def _of_missing(old: CheckedTest, tests: Pairing, after: Side, losses: Losses) -> Iterator[Finding]:
    checks = [check for check in old.checks if check.assertion.strength > Strength.NONE]
    missing = [check for check in checks if check.left]
    if checks and not missing:
        return
    if not checks and _is_called_elsewhere(old, tests):
        return
    away = next((other for other in after.checkers if _is_away(old, other)), None)
    if away is not None:
        message = f"is no longer collected: it is now {away.test.name!r} in {away.file!r}"
        yield _finding("test_renamed_away", old, message, line=away.test.line, file=away.file)
    elif old.is_skipped:
        yield _finding("test_deleted", old, "was skipped and is deleted", Severity.NOTE)
    elif uses_any(old.test, losses.gone):
        message = "is deleted with what it tested"
        yield _finding("test_deleted", old, message, Severity.NOTE)
    elif checks and len(missing) < len(checks):
        yield from losses.removed(old, missing)
    else:
        yield _finding("test_deleted", old, "is deleted")


def _is_called_elsewhere(old: CheckedTest, tests: Pairing) -> bool:
    """Tell whether a test without assertions lives on: a new one calls all that it called."""
    calls = set(old.test.calls)
    return bool(calls) and any(
        calls <= set(new.test.calls) for new in tests.added if not new.is_skipped
    )


def _is_away(old: CheckedTest, other: CheckedTest) -> bool:
    if other.test.body == old.test.body and old.test.body:
        return True
    bare = _PREFIX.sub("", old.last_name)
    return bool(bare) and other.last_name.lower().endswith(bare.lower())


def _fewer(counts: Compared, findings: Iterable[Finding]) -> Iterator[Finding]:
    if counts.tests_after >= counts.tests_before or any(
        found.severity is Severity.ERROR or found.rule == "test_deleted" for found in findings
    ):
        return
    message = (
        f"There are fewer tests than before, {counts.tests_after} instead of "
        f"{counts.tests_before}, but nothing that they checked is missing."
    )
    yield Finding(rule="fewer_tests", message=message, severity=Severity.NOTE)


def _finding(
    rule: str,
    test: CheckedTest,
    what: str,
    severity: Severity = Severity.ERROR,
    *,
    line: int | None = None,
    file: str | None = None,
) -> Finding:
    return Finding(
        rule=rule,
        message=f"The test {test.test.name!r} {what}.",
        file=file or test.file,
        line=line or test.test.line,
        subject=test.test.name,
        severity=severity,
    )
