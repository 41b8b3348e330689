"""Names of tests that stand in one file."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from supervisor_ai.gates.integrity.model import TestCase


def unique_names(tests: Iterable[TestCase]) -> tuple[TestCase, ...]:
    """Number the tests that have the name of one before them: each must be found again."""
    seen: Counter[str] = Counter()
    found = []
    for test in tests:
        seen[test.name] += 1
        count = seen[test.name]
        found.append(test if count == 1 else replace(test, name=f"{test.name} #{count}"))
    return tuple(found)
