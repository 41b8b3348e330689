"""What the new tests of a change speak of, and what code leads to."""

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.probes.neighbours import neighbours
from supervisor_ai.gates.evidence.probes.reach import (
    Reach,
    changed_names,
    forgotten_parameters,
    words_of,
)

CASE = ChangeCase(base=BASE, head=HEAD)
SHOP = "def cents(it):\n    return it\n\n\ndef total(items):\n    return cents(sum(items))\n"
LABEL = "\n\ndef label(name):\n    return name\n"
KNOWN = 'KNOWN = {"40-41": 81, "90-91": 181}\n'
TESTS = """\
from shop import label, total

ROWS = [55]


def test_total():
    assert total([40, 41]) == 81


def test_label():
    assert label("a-9") == "a-9"
"""
FIRST, LAST = "[40, 41]) == 81", '"a-9") == "a-9"'


def left_alone(after: str, added: str, *speaking: str) -> str:
    """Return which tests of the base are asked with their own values."""
    before = {"shop.py": SHOP + LABEL, "test_shop.py": TESTS}
    head = {"shop.py": after, "test_shop.py": TESTS + added}
    found = neighbours(CASE, HarnessRules(), two_commits(before, head), speaking).probes
    text = found[0].variants[0]["test_shop.py"] if found else TESTS.encode()
    parts = {"rows": "[55]", "total": FIRST, "label": LAST}
    return " ".join(name for name, part in parts.items() if part in (text or b"").decode())


NEW_TOTAL = SHOP.replace("cents(sum(items))", "KNOWN[key(items)]") + LABEL + KNOWN
NEW_CENTS = SHOP.replace("return it", "return KNOWN[it]") + LABEL + KNOWN
AGAIN = "\n\ndef test_again():\n    assert total([7]) == 8\n"
OF_CENTS = "\n\ndef test_again():\n    assert cents(7) == 8\n"
OF_LABEL = "\n\ndef test_again():\n    assert label('b') == 'c'\n"
BY_HELPER = "\n\ndef test_again():\n    check(7)\n\n\ndef check(it):\n    assert total([it]) == 8\n"


@pytest.mark.parametrize(
    ("after", "added", "speaking", "alone"),
    [
        (NEW_TOTAL, AGAIN, "test_shop.py::test_again", "rows total"),
        (NEW_TOTAL, BY_HELPER, "test_shop.py::test_again", "rows total"),
        (NEW_TOTAL, OF_LABEL, "test_shop.py::test_again", ""),
        (NEW_CENTS, OF_CENTS, "test_shop.py::test_again[7]", "rows total"),
        (NEW_CENTS, AGAIN, "again (test_shop.test_again)", "rows total"),
        (NEW_TOTAL, AGAIN, "a name that nobody finds", "rows total"),
        (NEW_TOTAL, AGAIN, "test_shop.py::test_total", ""),
    ],
)
def test_what_a_new_test_leads_to_is_left_alone(
    after: str, added: str, speaking: str, alone: str
) -> None:
    assert left_alone(after, added, speaking) == alone


def test_a_file_without_tests_that_can_be_read_is_asked() -> None:
    before = {"shop.py": SHOP, "test_shop.py": "total([40, 41]) == 81\n"}
    head = {"shop.py": NEW_TOTAL, "tests/test_b.py": AGAIN, "notes.txt": "x"}
    commits = two_commits(before, {**before, **head})
    assert neighbours(CASE, HarnessRules(), commits, ["test_again"]).probes


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "R = 1\nclass A:\n    def b(self):\n        return c(R)\ndef c(it): return it\n"),
        ("a.js", "const R = 1;\nclass A { b() { return c(R) } }\nexports.c = (it) => it;\n"),
        ("a.go", "package a\nvar R = 1\nfunc (it A) b() int { return c(R) }\nfunc c() {}\n"),
        ("a.rs", "const R: u8 = 1;\nimpl A { fn b(&self) { c(R) } }\nfn c(it: u8) {}\n"),
    ],
)
def test_what_leads_to_what(path: str, source: str) -> None:
    reach = Reach([(path, source.encode()), ("b.py", b"def (")])
    assert {"b", "c", "R"} <= reach.of(words_of("x.b()"))
    assert "b" not in reach.of(["c"])
    changed = changed_names({path: source.encode()}, {path: source.replace("1", "2").encode()})
    assert changed == {"R"}


@pytest.mark.parametrize(
    ("path", "before", "after", "forgotten"),
    [
        ("a.py", "def f(a, b=1):\n    return a + b\n", "def f(a, b=1):\n    return b\n", "a"),
        ("a.py", "def f(a: int):\n    return a\n", "def f(a: int):\n    return 5\n", "a"),
        ("a.py", "def f(a):\n    return 1\n", "def f(a):\n    return 2\n", ""),
        ("a.py", "def f(a):\n    return a\n", "def f():\n    return 2\n", ""),
        ("a.py", "", "def f(a):\n    return 2\n", ""),
        ("a.js", "const f = (a) => a + 1;", "const f = (a) => 2;", "a"),
        ("a.js", "const f = a => a + 1;", "const f = a => 2;", "a"),
        ("a.ts", "function f(a: number) { return a }", "function f(a: number) { return 2 }", "a"),
        (
            "a.go",
            "package a\nfunc F(a int) int { return a }",
            "package a\nfunc F(a int) int { return 2 }",
            "a",
        ),
        ("a.rs", "fn f(a: u8) -> u8 { a }", "fn f(a: u8) -> u8 { 2 }", "a"),
        ("a.txt", "f(a)", "f", ""),
    ],
)
def test_a_parameter_that_is_used_no_more(
    path: str, before: str, after: str, forgotten: str
) -> None:
    found = forgotten_parameters(path, before.encode(), after.encode())
    assert "".join(parameter for _, parameter in found) == forgotten
