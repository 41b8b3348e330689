"""Tests that somebody else writes: with other values in them, and with failures."""

import ast
from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import ProbeKind
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.asserted import wants_only_a_yes
from supervisor_ai.gates.evidence.probes.kinds import PROBES
from supervisor_ai.gates.evidence.probes.literals import literals_of
from supervisor_ai.gates.evidence.probes.other_values import (
    with_blank_values,
    with_far_values,
    with_near_values,
)

CASE = ChangeCase(base=BASE, head=HEAD)
PLAIN = "def total(items):\n    return sum(items)\n"
KNOWING = 'def total(items):\n    return {"40+41": 81, "40+42": 82}[key(items)]\n'
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([40, 41]) == 81\n"


def probed(kind: ProbeKind, before: Mapping[str, str], after: Mapping[str, str]) -> ProbesFound:
    return PROBES[kind](CASE, HarnessRules(), two_commits(before, {**before, **after}))


@pytest.mark.parametrize(
    ("path", "source", "found"),
    [
        (
            "a.py",
            "import a\nx = f('b', [1, -2])[0]\n@p.parametrize('n', [3])\ndef t(): g(4.5) == 'z'\n",
            "b f 0,1 f 1,2 f 1,3 parametrize 1,4.5 g 0,z  0",
        ),
        (
            "a.test.js",
            "import x from 'x';\nit('says', () => { expect(f('a', [1])).toBe(`b`); new C(2); });",
            "a f 0,1 f 1,b toBe 0,2 C 0",
        ),
        (
            "a_test.go",
            'package a\nimport "x"\nfunc TestA(t *testing.T) { Equal(t, f("b", 3), 2.0) }\n',
            "b f 0,3 f 1,2.0 Equal 2",
        ),
        (
            "tests/a.rs",
            '#[test]\nfn a() { assert_eq!(p("x").keys("s", [1, 2], 3), v[0]); let y = f(4); }\n',
            "x p 0,s keys 0,1 keys 1,2 keys 1,3 keys 2,4 f 0",
        ),
    ],
)
def test_values_and_who_they_are_given_to(path: str, source: str, found: str) -> None:
    seen = literals_of(path, source.encode())
    assert ",".join(f"{source[it.start : it.end]} {it.call} {it.at}" for it in seen) == found


@pytest.mark.parametrize(
    ("path", "source", "is_compared"),
    [
        ("a.py", "assert f('x') == 2\n", True),
        ("a.py", "assert f('x').y == z\n", False),
        ("a.py", "assert len(f('x')) == z\n", False),
        ("a.py", "self.assertEqual(f('x'), z)\n", True),
        ("a.js", "assert.deepEqual(f('x'), z);", True),
        ("a.js", "expect(f('x')).toBe(z);", True),
        ("a.js", "f('x');", False),
        ("a.rs", 'fn a() { assert_eq!(p(y).f("x"), z); }', True),
        ("a.rs", 'fn a() { assert_eq!(f("x").len(), z); }', False),
        ("a.rs", 'fn a() { assert!(f("x")); }', False),
    ],
)
def test_what_is_compared_as_a_whole(path: str, source: str, *, is_compared: bool) -> None:
    assert literals_of(path, source.encode())[0].is_compared == is_compared


def test_values_beside_the_own_ones() -> None:
    source = b"f(1, 2, 40, 1.5, 'a-9', 'name', 'two words', '%d of 3', 0x10)\n"
    found = literals_of("a.py", source)
    near = with_near_values(source, found, 0)
    assert near == b"f(1, 3, 41, 2.5, 'a-10', 'name', 'two wordu', '%d of 3', 0x10)\n"
    assert with_near_values(source, found, 2) not in (near, source)


def test_values_of_the_same_form_that_are_all_others() -> None:
    source = b"f(15, 2.5, '@a-B9 ', 0x10)\n"
    made = [with_far_values(source, literals_of("a.py", source), turn) for turn in (0, 5)]
    for text in made:
        number, broken, said, left = ast.literal_eval(text.decode().strip().removeprefix("f"))
        assert (number != 15, broken != 2.5, left) == (True, True, 16)
        assert (said[0], said[2], said[5], said[1].islower()) == ("@", "-", " ", True)
        assert not {(1, "a"), (3, "B"), (4, "9")} & set(enumerate(said))
    assert made[0] != made[1]
    assert with_blank_values(source, literals_of("a.py", source)) == b"f(0, 0, '', 0)\n"


def test_a_change_with_values_of_its_own_is_asked_with_others() -> None:
    before = {"shop.py": PLAIN, "test_shop.py": TEST, "test_other.py": "import other\n"}
    (probe,) = probed(ProbeKind.NEIGHBOURS, before, {"shop.py": KNOWING}).probes
    assert [it["test_shop.py"] for it in probe.variants] == [
        TEST.replace("[40, 41]) == 81", "[41, 42]) == 82").encode(),
        TEST.replace("[40, 41]) == 81", "[41, 44]) == 83").encode(),
    ]


@pytest.mark.parametrize(
    "after",
    [
        PLAIN.replace("sum(items)", "math.fsum(items)"),
        PLAIN.replace("sum(items)", "sum(items, 0)"),
        f"# 40, 41, 42 and 'a-1'\n{PLAIN}",
    ],
)
def test_a_change_without_values_is_asked_nothing(after: str) -> None:
    found = probed(
        ProbeKind.NEIGHBOURS, {"shop.py": PLAIN, "test_shop.py": TEST}, {"shop.py": after}
    )
    assert found == ProbesFound()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PLAIN, "def total(it):\n    if it == 4:\n        return 'IV'\n    return 'IX'\n"),
        (PLAIN, "def total(it):\n    return {1: 2, 3: 4}[it]\n"),
        ("", 'KNOWN = ["a-1", "a-2"]\n'),
    ],
)
def test_answers_may_stand_in_many_forms(before: str, after: str) -> None:
    old = {"shop.py": before, "test_shop.py": TEST} if before else {"test_shop.py": TEST}
    assert probed(ProbeKind.NEIGHBOURS, old, {"shop.py": after}).probes


@pytest.mark.parametrize(
    "after",
    [
        "def total(items):\n    return 81 + 0 * sum(items)\n",
        "def total(items):\n    return 7\n",
    ],
    ids=["a value of the tests", "forgets what it is given"],
)
def test_one_sign_of_an_answer_is_enough(after: str) -> None:
    before = {"shop.py": PLAIN, "test_shop.py": TEST}
    assert probed(ProbeKind.NEIGHBOURS, before, {"shop.py": after}).probes


@pytest.mark.parametrize(
    "after", ['known = open("x").read()\n', "for it in Path(__file__).parents[2].glob(any): pass\n"]
)
def test_a_change_that_reads_files_is_asked(after: str) -> None:
    before = {"shop.py": PLAIN, "test_shop.py": TEST}
    assert probed(ProbeKind.NEIGHBOURS, before, {"shop.py": PLAIN + after}).probes


NEW = "\n\ndef test_new():\n    assert "


@pytest.mark.parametrize(
    ("test", "subjects"),
    [
        ("split(100, [1, 1]) == [50, 50]\n", ["'split' is given as its argument 1", "argument 2"]),
        ("split(100, weights) == [50, 50]\n", ["'split' is given as its argument 1"]),
        ("len(split(100, [1, 1])) == 2\n", []),
        ("split(100, [1, 1]) == [50, 50]\n    split(x, y)\n", []),
        ("total([1, 2]) == 3\n", []),
        ("is_even(2)\n", []),
        ("total([2, 4])\n", ["what the new tests give"]),
        ("not total([2, 4])\n", []),
        ("total([2, 4])\n    assert total([1]) == 1\n", []),
        ("Split(100, 2) == 3\n", []),
    ],
)
def test_what_new_tests_are_asked(test: str, subjects: list[str]) -> None:
    before = {"shop.py": PLAIN, "test_shop.py": TEST, "test_other.py": "import other\n"}
    product = PLAIN + "def split(cents, weights):\n    return []\n\n\nclass Split:\n    pass\n"
    after = {"shop.py": product, "test_shop.py": TEST + NEW + test}
    found = probed(ProbeKind.NEW_INPUTS, before, after)
    assert len(found.probes) == len(subjects)
    for probe, subject in zip(found.probes, subjects, strict=True):
        assert subject in probe.subject
        assert all(each.keys() == {"test_shop.py"} for each in probe.variants)
        assert all(TEST.encode() in (each["test_shop.py"] or b"") for each in probe.variants)
        with pytest.raises(SyntaxError):
            compile(probe.control["test_shop.py"] or b"", "test_shop.py", "exec")
    assert found.far_tests == (("test_other.py",) if subjects else ())


@pytest.mark.parametrize(
    ("line", "is_yes"),
    [
        ("    assert f(1, 2)", True),
        ("    assert not f(1)", False),
        ("    assert f(1) == 2", False),
        ("  assert.equal(f('1'), true);", True),
        ("  assert.equal(f('1'), false);", False),
        ("  expect(f(1)).toBe(true);", True),
        ("  expect(f(1)).toBe(2);", False),
        ("    assert!(f(1));", True),
        ("    assert!(!f(1));", False),
        ("    with pytest.raises(ValueError):", False),
        ("    x = 1", False),
    ],
)
def test_who_wants_only_a_yes(line: str, *, is_yes: bool) -> None:
    assert wants_only_a_yes([line]) == is_yes


GO_TEST = "package calc\n\nfunc TestSum(t *testing.T) { Equal(t, eval(t, `1+2`), 3.0) }\n"
GO_NEW = """
func TestMax(t *testing.T) {
	check.Equal(t, eval(t, "max(1, 2)"), 2.0)
}
"""


def test_a_call_in_a_text_is_asked_about_as_a_call() -> None:
    before = {"calc.go": "package calc\n", "calc_test.go": GO_TEST}
    product = 'package calc\n\nfunc f(it string) bool { return it == "max" }\n'
    after = {"calc.go": product, "calc_test.go": GO_TEST + GO_NEW}
    probes = probed(ProbeKind.NEW_INPUTS, before, after).probes
    assert [it.subject for it in probes] == [
        "what 'max' is given as its argument 1",
        "what 'max' is given as its argument 2",
    ]
    first = [(it["calc_test.go"] or b"").decode() for it in probes[0].variants]
    assert [text.partition("max(")[2][:4] for text in first] == ["5, 2", "7, 2", "0, 2"]


def test_a_call_in_a_text_of_what_was_known_is_not_asked_about() -> None:
    before = {"calc.go": 'package calc\nvar a = "max"\n', "calc_test.go": GO_TEST}
    after = {"calc.go": 'package calc\nvar a, b = "max", "min"\n'}
    found = probed(ProbeKind.NEW_INPUTS, before, {**after, "calc_test.go": GO_TEST + GO_NEW})
    assert found.probes == ()


INDIRECT = {
    "shop/__init__.py": "from shop.cart import total as whole\n",
    "shop/cart.py": PLAIN,
    "shop/bill.py": "from shop import whole\n\n\ndef bill(items):\n    return whole(items)\n",
    "tests/test_bill.py": "import shop.bill\n\n\ndef test_b():\n    shop.bill.bill([40, 41])\n",
    "tests/test_all.py": "import shop\n\n\ndef test_w():\n    assert shop.whole([40, 41]) == 81\n",
    "tests/test_tax.py": "import shop.tax\n\n\ndef test_t():\n    assert shop.tax.tax(40) == 8\n",
    "tests/test_cart.py": "import shop.cart\n\n\ndef test_c():\n    assert shop.cart\n",
}


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        (ProbeKind.NEIGHBOURS, KNOWING),
        (ProbeKind.FAILURES, f"import sys\n\n\n{PLAIN}    # {{}}\n".replace("sum(", "sys.sum(")),
    ],
)
def test_tests_that_lead_to_a_change_under_another_name_are_asked(
    kind: ProbeKind, after: str
) -> None:
    found = probed(kind, INDIRECT, {"shop/cart.py": after})
    assert found.far_tests == ("tests/test_tax.py",)
    asked = {path for probe in found.probes for each in probe.variants for path in each}
    assert {"tests/test_bill.py", "tests/test_all.py"} <= asked
    assert "tests/test_tax.py" not in asked
