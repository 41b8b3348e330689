"""What a change takes away from tests of Go, and what it only says in another way."""

from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.examine import examine_tests
from supervisor_ai.gates.integrity.languages.go.table import GO


def errors(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    commits = two_commits(before, after)
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, [TableReader(GO)])
    return {each.rule for each in seen.findings if each.severity is Severity.ERROR}


TABLE = """
tests := []struct{name string; in, want int}{{"a", 1, 2}, {"b", 2, 3}, {"c", 3, 4}}
for _, tt := range tests {
%s
}
"""
CHECK = 'got := F(tt.in)\n%s\nif got != tt.want { t.Errorf("no") }\n%s'
PLAIN = "func TestA(t *testing.T) { if F(1) != 3 { t.Fatal() } }"


def file(source: str) -> dict[str, str]:
    return {"a_test.go": f"package a\n{source}\n"}


def one(body: str) -> dict[str, str]:
    return file(f"func TestIt(t *testing.T) {{\n{body}\n}}")


def table(guard: str = "", end: str = "") -> dict[str, str]:
    return one(TABLE % CHECK % (guard, end))


@pytest.mark.parametrize(
    ("guard", "end"),
    [
        ('if tt.name == "b" { continue }', ""),
        ("if tt.in > 2 { continue }", ""),
        ('if strings.HasPrefix(tt.name, "b") { continue }', ""),
        ("if tt.broken { continue }", ""),
        ('if got < 0 { t.Error(got) }\nif tt.name == "b" { continue }', ""),
        ("", "break"),
        ("", "return"),
        ("tt.want = got", ""),
    ],
)
def test_rows_that_are_left_out_are_missed(guard: str, end: str) -> None:
    assert errors(table(), table(guard, end))


@pytest.mark.parametrize(
    "guard",
    [
        "if got < 0 { t.Error(got) }\nif tt.wantErr { continue }",
        "if tt.wantErr { if got != 0 { t.Error(got) }\ncontinue }",
        'if got < 0 { t.Error(got) }\nif tt.err != "" { continue }',
    ],
)
def test_a_row_may_say_what_is_checked_of_it(guard: str) -> None:
    assert errors(table(), table(guard)) == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assert.Equal(t, 3, F(1))", "assert.Equal(t, F(1), F(1))"),
        (
            "got := F(1)\nwant := []int{3}\nif !slices.Equal(got, want) { t.Fatal() }",
            "got := F(1)\nwant := F(1)\nif !slices.Equal(got, want) { t.Fatal() }",
        ),
        (
            "got, _ := F(1)\nif got != 3 { t.Fatal() }",
            "got, _ := F(1)\nwant, _ := F(1)\nif got != want { t.Fatal() }",
        ),
        (
            'if diff := cmp.Diff([]int{3}, F(1)); diff != "" { t.Fatal(diff) }',
            'if diff := cmp.Diff(F(1), F(1)); diff != "" { t.Fatal(diff) }',
        ),
        ("if F(1) != 3 { t.Fatal() }", 'if F(1) != 3 && os.Getenv("CI") == "" { t.Fatal() }'),
        ("if F(1) != 3 { t.Fatal() }", "if F(1) != 3 && F(1) != 4 { t.Fatal() }"),
        ("assert.Equal(t, 3, F(1))", "assert.Equal(&testing.T{}, 3, F(1))"),
        ("assert.Equal(t, 3, F(1))", "mute := new(testing.T)\nassert.Equal(mute, 3, F(1))"),
        ("if F(1) != 3 { t.Fail() }", "t = &testing.T{}\nif F(1) != 3 { t.Fail() }"),
        ("if F(1) != 3 { t.Fail() }", "go func() { if F(1) != 3 { t.Fail() } }()"),
        ("assert.InDelta(t, 0.3, F(1), 0.001)", "assert.InDelta(t, 0.3, F(1), 10)"),
        (
            "if math.Abs(F(1)-0.3) > 0.001 { t.Fatal() }",
            "if math.Abs(F(1)-0.3) > 100 { t.Fatal() }",
        ),
        ("assert.Equal(t, []int{1, 2}, F(1))", "assert.ElementsMatch(t, []int{1, 2}, F(1))"),
    ],
)
def test_an_assertion_that_says_less_is_found(before: str, after: str) -> None:
    assert errors(one(before), one(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if F(1) != 0.3 { t.Fatal() }", "assert.InDelta(t, 0.3, F(1), 1e-9)"),
        (
            "if F(1) != 3 { t.Fail() }",
            "var wg sync.WaitGroup\nwg.Add(1)\n"
            "go func() { defer wg.Done(); if F(1) != 3 { t.Fail() } }()\nwg.Wait()",
        ),
        (
            "if F(1) != 3 { t.Fail() }",
            "done := make(chan bool)\n"
            "go func() { if F(1) != 3 { t.Fail() }; done <- true }()\n<-done",
        ),
    ],
)
def test_another_way_to_ask_is_no_loss(before: str, after: str) -> None:
    assert errors(one(before), one(after)) == set()


@pytest.mark.parametrize(
    "body",
    [
        "m.Run()\nos.Exit(0)",
        "defer os.Exit(0)\nm.Run()",
        'if os.Getenv("CI") != "" { fmt.Println("not here"); os.Exit(0) }\nos.Exit(m.Run())',
        "if testing.Short() { return }\nos.Exit(m.Run())",
        "code := m.Run()\nif code == 1 { code = 0 }\nos.Exit(code)",
        "setup()",
    ],
)
def test_a_run_whose_outcome_is_forged_is_found(body: str) -> None:
    main = f"package a\nfunc TestMain(m *testing.M) {{\n{body}\n}}"
    assert errors(file(PLAIN), {**file(PLAIN), "main_test.go": main}) == {"collection_changed"}


def test_a_forged_outcome_is_found_in_what_runs_the_tests() -> None:
    main = "func TestMain(m *testing.M) { os.Exit(run(m)) }\n"
    honest = file(PLAIN + "\n" + main + "func run(m *testing.M) int { return m.Run() }")
    forged = file(PLAIN + "\n" + main + "func run(m *testing.M) int { m.Run(); return 0 }")
    assert errors(file(PLAIN), honest) == set()
    assert errors(honest, forged) == {"collection_changed"}


@pytest.mark.parametrize(
    "body",
    [
        "setup()\ncode := m.Run()\nteardown()\nos.Exit(code)",
        'if os.Getenv("BE_APP") == "1" { main(); os.Exit(0) }\nos.Exit(m.Run())',
        "goleak.VerifyTestMain(m)",
        "m.Run()",
        "if err := setup(); err != nil { log.Print(err); os.Exit(1) }\nos.Exit(m.Run())",
        'switch os.Getenv("MODE") { case "app": app(); os.Exit(0) }\nos.Exit(m.Run())',
    ],
)
def test_a_run_may_be_prepared(body: str) -> None:
    main = f"package a\nfunc TestMain(m *testing.M) {{\n{body}\n}}"
    assert errors(file(PLAIN), {**file(PLAIN), "main_test.go": main}) == set()


CHECKER = "func same(t *testing.T, got, want int) { t.Helper(); if got != want { t.Fatal(got) } }\n"


def test_a_checker_of_the_file_checks_what_it_is_given() -> None:
    before = "func TestIt(t *testing.T) { if got := F(7); got != 3 { t.Fatal(got) } }"
    after = CHECKER + "func TestIt(t *testing.T) { same(t, %s, 3) }"
    assert errors(file(before), file(after % "F(7)")) == set()
    assert errors(file(before), file(after % "3"))
