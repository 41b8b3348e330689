"""The new tests of a change, with what they need."""

import json

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits, two_commits

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeCase, NewTests
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.languages.python.table import PYTHON
from supervisor_ai.gates.new_tests import new_tests

CASE = ChangeCase(base=BASE, head=HEAD)
ONE = "def test_one():\n    assert one() == 1\n"
TWO = "def test_two():\n    assert two() == 2\n"


def found(before: dict[str, str], after: dict[str, str], plans: tuple[str, ...] = ()) -> NewTests:
    return new_tests(replace(CASE, plans=plans), two_commits(before, after), [TableReader(PYTHON)])


def test_new_and_altered_tests_are_named() -> None:
    altered = ONE.replace("== 1", "== 11")
    tests = found({"tests/test_a.py": ONE}, {"tests/test_a.py": altered + TWO})
    assert tests.names == (("tests/test_a.py", "test_one"), ("tests/test_a.py", "test_two"))
    assert tests.contents == {"tests/test_a.py": (altered + TWO).encode()}


def test_only_the_tests_of_named_parts_of_the_change_count() -> None:
    theirs = {"tests/test_b.py": TWO}
    trees = {
        "base": {"tests/test_a.py": ""},
        "first": {"tests/test_a.py": ONE},
        "second": {"tests/test_a.py": ONE, **theirs},
        "head": {"tests/test_a.py": ONE, **theirs, "tests/test_c.py": "", "shop.py": "a = 1\n"},
    }
    own = ((BASE, CommitSha("first")), (CommitSha("second"), HEAD))
    tests = new_tests(replace(CASE, own=own), MemoryCommits(**trees), [TableReader(PYTHON)])
    assert tests.names == (("tests/test_a.py", "test_one"),)
    assert sorted(tests.contents) == ["tests/test_a.py", "tests/test_c.py"]


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
    assert found({"shop.py": "a = 1\n"}, {"shop.py": "a = 2\n"}).names == ()


def test_a_file_that_cannot_be_read_has_no_names() -> None:
    assert found({}, {"tests/test_a.py": "def test_a(:\n"}).names == ()


def plan(*parts: dict[str, object]) -> str:
    return json.dumps({"phases": [{"components": list(parts)}]})


CART: dict[str, object] = {"id": "c1", "title": "Cart", "files": ["src/shop/cart.py"]}
TOTAL: dict[str, object] = {"id": "c2", "files": ["src/total/__init__.py", "tests/test_sum.py"]}


@pytest.mark.parametrize(
    ("plans", "counts"),
    [
        ((), (("the change", 3),)),
        (("no json", plan()), (("the change", 3),)),
        ((plan(CART, TOTAL),), (("Cart", 2), ("c2", 1))),
        ((plan(CART), plan()), (("Cart", 2),)),
        ((plan({"id": "c3"}),), (("c3", 3),)),
        ((plan({"id": "c4", "files": ["src/other.py"]}),), (("c4", 0),)),
    ],
)
def test_the_tests_of_each_component_are_counted(
    plans: tuple[str, ...], counts: tuple[tuple[str, int], ...]
) -> None:
    after = {
        "tests/test_cart.py": f"from shop.cart import one, two\n{ONE}{TWO}",
        "tests/test_sum.py": "def test_sum():\n    assert add(1) == 1\n",
    }
    assert found({}, after, plans).components == counts


def test_where_nobody_reads_the_tests_nobody_counts_them() -> None:
    assert found({}, {"ATest.java": "class ATest { @Test void a() {} }"}).components == ()


def test_what_the_change_adds_to_the_product_is_known() -> None:
    before = {"shop.py": "import os\n\ndef one(): ...\n"}
    after = {
        "shop.py": "from net import Session\n\ndef one(): ...\ndef two(): 'three'  # four\n",
        "src/cart.py": "class Cart: ...\n",
        "data.bin": "five",
        "tests/test_a.py": ONE,
    }
    tests = found(before, after)
    assert tests.added_files == ("data.bin", "src/cart.py")
    assert tests.added_words == {"two", "class", "Cart"}
