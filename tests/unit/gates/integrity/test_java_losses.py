"""What a change takes away from tests of Java: a language that is one table."""

from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.examine import examine_tests
from supervisor_ai.gates.integrity.languages.java.table import JAVA

TWO = "assertEquals(3, f(2)); assertEquals(4, f(3));"
SHARED = """class Checks {
    static void check(int got) {
        assertEquals(3, got);
    }
}
"""


def errors(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    commits = two_commits(before, after)
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, [TableReader(JAVA)])
    return {each.rule for each in seen.findings if each.severity is Severity.ERROR}


def file(member: str) -> dict[str, str]:
    return {"src/test/java/CartTest.java": f"class CartTest {{ {member} }}\n"}


def one(body: str, marks: str = "@Test") -> dict[str, str]:
    return file(f"{marks} void sums() {{ {body} }}")


@pytest.mark.parametrize(
    ("after", "rule"),
    [
        (one("assertEquals(3, f(2));"), "assertion_removed"),
        (one(TWO, "@Disabled @Test"), "test_skipped"),
        (one(f"if (false) {{ {TWO} }}"), "failure_swallowed"),
        (one("assertTrue(true); assertEquals(4, f(3));"), "assertion_tautological"),
        (one("assertNotNull(f(2)); assertEquals(4, f(3));"), "assertion_weakened"),
        (one("f(2); f(3);"), "test_emptied"),
        (one(TWO, ""), "test_renamed_away"),
        (file(""), "test_deleted"),
    ],
)
def test_what_says_less_is_found(after: dict[str, str], rule: str) -> None:
    assert errors(one(TWO), after) == {rule}


@pytest.mark.parametrize(
    "after",
    [
        one(f"int got = f(2); assertEquals(3, got); {TWO[23:]}"),
        one(f"{TWO} assertEquals(5, f(4));"),
        one("assertThat(f(2)).isEqualTo(3); assertThat(f(3)).isEqualTo(4);"),
        one('assertEquals(3, f(2), "two"); assertEquals(4, f(3), "three");'),
    ],
)
def test_what_says_as_much_passes(after: dict[str, str]) -> None:
    assert errors(one(TWO), after) == set()


def test_what_an_unchanged_class_checks_counts() -> None:
    shared = {"src/test/java/Checks.java": SHARED}
    after = one("Checks.check(f(2));")
    assert errors({**one("assertEquals(3, f(2));"), **shared}, {**after, **shared}) == set()


def test_a_test_goes_with_what_it_tested() -> None:
    product = "class Cart {\n    static int total(int x) {\n        return x;\n    }\n}\n"
    before = {"src/main/java/Cart.java": product, **one("assertEquals(3, Cart.total(2));")}
    after = {"src/main/java/Cart.java": "class Cart {\n}\n", **file("")}
    assert errors(before, after) == set()
