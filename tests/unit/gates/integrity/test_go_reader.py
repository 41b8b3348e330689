"""Tests of Go, as the test-integrity gate reads them."""

import pytest

from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.languages.go.table import GO
from supervisor_ai.gates.integrity.model import Strength, TestCase, TestFile, Unreadable

NONE, WEAK, PARTIAL, EXACT = Strength.NONE, Strength.WEAK, Strength.PARTIAL, Strength.EXACT


def read(source: str, path: str = "cart_test.go") -> TestFile:
    found = TableReader(GO).read(path, f"package cart\n{source}".encode())
    assert isinstance(found, TestFile)
    return found


def one(body: str) -> TestCase:
    (test,) = read(f"func TestIt(t *testing.T) {{\n{body}\n}}").tests
    return test


def strengths(body: str) -> list[Strength]:
    return [each.strength for each in one(body).assertions]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("cart/cart_test.go", b"", True),
        ("cart/checks.go", b'import "testing"', True),
        ("cart/cart.go", b"", False),
        ("cart/_cart_test.go", b"", False),
        ("cart/testdata/a_test.go", b"", False),
        ("vendor/a/a_test.go", b"", False),
        ("cart_test.py", b"", False),
    ],
)
def test_a_test_is_known_by_its_path(path: str, source: bytes, *, expected: bool) -> None:
    assert TableReader(GO).is_test(path, source) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("F(2) != 3", EXACT),
        ("!(F(2) == 3)", EXACT),
        ("F(2) == 3", WEAK),
        ("F(2) < 3", PARTIAL),
        ("len(F(2)) != 3", EXACT),
        ("err != nil", WEAK),
        ("err == nil", PARTIAL),
        ("got == nil", WEAK),
        ("got != nil", EXACT),
        ("!errors.Is(err, ErrSmall)", EXACT),
        ("errors.Is(err, ErrSmall)", WEAK),
        ("!errors.As(err, &target)", PARTIAL),
        ("!reflect.DeepEqual(F(2), want)", EXACT),
        ("reflect.DeepEqual(F(2), want)", WEAK),
        ("!bytes.Equal(F(2), want)", EXACT),
        ("!F(2).Equal(want)", EXACT),
        ("!strings.Contains(F(2), want)", PARTIAL),
        ("!IsPrime(7)", EXACT),
        ("IsPrime(8)", EXACT),
        ("!ok", WEAK),
        ("a != 1 || b < 2", EXACT),
        ("a != 1 && b < 2", PARTIAL),
        ("false", NONE),
        ("false && F(2) != 3", NONE),
        ("F(2) != F(2)", NONE),
        ("1 != 1", NONE),
        ("!reflect.DeepEqual(want, want)", NONE),
    ],
)
def test_a_condition_that_fails_the_test_is_an_assertion(
    condition: str, expected: Strength
) -> None:
    assert strengths(f'if {condition} {{ t.Errorf("no") }}') == [expected]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("assert.Equal(t, 3, F(2))", EXACT),
        ('assert.Equalf(t, 3, F(2), "so %d", 1)', EXACT),
        ("require.ErrorIs(t, err, ErrSmall)", EXACT),
        ("assert.True(t, found)", WEAK),
        ("assert.True(t, IsPrime(7))", EXACT),
        ("assert.False(t, F(2) > 3)", PARTIAL),
        ("assert.True(t, F(2) == 3)", EXACT),
        ("assert.Len(t, F(2), 3)", EXACT),
        ("assert.Error(t, err)", PARTIAL),
        ('assert.Contains(t, F(2), "a")', PARTIAL),
        ("require.NoError(t, err)", WEAK),
        ("assert.Nil(t, err)", WEAK),
        ("assert.Nil(t, F(2))", EXACT),
        ("assert.NotNil(t, F(2))", WEAK),
        ("assert.True(t, true)", NONE),
        ("assert.Equal(t, 3, 3)", NONE),
        ("got := F(2); assert.Equal(t, got, got)", NONE),
        ("want := F(2); got := want; assert.Equal(t, want, got)", NONE),
        ("is := assert.New(t); is.Equal(3, F(2))", EXACT),
        ("g.Expect(F(2)).To(Equal(3))", EXACT),
        ("Expect(F(2)).NotTo(BeNil())", WEAK),
        ("Expect(err).To(HaveOccurred())", WEAK),
        ("Expect(1).To(Equal(1))", NONE),
    ],
)
def test_a_call_of_a_library_is_an_assertion(code: str, expected: Strength) -> None:
    assert strengths(code) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        'if F(2) != 3 { t.Log("no") }',
        "_ = F(2)",
        "t.Helper()",
        'if got == 3 { fmt.Println("yes") }',
        "list.Equal(3, 4)",
    ],
)
def test_what_cannot_fail_the_test_is_no_assertion(code: str) -> None:
    assert strengths(code) == []


@pytest.mark.parametrize(
    ("code", "subject"),
    [
        ("if F(2) != 3 { t.Fail() }", "F(2)"),
        ("if 3 != F(2) { t.Fail() }", "F(2)"),
        ("got := F(2); if got != 3 { t.Fail() }", "F(2)"),
        ("if got := F(2); got != 3 { t.Fail() }", "F(2)"),
        ("got, err := F(2); if got != 3 { t.Fail() }", "F(2)"),
        ("var got = F(2)\nif want != got { t.Fail() }", "F(2)"),
        ('if diff := cmp.Diff(want, F(2)); diff != "" { t.Fail() }', "F(2)"),
        ("if !reflect.DeepEqual(F(2), []int{1}) { t.Fail() }", "F(2)"),
        ("got := F(2); assert.Equal(t, 3, got)", "F(2)"),
        ("got := F(2); assert.Equal(t, got, 3)", "F(2)"),
        ("assert.Len(t, F(2), 3)", "len(F(2))"),
        ("got := F(1); got = F(2); if got != 3 { t.Fail() }", "F(2)"),
        ("got := 0; Set(&got); if got != 3 { t.Fail() }", "got"),
        ("got := 0; for range 3 { got++ }; if got != 3 { t.Fail() }", "got"),
        ("if got == 3 { ok() } else { t.Fail() }", "got"),
        ("switch { case got != 3: t.Fail() }", "got"),
        ("switch got { case 3: default: t.Fail() }", "got"),
    ],
)
def test_the_subject_is_what_is_checked_whatever_it_is_called(code: str, subject: str) -> None:
    assert [each.subject for each in one(code).assertions] == [subject]


def test_a_name_stands_for_what_it_was_set_to_in_its_block() -> None:
    found = one("""
        t.Run("a", func(t *testing.T) { got := F(1); if got != 1 { t.Fail() } })
        t.Run("b", func(t *testing.T) { got := F(2); if got != 2 { t.Fail() } })
    """)
    assert [each.subject for each in found.assertions] == ["F(1)", "F(2)"]
    assert found.cases == 1


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("func TestAdd(t *testing.T) {}", ["TestAdd"]),
        ("func Test_add(t *testing.T) {}", ["Test_add"]),
        ("func Testadd(t *testing.T) {}", []),
        ("func testAdd(t *testing.T) {}", []),
        ("func TestAdd(t *testing.T, n int) {}", []),
        ("func TestMain(m *testing.M) { m.Run() }", []),
        ("func BenchmarkAdd(b *testing.B) {}", []),
        ("func FuzzAdd(f *testing.F) {}", ["FuzzAdd"]),
        ("func (s *CartSuite) TestAdd() {}", ["CartSuite.TestAdd"]),
        ("func ExampleAdd() {\n\t// Output: 3\n}", ["ExampleAdd"]),
        ("func ExampleAdd() {}", []),
        ('var _ = Describe("a", func() { It("b", func() {}) })', ["a/b"]),
    ],
)
def test_a_test_is_known_by_its_name_and_parameters(code: str, names: list[str]) -> None:
    assert [test.name for test in read(code).tests] == names


def test_tests_run_only_from_files_of_tests() -> None:
    found = read("func TestAdd(t *testing.T) { if F() != 3 { t.Fail() } }", "cart.go")
    assert found.tests == ()
    assert [each.name for each in found.checkers] == ["TestAdd"]


def test_an_example_checks_what_it_prints() -> None:
    (test,) = read("func ExampleAdd() {\n\tF()\n\t// Output:\n\t// 3\n}").tests
    assert [(each.text, each.strength) for each in test.assertions] == [("Output: 3", EXACT)]


def test_a_suite_asserts_by_itself() -> None:
    (test,) = read("""func (s *CartSuite) TestAdd() {
        s.Equal(3, s.cart.Total())
        s.Require().NoError(err)
        if s.cart.Size() != 3 { s.T().Fatal("no") }
        s.Error(err)
    }""").tests
    assert [each.strength for each in test.assertions] == [EXACT, WEAK, EXACT, PARTIAL]


@pytest.mark.parametrize(
    "body",
    [
        't.Skip("later")',
        "t.SkipNow()",
        "if testing.Short() { t.Skip() }",
        'for _, x := range y { t.Run(x, func(t *testing.T) { t.Skipf("no") }) }',
    ],
)
def test_a_test_that_may_skip_is_skipped(body: str) -> None:
    assert one(body).is_skipped


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("", False),
        ("//go:build ignore", True),
        ("//go:build never", True),
        ("//go:build integration", True),
        ("//go:build linux && !windows", False),
        ("//go:build windows || (linux && amd64)", False),
        ("//go:build !(linux || darwin)", True),
        ("//go:build !!linux)", False),
        ("//go:build go1.21", False),
        ("// +build ignore", True),
        ("// +build linux,!cgo darwin", True),
        ("// +build linux darwin", False),
    ],
)
def test_a_build_tag_may_leave_out_a_file(tag: str, *, expected: bool) -> None:
    found = TableReader(GO).read("a_test.go", f"{tag}\n\npackage a\n".encode())
    assert isinstance(found, TestFile)
    assert found.is_skipped is expected


def test_a_name_or_a_main_may_leave_out_a_file() -> None:
    assert read("", "cart_windows_test.go").is_skipped
    assert not read("", "cart_linux_test.go").is_skipped
    assert read("func TestMain(m *testing.M) { os.Exit(0) }").is_skipped
    assert not read("func TestMain(m *testing.M) { os.Exit(m.Run()) }").is_skipped


@pytest.mark.parametrize(
    ("body", "cases"),
    [
        ("for _, tt := range []int{1, 2, 3} { if F(tt) != 3 { t.Fail() } }", 3),
        ("tests := []int{1, 2}\nfor _, tt := range tests { t.Run(x, func(t *testing.T) {}) }", 2),
        ('for k, v := range map[string]int{"a": 1, "b": 2} { t.Run(k, func(t *testing.T) {}) }', 2),
        ("for _, tt := range table { t.Run(x, func(t *testing.T) {}) }", 2),
        ("for range 4 { t.Run(x, func(t *testing.T) {}) }", 4),
        ("for _, tt := range load() { t.Run(x, func(t *testing.T) {}) }", 0),
        ('t.Run("a", func(t *testing.T) { t.Run("b", func(t *testing.T) {}) })', 1),
        ("for _, x := range []int{1, 2} { check(t, x) }", 2),
        ("for _, tt := range table[:1] { check(t, tt) }", 1),
        ("for _, tt := range []int{1, 2, 3}[1:] { check(t, tt) }", 2),
        ("for _, tt := range table[a:] { check(t, tt) }", 0),
        ("for _, tt := range table[1:][:1] { check(t, tt) }", 1),
        ("F()", 1),
    ],
)
def test_cases_are_the_entries_of_the_table(body: str, cases: int) -> None:
    table = "var table = []struct{ a int }{{1}, {2}}\n"
    (test,) = read(f"{table}func TestIt(t *testing.T) {{\n{body}\n}}").tests
    assert [each.times for each in test.assertions] in ([], [cases])
    assert test.assertions or test.cases == cases


@pytest.mark.parametrize(
    "body",
    [
        "return\nif F() != 3 { t.Fail() }",
        "if true { return }\nif F() != 3 { t.Fail() }",
        "t.Skip()\nif F() != 3 { t.Fail() }",
        "os.Exit(0)\nif F() != 3 { t.Fail() }",
        "if false { if F() != 3 { t.Fail() } }",
        "for false { if F() != 3 { t.Fail() } }",
        "for _, x := range []int{} { if F(x) != 3 { t.Fail() } }",
        "check := func() { if F() != 3 { t.Fail() } }\n_ = check",
        "_ = func() { if F() != 3 { t.Fail() } }",
    ],
)
def test_what_never_runs_is_swallowed(body: str) -> None:
    found = one(body)
    assert found.swallows
    assert [each.strength for each in found.assertions] == [NONE]


def test_a_panic_may_be_caught_only_by_who_speaks_of_it() -> None:
    assert one("defer func() { recover() }()\nF()").swallows
    found = one("defer func() { if r := recover(); r == nil { t.Error() } }()\nF()")
    assert not found.swallows
    assert [each.strength for each in found.assertions] == [PARTIAL]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if x { if F() != 3 { t.Fail() } }", PARTIAL),
        ("if x { return }\nif F() != 3 { t.Fail() }", PARTIAL),
        ("for _, tt := range tests { if tt.ok { continue }\nif F() != 3 { t.Fail() } }", PARTIAL),
        ("for _, tt := range tests { if tt.ok { if F() != 3 { t.Fail() } } }", EXACT),
        ("stub.Do = func() { if F() != 3 { t.Fail() } }", EXACT),
        ('if F() != 3 { panic("no") }', EXACT),
        ("if F() != 3 { log.Fatal() }", EXACT),
        ("if F() != 3 { require.Fail(t, x) }", EXACT),
    ],
)
def test_a_condition_around_an_assertion_says_less_unless_a_table_says_it(
    body: str, expected: Strength
) -> None:
    assert strengths(body) == [expected]


def test_functions_that_check_are_shared_checkers() -> None:
    found = read("""
        func checkTotal(t testing.TB, c Cart) { t.Helper(); if c.Total() != 3 { t.Fatal() } }
        func build() Cart { return Cart{} }
        func TestIt(t *testing.T) { checkTotal(t, build()) }
    """)
    assert [each.name for each in found.checkers] == ["checkTotal"]
    assert found.tests[0].calls == ("checkTotal", "build")


def test_a_body_counts_without_blanks_and_comments() -> None:
    first, second = read("""
func TestA(t *testing.T) { F(1, 2) /* so */ }
func TestB(t *testing.T) {
    // here
    F(
        1,
        2,
    )
}
""").tests
    assert first.body == second.body
    assert (first.line, second.line) == (3, 4)


def test_a_pending_block_of_a_suite_is_skipped() -> None:
    found = read('var _ = XDescribe("a", func() { It("b", func() { Expect(F()).To(Equal(3)) }) })')
    assert [test.is_skipped for test in found.tests] == [True]


@pytest.mark.parametrize(
    "source",
    [
        b"package a\nfunc TestA(t *testing.T) {",
        b"package a\n" + b"(" * 5_000,
        b"package a\nvar x = " + b"!" * 20_000 + b"a",
        b"\x00\xff" * 1_000,
    ],
)
def test_broken_and_hostile_text_cannot_be_understood(source: bytes) -> None:
    assert isinstance(TableReader(GO).read("a_test.go", source), Unreadable)
