"""Names what a test lost: which assertions are gone, weaker, or always true."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.gates.integrity.comparison.matches import ChangedExpectation
from supervisor_ai.gates.integrity.comparison.removed_names import uses_any
from supervisor_ai.gates.integrity.comparison.replacements import weaker_than
from supervisor_ai.gates.integrity.comparison.sides import Check, CheckedTest, Side
from supervisor_ai.gates.integrity.comparison.words import tokens
from supervisor_ai.gates.integrity.model import Strength

_SHOWN: Final = 160
_THERE: Final = re.compile(
    r"is not None|isinstance\(|toBeDefined|not\.toBeNull|is_some\(|!= ?nil|NotNil"
)
"""How one says that something is there at all."""
_AT_ONCE: Final = 20
"""How many losses of one test are named one by one."""


class Losses:
    """Says what is missing, and no loss in a shared function twice."""

    def __init__(self, gone: frozenset[str], reported: set[tuple[str, int]] | None = None) -> None:
        self.gone = gone
        self.reported = reported if reported is not None else set()

    def of_checker(self, old: CheckedTest, new: CheckedTest, after: Side) -> Iterator[Finding]:
        """Look at a function that tests share; what moved into the tests is not lost."""
        there = {check.assertion.text for test in after.tests for check in test.checks}
        for check in _missing(old):
            if check.assertion.text in there:
                check.left = 0
        found = list(self.of_test(old, new))
        self.reported |= {(check.file, check.assertion.line) for check in _missing(old)}
        if new.test.swallows and not old.test.swallows:
            found = [self._finding("failure_swallowed", new, "can no longer fail", new.test.line)]
        yield from found

    def of_test(self, old: CheckedTest, new: CheckedTest) -> Iterator[Finding]:
        """Look at a test that is there before and after."""
        known = {check.assertion.text for check in old.checks}
        hollow = [check for check in _hollow(new) if check.assertion.text not in known]
        missing = [
            check
            for check in _missing(old)
            if (check.file, check.assertion.line) not in self.reported
        ]
        if not hollow and _is_emptied(old, new, missing):
            yield self._emptied(old, new)
            return
        for check in hollow[:_AT_ONCE]:
            message = f"checks what always holds: {_shown(check)}"
            yield self._finding("assertion_tautological", new, message, check.assertion.line)
        yield from self._named(new, missing[len(hollow) :])

    def _emptied(self, old: CheckedTest, new: CheckedTest) -> Finding:
        severity = Severity.NOTE if uses_any(old.test, self.gone) else Severity.ERROR
        return self._finding(
            "test_emptied", new, "no longer checks anything", new.test.line, severity
        )

    def _named(self, new: CheckedTest, missing: Sequence[Check]) -> Iterator[Finding]:
        there = {check.assertion.text: check for check in new.checks}
        fewer = [check for check in missing if check.assertion.text in there]
        if fewer:
            check = fewer[0]
            now, then = check.wanted - check.left, check.wanted
            message = f"checks fewer cases, {now} instead of {then}: {_shown(check)}"
            line = there[check.assertion.text].assertion.line
            yield self._finding("cases_removed", new, message, line)
        for check in missing[:_AT_ONCE]:
            if check.assertion.text not in there:
                yield self._lost(check, new)

    def _lost(self, check: Check, new: CheckedTest) -> Finding:
        weaker = next(weaker_than(check, new), None)
        if weaker is not None:
            message = f"says less than before: {_shown(check)} became {_shown(weaker)}"
            return self._finding("assertion_weakened", new, message, weaker.assertion.line)
        is_gone = bool(tokens(check.assertion.subject) & self.gone)
        severity = Severity.NOTE if is_gone or _is_a_step(check, new) else Severity.ERROR
        message = f"no longer checks {_shown(check)}"
        return self._finding("assertion_removed", new, message, new.test.line, severity)

    def removed(self, old: CheckedTest, missing: Sequence[Check]) -> Iterator[Finding]:
        """Name what is lost of a test that was taken apart."""
        for check in missing[:_AT_ONCE]:
            message = f"is gone, and nothing checks {_shown(check)} any more"
            yield self._finding("assertion_removed", old, message, check.assertion.line)

    def changed(self, change: ChangedExpectation) -> Finding:
        """Name an assertion that expects another value."""
        message = f"expects something else than before: {_shown(change.check)}"
        line = change.check.assertion.line
        return self._finding("expectation_changed", change.test, message, line, Severity.NOTE)

    def _finding(
        self,
        rule: str,
        test: CheckedTest,
        what: str,
        line: int,
        severity: Severity = Severity.ERROR,
    ) -> Finding:
        return Finding(
            rule=rule,
            message=f"{test.test.name!r} {what}.",
            file=test.file,
            line=line,
            subject=test.test.name,
            severity=severity,
        )


def _missing(test: CheckedTest) -> list[Check]:
    said = (check for check in test.checks if check.assertion.strength > Strength.NONE)
    return [check for check in said if check.left]


def _hollow(test: CheckedTest) -> list[Check]:
    return [check for check in test.checks if check.assertion.strength is Strength.NONE]


def _is_emptied(old: CheckedTest, new: CheckedTest, missing: Sequence[Check]) -> bool:
    """Tell whether a test that checked or did something does nothing now."""
    if old.checks:
        return bool(missing) and not new.still_says()
    return bool(old.test.calls) and not new.checks and not new.test.calls


def _is_a_step(check: Check, new: CheckedTest) -> bool:
    """Tell whether an assertion was only there so that the next ones could be written."""
    if check.assertion.strength is not Strength.WEAK or not _THERE.search(check.assertion.text):
        return False
    return any(other.assertion.strength > Strength.WEAK for other in new.checks)


def _shown(check: Check) -> str:
    text = " ".join(check.assertion.text.split())
    text = text if text.isprintable() else ascii(text)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
