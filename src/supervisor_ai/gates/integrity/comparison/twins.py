"""Finds tests that say the same as a deleted one, in any file."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.integrity.comparison.sides import CheckedTest
from supervisor_ai.gates.integrity.comparison.words import literals, tokens
from supervisor_ai.gates.integrity.model import TestCase, TestFile, Unreadable

_WORD: Final = re.compile(rb"\w+")
_PLAIN: Final = re.compile(r"[A-Za-z]\w*")
_LOOKED_FOR: Final = 50
"""So many deleted tests at most are looked for in files that did not change."""


class TwinSearch:
    """Finds a test that does all that a deleted one did, in the same order."""

    def __init__(self, tests: Iterable[CheckedTest]) -> None:
        self._known: dict[str, list[CheckedTest]] = defaultdict(list)
        for test in tests:
            if not (test.is_skipped or test.test.swallows):
                texts = {assertion.text for assertion in test.test.assertions}
                for key in texts or {test.test.body}:
                    self._known[key].append(test)

    def has_twin(self, old: CheckedTest) -> bool:
        """Tell whether there is such a test."""
        keys = [assertion.text for assertion in old.test.assertions] or [old.test.body]
        there = [self._known.get(key, []) for key in keys]
        rarest = min(there, key=len)[:_LOOKED_FOR]
        return any(_means_the_same(old, new) and _is_within(old.test, new.test) for new in rarest)


def _means_the_same(old: CheckedTest, new: CheckedTest) -> bool:
    """Tell whether the same names are the same things in two tests."""
    if old.file == new.file:
        return _outer(old.test) == _outer(new.test)
    if PurePosixPath(old.file).suffix == ".go":
        return PurePosixPath(old.file).parent == PurePosixPath(new.file).parent
    return bool(old.test.origins) and set(old.test.origins) <= set(new.test.origins)


def _outer(test: TestCase) -> str:
    return test.name.rpartition(" > ")[0] or test.name.rpartition(".")[0]


def _is_within(old: TestCase, new: TestCase) -> bool:
    if old.body == new.body:
        return True
    there = {assertion.text for assertion in new.assertions}
    if not old.assertions or not {found.text for found in old.assertions} <= there:
        return False
    lines = iter(new.body.split("\n"))
    return new.cases == old.cases and all(line in lines for line in old.body.split("\n"))


class Twins:
    """Tells which files may hold a twin of a test that is no longer at its place."""

    def __init__(
        self, before: Iterable[TestFile | Unreadable], after: Iterable[TestFile | Unreadable]
    ) -> None:
        there = {name for name, _ in _tests(after)}
        gone = [test for name, test in _tests(before) if name not in there and not test.is_skipped]
        bodies = {test.body for _, test in _tests(after)}
        gone = [test for test in gone if test.body not in bodies and test.body]
        self.wanted = [_words(test) for test in gone] if len(gone) <= _LOOKED_FOR else []

    def may_be_in(self, source: bytes) -> bool:
        """Tell whether all the words of one of the tests stand in a file."""
        if not self.wanted:
            return False
        there = frozenset(_WORD.findall(source))
        return any(words <= there for words in self.wanted)


def _tests(files: Iterable[TestFile | Unreadable]) -> Iterator[tuple[tuple[str, str], TestCase]]:
    for file in files:
        if isinstance(file, TestFile):
            for test in file.tests:
                yield (file.path, test.name), test


def _words(test: TestCase) -> frozenset[bytes]:
    plain = {literal for literal in literals(test.body) if _PLAIN.fullmatch(literal)}
    return frozenset(word.encode() for word in tokens(test.body) | plain)
