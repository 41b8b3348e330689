"""Tests as the languages' readers see them: enough to tell whether they say less than before."""

from enum import IntEnum

from msgspec import Struct


class Strength(IntEnum):
    """How much an assertion pins down."""

    NONE = 0
    """It holds whatever the code does: `assert True`, `x == x`."""
    WEAK = 1
    """It holds for almost every value: not None, truthy, of a type, defined, did not throw."""
    PARTIAL = 2
    """It holds for many values: contains, greater than, matches, almost equal, any error."""
    EXACT = 3
    """It holds for one value: equal to, exactly this error."""


class Assertion(Struct, frozen=True, kw_only=True):
    """One thing that a test checks."""

    text: str
    """Its code without blanks, comments and messages: equal assertions have equal texts."""
    subject: str
    """The code that is checked, without what it is compared with."""
    resolved: str = ""
    """The subject with what its names stand for, where that differs from how it is written."""
    strength: Strength
    line: int
    times: int = 1
    """How often one run of the test checks it: a loop over as many values; 0: nobody can tell."""


class Oddity(Struct, frozen=True, kw_only=True):
    """Something that makes tests say less, and that no assertion shows."""

    rule: str
    """A stable name of what it is: `subject_patched`."""
    message: str
    """A full sentence; equal oddities have equal messages."""
    line: int


class TestCase(Struct, frozen=True, kw_only=True):
    """A test."""

    __test__ = False
    name: str
    """Its name within the file, with what it stands in: `TestCart.test_total`."""
    line: int
    body: str
    """Its code without blanks and comments, so that a test can be known again under a new name;
    with the tables that it is run with, wherever they stand."""
    assertions: tuple[Assertion, ...] = ()
    is_skipped: bool = False
    """Whether it does not run, or may fail: skipped, ignored, expected to fail, todo."""
    swallows: bool = False
    """Whether a failure inside it cannot make it fail: caught, returned before, in dead code."""
    cases: int = 1
    """How often it runs, as far as the code says so: its parameters; 0: nobody can tell."""
    calls: tuple[str, ...] = ()
    """The names that it calls: assertions may stand in a function that tests share."""
    origins: tuple[str, ...] = ()
    """Where the names come from that it uses: two tests with equal ones mean the same by them."""
    oddities: tuple[Oddity, ...] = ()


class TestFile(Struct, frozen=True, kw_only=True):
    """The tests of a file, and what it has for them."""

    __test__ = False
    path: str
    tests: tuple[TestCase, ...] = ()
    checkers: tuple[TestCase, ...] = ()
    """Functions that are no tests and assert something."""
    fixtures: tuple[TestCase, ...] = ()
    """Functions that prepare what tests work with, each with its code line by line."""
    bases: tuple[str, ...] = ()
    """The classes from which its tests inherit more of them, once for each heir."""
    is_focused: bool = False
    """Whether it says that only some of the tests run: `it.only`."""
    is_skipped: bool = False
    """Whether all of it is left out: a module-level skip, a build tag, ignored by its runner."""
    oddities: tuple[Oddity, ...] = ()
    """What it does to the tests of other files, too: hooks that leave some out."""


class Unreadable(Struct, frozen=True, kw_only=True):
    """A file that cannot be understood, and why; nobody can say that it tests something."""

    path: str
    reason: str
