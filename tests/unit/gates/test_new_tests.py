"""The new tests of a change, with what they need."""

from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.engine.ports.gates import ChangeCase, NewTests
from supervisor_ai.gates.integrity.python import PythonTests
from supervisor_ai.gates.new_tests import new_tests

CASE = ChangeCase(base=BASE, head=HEAD)
ONE = "def test_one():\n    assert one() == 1\n"
TWO = "def test_two():\n    assert two() == 2\n"


def found(before: dict[str, str], after: dict[str, str]) -> NewTests:
    return new_tests(CASE, two_commits(before, after), [PythonTests()])


def test_new_and_altered_tests_are_named() -> None:
    altered = ONE.replace("== 1", "== 11")
    tests = found({"tests/test_a.py": ONE}, {"tests/test_a.py": altered + TWO})
    assert tests.names == (("tests/test_a.py", "test_one"), ("tests/test_a.py", "test_two"))
    assert tests.contents == {"tests/test_a.py": (altered + TWO).encode()}


def test_what_only_moved_or_does_not_run_is_not_new() -> None:
    skipped = "@pytest.mark.skip\n" + TWO
    tests = found({"tests/test_a.py": ONE}, {"tests/test_b.py": "# moved\n" + ONE + skipped})
    assert tests.names == ()
    assert tests.contents["tests/test_a.py"] is None


def test_what_tests_need_comes_along_and_the_product_does_not() -> None:
    after = {
        "shop.py": "def one():\n    return 1\n",
        "tests/conftest.py": "",
        "tests/data/cart.json": "{}",
        "pkg/testdata/a.golden": "x",
        "tests/test_a.py": ONE,
    }
    tests = found({}, after)
    assert sorted(tests.contents) == sorted(set(after) - {"shop.py"})
    assert tests.names == (("tests/test_a.py", "test_one"),)


def test_a_change_without_tests_has_none() -> None:
    assert found({"shop.py": "a = 1\n"}, {"shop.py": "a = 2\n"}) == NewTests()


def test_a_file_that_cannot_be_read_has_no_names() -> None:
    assert found({}, {"tests/test_a.py": "def test_a(:\n"}).names == ()
