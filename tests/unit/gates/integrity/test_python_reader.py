"""How Python tests are read: their names, cases, assertions and how much these say."""

import pytest

from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.languages.python.table import PYTHON
from supervisor_ai.gates.integrity.model import Strength, TestCase, TestFile, Unreadable

NONE, WEAK, PARTIAL, EXACT = Strength


def read(source: str, path: str = "tests/test_a.py") -> TestFile:
    found = TableReader(PYTHON).read(path, source.encode())
    assert isinstance(found, TestFile)
    return found


def first(source: str) -> TestCase:
    return read(source).tests[0]


@pytest.mark.parametrize(
    ("code", "strength"),
    [
        ("assert f(1) == 3", EXACT),
        ("assert f(1) is None", EXACT),
        ("assert f(1) == pytest.approx(3)", EXACT),
        ("assert f(1) == pytest.approx(3, rel=0.1)", PARTIAL),
        ("assert f(1) == pytest.approx(3, abs=float('inf'))", WEAK),
        ("assert abs(f(1) - 3) < 0.001", EXACT),
        ("assert abs(f(1) - 3) < 100", WEAK),
        ("assert math.isclose(f(1), 3, rel_tol=0.9)", WEAK),
        ("self.assertAlmostEqual(f(1), 3, places=1)", PARTIAL),
        ("self.assertAlmostEqual(f(1), 3, delta=-1)", EXACT),
        ("assert f(1) > 3", PARTIAL),
        ("assert f(1) < math.inf", NONE),
        ("assert 3 in f(1)", PARTIAL),
        ("assert '' in f(1)", NONE),
        ("assert f(1) in (f(1), 3)", NONE),
        ("assert f(1).startswith('a')", PARTIAL),
        ("assert re.match('a', f(1))", PARTIAL),
        ("assert is_good(1)", PARTIAL),
        ("assert f(1)", WEAK),
        ("assert x.__class__ == A", WEAK),
        ("assert type(f(1)) is int", WEAK),
        ("assert isinstance(f(1), object)", NONE),
        ("assert callable(f)", WEAK),
        ("assert f(1) != 3", WEAK),
        ("assert lambda: f(1)", NONE),
        ("assert 'text'", NONE),
        ("assert not False", NONE),
        ("assert len(f(1)) > -1", NONE),
        ("assert f(1) or f(2)", WEAK),
        ("assert not (f(1) == 3)", WEAK),
        ("np.testing.assert_array_equal(f(1), [3])", EXACT),
        ("self.assertCountEqual(f(1), [3])", PARTIAL),
        ("self.assertRegex(f(1), 'a')", PARTIAL),
        ("with pytest.raises((KeyError, ValueError)): f(1)", PARTIAL),
        ("with pytest.raises(LookupError): f(1)", PARTIAL),
        ("with pytest.warns(UserWarning): f(1)", EXACT),
    ],
)
def test_an_assertion_has_a_strength(code: str, strength: Strength) -> None:
    (found,) = first(f"def test_a():\n    {code}\n").assertions
    assert found.strength is strength


@pytest.mark.parametrize(
    ("values", "cases"),
    [
        ("[1, 2, 3]", 3),
        ("[1] + [2]", 2),
        ("[*(1, 2), 3]", 3),
        ("[*unknown(), 3]", 0),
        ("range(2, 10, 2)", 4),
        ("range(n)", 0),
        ("range(1, 5, 0)", 0),
        ("{'a': 1, 'b': 2}.items()", 2),
        ("zip([1, 2], 'abc')", 2),
        ("list('abc')", 3),
        ("unknown", 0),
    ],
)
def test_cases_are_counted(values: str, cases: int) -> None:
    assert first(f"@pytest.mark.parametrize('a', {values})\ndef test_a(a): f(a)\n").cases == cases


def test_what_a_runner_collects_is_a_test() -> None:
    source = """
class TestA:
    def test_one(self): f()
    class TestInner:
        def test_two(self): f()
class AnyName(unittest.TestCase):
    def test_three(self): f()
class Mixin:
    def test_four(self): f()
class TestB(Mixin): pass
class Other:
    def test_five(self): f()
if True:
    def test_six(): f()
if False:
    def test_seven(): f()
if __name__ == '__main__':
    def test_eight(): f()
try:
    def test_nine(): f()
except ImportError:
    pass
@pytest.fixture
def test_fixture(): return 1
"""
    names = ["TestA.test_one", "TestA.TestInner.test_two", "AnyName.test_three", "Mixin.test_four"]
    found = read(source)
    assert [test.name for test in found.tests] == [*names, "test_six", "test_nine"]
    assert [checker.name for checker in found.checkers] == ["Other.test_five", "test_fixture"]


@pytest.mark.parametrize(
    ("path", "source", "is_test"),
    [
        ("test_a.py", "", True),
        ("pkg/a_test.py", "", True),
        ("app/tests.py", "", True),
        ("tests/shared.py", "", True),
        ("pkg/conftest.py", "", True),
        ("testcart.py", "class A(TestCase): pass", True),
        ("testcart.py", "a = 1", False),
        ("shop.py", "def test_a(): pass", False),
        ("tests/a.txt", "", False),
    ],
)
def test_test_files_are_known_by_their_names(path: str, source: str, is_test: bool) -> None:  # noqa: FBT001 - a column of the table
    assert TableReader(PYTHON).is_test(path, source.encode()) is is_test


def test_what_cannot_be_parsed_is_said() -> None:
    found = TableReader(PYTHON).read("test_a.py", b"def test_a(:")
    assert isinstance(found, Unreadable)
    assert found.reason == "it has a syntax error near line 1"


def test_what_was_there_before_a_change_is_no_tautology() -> None:
    (found,) = first(
        "def test_a():\n    before = cart.total\n    cart.add(0)\n    assert cart.total == before\n"
    ).assertions
    assert found.strength is WEAK


@pytest.mark.parametrize("loop", ["if a in SLOW:", "if a == LAST:", "if a > 3:"])
def test_a_row_that_is_picked_is_checked_sometimes(loop: str) -> None:
    source = "LAST = 4\nSLOW = (4, 5)\ndef test_a():\n    for a in [1, 4, 5]:\n"
    (found,) = first(f"{source}        {loop}\n            assert f(a) == 3\n").assertions
    assert found.strength is PARTIAL


def test_a_file_of_another_encoding_is_read() -> None:
    source = "# -*- coding: latin-1 -*-\ndef test_a():\n    assert f(1) == 'é'\n"
    found = TableReader(PYTHON).read("test_a.py", source.encode("latin-1"))
    assert isinstance(found, TestFile)
    assert [each.strength for each in found.tests[0].assertions] == [EXACT]


@pytest.mark.parametrize(
    "source", [b"x = '\xff'\n", b"# coding: nonsense\n", b"\xef\xbb\xbf# coding: latin-1\n"]
)
def test_what_python_cannot_decode_is_said(source: bytes) -> None:
    found = TableReader(PYTHON).read("test_a.py", source)
    assert isinstance(found, Unreadable)
    assert "no Python" in found.reason


@pytest.mark.parametrize(
    "source",
    [
        f"pytestmark = {'[' * 380}x{']' * 380}\ndef test_a(): f()\n",
        f"def test_a():\n    assert {'(a if b else ' * 300}c{')' * 300}\n",
    ],
)
def test_what_is_nested_too_deeply_is_said(source: str) -> None:
    found = TableReader(PYTHON).read("test_a.py", source.encode())
    assert isinstance(found, Unreadable)
    assert found.reason == "it is nested too deeply"


@pytest.mark.parametrize(
    "lines",
    [
        ["if a: f()", *["elif b: g()"] * 3000],
        [line for i in range(1500) for line in (f"x{i} = f({i})", f"assert x{i} == {i}")],
    ],
)
def test_code_by_machine_is_read_in_bounds(lines: list[str]) -> None:
    assert first("def test_a():\n" + "".join(f"    {line}\n" for line in lines)).name == "test_a"
