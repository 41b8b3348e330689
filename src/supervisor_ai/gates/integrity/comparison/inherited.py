"""Finds tests that classes inherit, and that are gone with what they were inherited from."""

from collections import Counter
from collections.abc import Iterator

from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.gates.integrity.comparison.matches import Pairing
from supervisor_ai.gates.integrity.comparison.removed_names import uses_any
from supervisor_ai.gates.integrity.comparison.sides import CheckedTest, Side


def lost_inheritance(before: Side, after: Side) -> Iterator[Finding]:
    """Find the classes that fewer classes of tests inherit from than before."""
    then = Counter(base for file in before.files.values() for base in file.bases)
    now = Counter(base for file in after.files.values() for base in file.bases)
    for base in then - now:
        path = next(file.path for file in before.files.values() if base in file.bases)
        message = f"The tests of {base!r} are inherited by fewer classes than before."
        yield Finding(rule="test_deleted", message=message, file=path, subject=base)


def lost_shared_tests(checkers: Pairing, after: Side, gone: frozenset[str]) -> Iterator[Finding]:
    """Find the tests that a class of no runner holds for its heirs, and that it holds no more."""
    for old, new in checkers.pairs:
        if _is_for_heirs(old) and not _is_for_heirs(new):
            yield _finding(old, f"is no longer collected: it is now {new.test.name!r}")
    there = {check.assertion.text for test in after.tests for check in test.checks}
    for old in checkers.gone:
        left = [check for check in old.checks if check.left and check.assertion.text not in there]
        if _is_for_heirs(old) and left and not uses_any(old.test, gone):
            yield _finding(old, "is deleted")


def _is_for_heirs(test: CheckedTest) -> bool:
    is_method = test.file.endswith(".py") and "." in test.test.name
    return is_method and test.last_name.startswith("test")


def _finding(old: CheckedTest, what: str) -> Finding:
    return Finding(
        rule="test_renamed_away" if "now" in what else "test_deleted",
        message=f"The test {old.test.name!r}, which classes inherit, {what}.",
        file=old.file,
        line=old.test.line,
        subject=old.test.name,
    )
