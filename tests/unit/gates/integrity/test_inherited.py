"""Tests that classes inherit, skips that depend on the machine, and failures that become skips."""

import pytest
from tests.unit.gates.integrity.python_findings import errors, examined

BASE = """
class Checks:
    def test_cases(self):
        for given, wanted in self.cases:
            self.assertEqual(self.function(given), wanted)
"""
HEIR = """
import unittest
from tests.base import Checks

class Slugs(Checks, unittest.TestCase):
    cases = (("a", "b"),)
"""
FILES = {"tests/base.py": BASE, "tests/test_slug.py": HEIR}


@pytest.mark.parametrize(
    ("after", "rule"),
    [
        ({"tests/base.py": BASE.replace("test_cases", "check_cases")}, "test_renamed_away"),
        ({"tests/base.py": "class Checks:\n    pass\n"}, "test_deleted"),
        ({"tests/test_slug.py": HEIR.replace("Checks, unittest", "unittest")}, "test_deleted"),
        ({"tests/test_slug.py": "import unittest\n"}, "test_deleted"),
    ],
)
def test_inherited_tests_that_are_gone(after: dict[str, str], rule: str) -> None:
    assert errors(*examined(FILES, {**FILES, **after})) == {rule}


@pytest.mark.parametrize(
    "after",
    [
        {"tests/test_slug.py": HEIR.replace("Slugs", "TestSlugs")},
        {"tests/test_slug.py": HEIR.replace('("a", "b"),', '("a", "b"), ("c", "d")')},
        {"tests/base.py": BASE.replace("test_cases", "test_all_cases")},
        {
            "tests/base.py": "",
            "tests/test_slug.py": HEIR.replace("from tests.base import Checks\n", BASE),
        },
    ],
)
def test_inherited_tests_that_live_on(after: dict[str, str]) -> None:
    assert errors(*examined(FILES, {**FILES, **after})) == set()


def test_a_shared_test_may_go_with_what_it_tested() -> None:
    before = {**FILES, "shop.py": "def function(text):\n    return text\n"}
    after = {**FILES, "shop.py": "", "tests/base.py": "class Checks:\n    pass\n"}
    assert errors(*examined(before, after)) == set()


TEST = """
import sys, unittest

class Table(unittest.TestCase):
    def setUp(self):
        PREPARED
    def test_left(self):
        self.assertEqual(render(1), "1")
"""


def test_a_skip_that_depends_on_a_terminal() -> None:
    before = TEST.replace("PREPARED", "self.rows = 1")
    after = TEST.replace("PREPARED", "if not sys.stdout.isatty(): self.skipTest('no')")
    found = examined({"tests/test_a.py": before}, {"tests/test_a.py": after})
    assert errors(*found) == {"test_skipped"}


@pytest.mark.parametrize(
    ("error", "rules"),
    [
        ("ValueError", {"test_cannot_fail"}),
        ("Exception", {"test_cannot_fail"}),
        ("ImportError", set()),
        ("ConnectionError", set()),
    ],
)
def test_a_failure_that_becomes_a_skip(error: str, rules: set[str]) -> None:
    test = "def test_a():\n    try:\n        found = f(1)\n"
    test += f"    except {error}:\n        pytest.skip('no')\n    assert found == 2\n"
    assert errors(*examined({}, {"tests/test_a.py": test})) == rules
