"""Tests of Java, as the test-integrity gate reads them by one table."""

import pytest

from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.languages.java.table import JAVA
from supervisor_ai.gates.integrity.model import Strength, TestCase, TestFile, Unreadable

NONE, WEAK, PARTIAL, EXACT = Strength.NONE, Strength.WEAK, Strength.PARTIAL, Strength.EXACT


def read(members: str, path: str = "src/test/java/CartTest.java") -> TestFile:
    found = TableReader(JAVA).read(path, f"class CartTest {{\n{members}\n}}\n".encode())
    assert isinstance(found, TestFile)
    return found


def one(body: str) -> TestCase:
    (test,) = read(f"@Test void adds() {{\n{body}\n}}").tests
    return test


def strengths(body: str) -> list[Strength]:
    return [each.strength for each in one(body).assertions]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("src/test/java/CartTest.java", b"", True),
        ("CartTests.java", b"", True),
        ("TestCart.java", b"", True),
        ("src/test/java/Shared.java", b"", True),
        ("src/main/java/Checks.java", b"import org.junit.Assert;", True),
        ("src/main/java/Cart.java", b"", False),
        ("src/test/java/cart.kt", b"", False),
    ],
)
def test_a_test_is_known_by_its_path(path: str, source: bytes, *, expected: bool) -> None:
    assert TableReader(JAVA).is_test(path, source) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("assertEquals(3, f(2));", [EXACT]),
        ('assertEquals("the sum", 3, f(2));', [EXACT]),
        ("assertEquals(f(2), 3);", [EXACT]),
        ("int got = f(2); assertEquals(3, got);", [EXACT]),
        ("assertEquals(0.3, f(2), 0.2);", [WEAK]),
        ("assertEquals(0.3, f(2), 0.001);", [EXACT]),
        ("assertNotEquals(3, f(2));", [WEAK]),
        ("assertTrue(f(2) == 3);", [EXACT]),
        ('assertTrue("message", f(2) > 3);', [PARTIAL]),
        ("assertFalse(f(2) == 3);", [WEAK]),
        ("assertTrue(f(2).equals(3));", [EXACT]),
        ("assertTrue(f(2).contains(3));", [PARTIAL]),
        ("assertTrue(f(2) != null);", [WEAK]),
        ("assertNotNull(f(2));", [WEAK]),
        ("assertNull(f(2));", [EXACT]),
        ("assertInstanceOf(Cart.class, f(2));", [WEAK]),
        ("assertThrows(BadInput.class, () -> f(2));", [EXACT]),
        ("assertThrows(Exception.class, () -> f(2));", [PARTIAL]),
        ("assertThat(f(2)).isEqualTo(3);", [EXACT]),
        ("assertThat(f(2)).isNotNull();", [WEAK]),
        ("assertThat(f(2)).isNotNull().isEqualTo(3);", [EXACT]),
        ("assertThat(f(2)).contains(3);", [PARTIAL]),
        ("assertThat(f(2) == 3).isTrue();", [EXACT]),
        ("assertThat(f(2));", [NONE]),
        ("assertThat(f(2), is(3));", [EXACT]),
        ('assertThat("why", f(2), notNullValue());', [WEAK]),
        ("verify(cart).add(3);", [EXACT]),
        ("verify(cart, times(2)).add(anyInt());", [PARTIAL]),
        ("if (f(2) != 3) { fail(); }", [EXACT]),
        ("if (f(2) != 3) throw new AssertionError();", [EXACT]),
        ("try { f(2); fail(); } catch (BadInput e) { }", [EXACT]),
        ("assertTrue(true);", [NONE]),
        ("assertEquals(3, 3);", [NONE]),
        ("int x = f(2); assertEquals(x, x);", [NONE]),
        ("assertEquals(f(2), f(2));", [NONE]),
        ("assertTrue(f(2) == 3 || true);", [NONE]),
        ("if (false) { assertEquals(3, f(2)); }", [NONE]),
        ("return; assertEquals(3, f(2));", [NONE]),
        ("try { assertEquals(3, f(2)); } catch (Throwable e) { }", [NONE]),
        ("try { assertEquals(3, f(2)); } catch (IOException e) { }", [EXACT]),
        ("Runnable r = () -> assertEquals(3, f(2));", [NONE]),
        ("Runnable r = () -> assertEquals(3, f(2)); r.run();", [EXACT]),
        ("if (isMac()) { assertEquals(3, f(2)); }", [PARTIAL]),
        ("f(2);", []),
    ],
)
def test_an_assertion_is_as_strong_as_what_it_pins_down(
    code: str, expected: list[Strength]
) -> None:
    assert strengths(code) == expected


@pytest.mark.parametrize(
    ("code", "subject"),
    [
        ("assertEquals(3, f(2));", "f(2)"),
        ("int got = f(2); assertEquals(3, got);", "f(2)"),
        ("assertTrue(3 == f(2));", "f(2)"),
        ("assertTrue(f(2).equals(3));", "f(2)"),
        ("assertThat(f(2)).isEqualTo(3);", "f(2)"),
        ("assertThat(f(2), is(3));", "f(2)"),
        ("assertThrows(BadInput.class, () -> f(2));", "f(2)"),
        ("verify(cart).add(3);", "calls of cart.add"),
    ],
)
def test_the_subject_is_what_is_checked(code: str, subject: str) -> None:
    assert [each.subject for each in one(code).assertions] == [subject]


@pytest.mark.parametrize(
    ("members", "skipped"),
    [
        ("@Test void adds() { f(); }", False),
        ("@Disabled @Test void adds() { f(); }", True),
        ('@Test @Disabled("slow") void adds() { f(); }', True),
        ("@Ignore @Test public void adds() { f(); }", True),
        ("@Test(enabled = false) void adds() { f(); }", True),
        ('@EnabledIfEnvironmentVariable(named = "X", matches = "1") @Test void adds() {}', True),
        ("@Test void adds() { assumeTrue(false); assertEquals(3, f(2)); }", True),
        ("@Test void adds() { assumeTrue(isUp()); assertEquals(3, f(2)); }", False),
        ("@Nested @Disabled class Inner { @Test void adds() { f(); } }", True),
    ],
)
def test_a_skipped_test_is_known(members: str, *, skipped: bool) -> None:
    assert [test.is_skipped for test in read(members).tests] == [skipped]


@pytest.mark.parametrize(
    ("members", "cases"),
    [
        ("@ParameterizedTest @ValueSource(ints = {1, 2, 3}) void adds(int x) { f(x); }", 3),
        ('@ParameterizedTest @CsvSource({"1,2", "3,4"}) void adds(int x, int y) { f(x); }', 2),
        ('@ParameterizedTest @MethodSource("rows") void adds(int x) { f(x); }', 0),
        ("@Test void adds() { for (int x : new int[] {1, 2}) { f(x); } }", 2),
        ("@Test void adds() { for (int x : List.of(1, 2, 3)) { f(x); } }", 3),
        (
            "static final int[] ROWS = {1, 2};\n@Test void adds() { for (int x : ROWS) { f(x); } }",
            2,
        ),
        ("@Test void adds() { for (int x : rows()) { f(x); } }", 0),
    ],
)
def test_cases_are_the_rows_of_a_table(members: str, cases: int) -> None:
    assert [test.cases for test in read(members).tests] == [cases]


def test_tests_are_named_by_their_classes_and_others_only_check() -> None:
    found = read(
        "@Nested class Sums { @Test void adds() { check(f(2)); } }\n"
        "void check(int got) { assertEquals(3, got); }"
    )
    assert [test.name for test in found.tests] == ["CartTest.Sums.adds"]
    assert [test.name for test in found.checkers] == ["CartTest.check"]
    assert found.tests[0].calls == ("check", "f")


def test_an_old_test_case_is_known_by_its_names() -> None:
    source = b"class CartTest extends TestCase { public void testSum() { assertEquals(3, f(2)); } }"
    found = TableReader(JAVA).read("CartTest.java", source)
    assert isinstance(found, TestFile)
    assert [test.name for test in found.tests] == ["CartTest.testSum"]


def test_an_expected_error_is_an_assertion() -> None:
    (test,) = read("@Test(expected = BadInput.class) public void refuses() { f(-1); }").tests
    assert [(each.text, each.strength) for each in test.assertions] == [("throws BadInput", EXACT)]


def test_what_is_no_java_is_unreadable() -> None:
    assert isinstance(TableReader(JAVA).read("CartTest.java", b"class {{{ ("), Unreadable)
