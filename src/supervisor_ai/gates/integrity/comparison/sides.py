"""The tests of one side of a change, each with everything that it checks."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.integrity.comparison.words import literals, tokens
from supervisor_ai.gates.integrity.model import Assertion, Strength, TestCase, TestFile

_DOTTED: Final = re.compile(r"[\w.:!]+")
_CALLED: Final = re.compile(r"(?:self\.|this\.)?(\w+)\(")
_SEPARATOR: Final = re.compile(r"\.|::")
ANY_NUMBER: Final = 1_000_000_000
"""How many checks there are where nobody can tell."""
_DEPTH: Final = 4
_FROM_CHECKERS: Final = 300
"""How many checks of shared functions are looked at for one test."""
_FROM_ALL_CHECKERS: Final = 50_000
"""How many in all; what is lost in such a function itself is found all the same."""


@dataclass(slots=True, eq=False)
class Check:
    """One assertion of one test, and how many of it have no counterpart yet."""

    assertion: Assertion
    file: str
    """Where the assertion stands, which is elsewhere for a function that tests share."""
    left: int
    wanted: int
    via: str = ""
    """The function that tests share in which it stands; nothing for the test itself."""


@dataclass(eq=False)
class CheckedTest:
    """A test, or a function that tests share, with what it checks."""

    file: str
    test: TestCase
    is_skipped: bool
    checks: list[Check] = field(default_factory=list)
    calls: list[tuple[str, Assertion]] = field(default_factory=list)
    """What it asks shared functions to check, each with the function; they say what that means."""

    @property
    def last_name(self) -> str:
        """Its name without what it stands in."""
        return bare_name(self.test.name)

    @property
    def runs(self) -> int:
        """How many tests a runner counts for it, as far as one can tell."""
        return 0 if self.is_skipped else max(self.test.cases, 1)

    @cached_property
    def words(self) -> frozenset[str]:
        """Everything that is written in it and in what it checks."""
        texts = [self.test.body, *(check.assertion.text for check in self.checks)]
        return frozenset().union(*(tokens(text) | literals(text) for text in texts))

    def still_says(self) -> bool:
        """Tell whether anything in it can fail by an assertion."""
        return any(check.assertion.strength > Strength.NONE for check in self.checks)


class Side(Struct, frozen=True, kw_only=True):
    """All that is known of one side."""

    files: Mapping[str, TestFile]
    tests: Sequence[CheckedTest]
    checkers: Sequence[CheckedTest]


def side_of(files: Iterable[TestFile], shared: Iterable[TestFile] = (), *, is_head: bool) -> Side:
    """Collect what the files of a side check; shared ones are there to be called only."""
    known = {file.path: file for file in files}
    callable_ = _Callables([*known.values(), *shared], is_head=is_head)
    return Side(
        files=known,
        tests=[
            callable_.checked(file, test, is_skipped=file.is_skipped or test.is_skipped)
            for file in known.values()
            for test in file.tests
        ],
        checkers=[
            callable_.checked(file, checker, is_skipped=False)
            for file in known.values()
            for checker in file.checkers
        ],
    )


class _Callables:
    """The functions that tests can call, by their names."""

    def __init__(self, files: Iterable[TestFile], *, is_head: bool) -> None:
        self._room = _FROM_ALL_CHECKERS
        self._is_head = is_head
        self._unknown = ANY_NUMBER if is_head else 1
        self._named: dict[str, list[tuple[str, TestCase]]] = defaultdict(list)
        for file in files:
            for checker in file.checkers:
                self._named[bare_name(checker.name)].append((file.path, checker))

    def checked(self, file: TestFile, test: TestCase, *, is_skipped: bool) -> CheckedTest:
        named = [(found, "" if self._is_head else self._called(found)) for found in test.assertions]
        own = [found for found, name in named if not name]
        calls = [(name, found) for found, name in named if name]
        checks = [self._check(file.path, test, found) for found in own]
        for path, checker in self._reached(file.path, test):
            room = min(_FROM_CHECKERS - (len(checks) - len(own)), self._room)
            found = checker.assertions[: max(room, 0)]
            self._room -= len(found)
            name = bare_name(checker.name)
            checks += [self._check(path, test, assertion, name) for assertion in found]
        return CheckedTest(
            file=file.path, test=test, is_skipped=is_skipped, checks=checks, calls=calls
        )

    def _called(self, found: Assertion) -> str:
        """Return the function that an assertion only calls, if its own assertions are known."""
        called = _CALLED.match(found.text)
        there = self._named.get(called[1], []) if called else []
        return called[1] if called and any(checker.assertions for _, checker in there) else ""

    def _check(self, path: str, test: TestCase, found: Assertion, via: str = "") -> Check:
        known = found.times * test.cases
        count = min(known, ANY_NUMBER) if known else self._unknown
        return Check(assertion=found, file=path, left=count, wanted=count, via=via)

    def _reached(self, path: str, test: TestCase) -> Iterator[tuple[str, TestCase]]:
        """Find the functions that a test calls, and those that they call."""
        seen = {bare_name(test.name)}
        calls = test.calls
        for _ in range(_DEPTH):
            names = [name for name in map(bare_name, calls) if name not in seen]
            seen.update(names)
            found = [entry for name in names for entry in self._nearest(path, name)]
            yield from found
            calls = tuple(name for _, checker in found for name in checker.calls)

    def _nearest(self, path: str, name: str) -> list[tuple[str, TestCase]]:
        entries = self._named.get(name, [])
        return [entry for entry in entries if entry[0] == path] or entries[:1]


def bare_name(name: str) -> str:
    """Return the last part of `TestCart.test_total`, `cart > sums` and `tests::sums`."""
    last = name.rpartition(" > ")[2]
    return _SEPARATOR.split(last)[-1].rstrip("!") if _DOTTED.fullmatch(last) else last
