"""What a change takes away from tests of Rust, and what it only says in another way."""

from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.examine import examine_tests
from supervisor_ai.gates.integrity.languages.rust.table import RUST


def errors(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    commits = two_commits(before, after)
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, [TableReader(RUST)])
    return {each.rule for each in seen.findings if each.severity is Severity.ERROR}


LOOP = "for (a, b) in %s { %s assert_eq!(f(a), b); %s }"
ROWS = "[(1, 2), (2, 3), (3, 4)]"
TEST = "#[test]\nfn it() { assert_eq!(f(1), 3); }"


def one(body: str, attributes: str = "#[test]") -> dict[str, str]:
    return {"tests/a.rs": f"use a::*;\n{attributes}\nfn it() {{\n{body}\n}}\n"}


@pytest.mark.parametrize(
    ("rows", "guard", "end"),
    [
        (f"{ROWS}.into_iter().take(2)", "", ""),
        (f"{ROWS}.iter().skip(1)", "", ""),
        (f"{ROWS}.into_iter().filter(|(a, _)| *a != 2)", "", ""),
        (ROWS, "if a == 3 { continue; }", ""),
        (ROWS, "if known(b) { continue; }", ""),
        (ROWS, "", "break;"),
    ],
)
def test_rows_that_no_longer_run_are_missed(rows: str, guard: str, end: str) -> None:
    assert errors(one(LOOP % (ROWS, "", "")), one(LOOP % (rows, guard, end)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assert_eq!(f(1), 3);", "assert!(f(1) == 3 || f(1) == 4);"),
        ("assert_eq!(f(1), 3);", "let want = f(1);\nassert_eq!(f(1), want);"),
        ("assert!(f(1) == 3);", "assert!(f(1) == f(1) + 0);"),
        ("assert_eq!(f(1).unwrap(), 3);", "assert_eq!(f(1).unwrap_or(3), 3);"),
        ("assert_eq!(f(1).unwrap(), 0);", "assert_eq!(f(1).unwrap_or_default(), 0);"),
        ("assert_eq!(f(1).unwrap_err(), E::Bad);", "assert!(f(1).is_err());"),
        ("assert!((f(1) - 0.3).abs() < 0.001);", "assert!((f(1) - 0.3).abs() < 10.0);"),
        (
            "assert_relative_eq!(f(1), 0.3, epsilon = 0.001);",
            "assert_relative_eq!(f(1), 0.3, epsilon = 3.0);",
        ),
    ],
)
def test_an_assertion_that_says_less_is_found(before: str, after: str) -> None:
    assert errors(one(before), one(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assert_eq!(f(1).unwrap(), 3);", "assert_eq!(f(1), Ok(3));"),
        ("assert_eq!(f(1).unwrap_err(), E::Bad);", "assert_eq!(f(1), Err(E::Bad));"),
        ('assert_eq!(f(1), "a".to_string());', 'assert_eq!(f(1), String::from("a"));'),
        ('assert_eq!(f(1).unwrap(), "a");', 'assert_eq!(f(1).expect("works"), "a");'),
        ("assert_eq!(f(1), 0.3);", "assert!((f(1) - 0.3).abs() < 1e-9);"),
        (LOOP % (ROWS, "", ""), LOOP % (f"{ROWS}.iter().rev()", "", "")),
        (LOOP % (ROWS, "", ""), LOOP % (ROWS, "assert!(f(a) > 0); if odd(a) { continue; }", "")),
    ],
)
def test_another_way_to_ask_is_no_loss(before: str, after: str) -> None:
    assert errors(one(before), one(after)) == set()


def test_a_checker_may_ask_for_the_result_as_it_is() -> None:
    before = one('let why = f("x", 2).unwrap_err();\nassert_eq!(why, "x is too short");')
    checker = (
        "fn refused(text: &str, n: u8, why: &str) { assert_eq!(f(text, n), Err(why.into())); }\n"
    )
    after = {"tests/a.rs": checker + one('refused("x", 2, "x is too short");')["tests/a.rs"]}
    assert errors(before, after) == set()


PANIC = '#[test]\n#[should_panic(expected = "too long")]'


def test_a_panic_may_become_an_answer() -> None:
    assert errors(one("f(9);", PANIC), one("assert_eq!(f(9), None);")) == set()
    assert errors(one("let _ = f(9);", PANIC), one("assert_eq!(f(9), None);")) == set()


@pytest.mark.parametrize(
    "after",
    [
        one("f(9);", "#[test]\n#[should_panic]"),
        one("f(9);"),
        one("assert!(f(9).is_some());"),
        one('panic!("too long");', PANIC),
    ],
)
def test_a_panic_that_says_less_is_found(after: Mapping[str, str]) -> None:
    assert errors(one("f(9);", PANIC), after)


@pytest.mark.parametrize(
    "path",
    [
        "examples/a.rs",
        "benches/a.rs",
        "attic/a.rs",
        "tests/old_ones/a.rs",
        "crates/x/examples/a.rs",
    ],
)
def test_tests_that_move_to_where_nobody_runs_them_are_missed(path: str) -> None:
    assert errors({"tests/a.rs": TEST}, {path: TEST}) == {"test_renamed_away"}


@pytest.mark.parametrize(
    "path", ["src/a.rs", "crates/x/tests/a.rs", "examples/app/src/a.rs", "a.rs"]
)
def test_tests_may_move_to_where_they_are_run(path: str) -> None:
    assert errors({"tests/a.rs": TEST}, {path: TEST}) == set()


@pytest.mark.parametrize(
    "holder",
    [
        {"tests/it/main.rs": "mod a;\n"},
        {"tests/it/mod.rs": "mod a;\n"},
        {"tests/it.rs": "mod a;\n"},
        {"Cargo.toml": '[[test]]\nname = "a"\npath = "tests/it/a.rs"\n'},
    ],
)
def test_a_folder_of_tests_must_be_held_by_a_target(holder: Mapping[str, str]) -> None:
    assert errors({"tests/a.rs": TEST}, {"tests/it/a.rs": TEST, **holder}) == set()
    assert errors({"tests/a.rs": TEST}, {"tests/it/a.rs": TEST}) == {"test_skipped"}
    assert errors({"tests/it/a.rs": TEST}, {"tests/it/b.rs": TEST}) == set()


def test_assertions_that_a_file_makes_itself_check_nothing() -> None:
    macro = "macro_rules! assert_eq { ($($x:tt)*) => {}; }\n"
    found = errors({"tests/a.rs": TEST}, {"tests/a.rs": macro + TEST})
    assert found == {"test_emptied", "assertion_replaced"}


def test_a_name_that_holds_the_one_before_it_is_read() -> None:
    body = "let x = 1;\nlet x = [x];\nassert_eq!(f(1), x);"
    assert errors(one(body), one(body + "\nassert_eq!(x, f(2));")) == set()
