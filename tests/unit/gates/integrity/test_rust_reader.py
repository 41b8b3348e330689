"""Tests of Rust, as the test-integrity gate reads them."""

import pytest

from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.languages.rust.table import RUST
from supervisor_ai.gates.integrity.model import Strength, TestCase, TestFile, Unreadable

NONE, WEAK, PARTIAL, EXACT = Strength.NONE, Strength.WEAK, Strength.PARTIAL, Strength.EXACT


def read(source: str, path: str = "src/cart.rs") -> TestFile:
    found = TableReader(RUST).read(path, source.encode())
    assert isinstance(found, TestFile)
    return found


def one(body: str, attributes: str = "#[test]") -> TestCase:
    (test,) = read(f"{attributes}\nfn it() {{\n{body}\n}}").tests
    return test


def strengths(body: str) -> list[Strength]:
    return [each.strength for each in one(body).assertions]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("src/cart.rs", b"#[cfg(test)]\nmod tests {}", True),
        ("src/cart.rs", b"#[tokio::test]\nasync fn a() {}", True),
        ("src/cart.rs", b"proptest! {}", True),
        ("tests/cart.rs", b"", True),
        ("src/testing.rs", b"", True),
        ("src/cart.rs", b"fn a() {}", False),
        ("target/debug/a.rs", b"#[test]", False),
        ("src/cart.py", b"#[test]", False),
    ],
)
def test_a_test_is_known_by_its_path_or_source(path: str, source: bytes, *, expected: bool) -> None:
    assert TableReader(RUST).is_test(path, source) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("assert_eq!(f(2), 3);", EXACT),
        ('assert_eq!(3, f(2), "so {}", x);', EXACT),
        ("assert_ne!(f(2), 3);", WEAK),
        ("assert!(f(2) == 3);", EXACT),
        ("assert!(f(2) != 3);", WEAK),
        ("assert!(!(f(2) != 3));", EXACT),
        ("assert!(f(2) > 3);", PARTIAL),
        ("assert!(f(2).is_ok());", WEAK),
        ("assert!(f(2).is_some());", WEAK),
        ("assert!(f(2).is_err());", PARTIAL),
        ("assert!(!f(2).is_ok());", PARTIAL),
        ("assert!(!f(2).is_some());", WEAK),
        ("assert!(f(2).is_none());", EXACT),
        ("assert!(f(2).contains(3));", PARTIAL),
        ("assert!(is_prime(7));", EXACT),
        ("assert!(ok);", WEAK),
        ("assert!(a == 1 && b);", EXACT),
        ("assert!(a == 1 || b > 2);", PARTIAL),
        ("assert_eq!(f(2).is_ok(), true);", WEAK),
        ("assert!(matches!(f(2), Ok(_)));", WEAK),
        ("assert!(matches!(f(2), Err(Error::Small)));", EXACT),
        ("assert!(matches!(f(2), Err(Error::Small { .. })));", PARTIAL),
        ("assert!(!matches!(f(2), Err(Error::Small)));", WEAK),
        ("assert_matches!(f(2), Ok(3));", EXACT),
        ("assert_snapshot!(f(2));", PARTIAL),
        ("assert_relative_eq!(f(2), 3.0);", EXACT),
        ("debug_assert_eq!(f(2), 3);", PARTIAL),
        ("debug_assert!(f(2) > 3);", PARTIAL),
        ("command.assert().success();", WEAK),
        ('command.assert().stdout("a");', PARTIAL),
        ('if f(2) != 3 { panic!("no"); }', EXACT),
        ('if f(2) == 3 { g(); } else { panic!("no") }', EXACT),
        ('if f(2) != 3 { return Err("no".into()); }', EXACT),
        ("match f(2) { Err(Error::Small) => {}, _ => panic!() }", PARTIAL),
    ],
)
def test_an_assertion_is_as_strong_as_its_condition(code: str, expected: Strength) -> None:
    assert strengths(code) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "assert!(true);",
        "assert!(!false);",
        "assert_eq!(1, 1);",
        'assert_eq!("a", "a");',
        "let x = f(2); assert_eq!(x, x);",
        "let x = f(2); assert_eq!(&x, &x.clone());",
        "let x = f(2); let y = x; assert_eq!(x, y);",
        "let x = 3; assert_eq!(x, 3);",
        "assert!(f(2) == 3 || true);",
        "assert!(f(2) == f(2));",
        "assert!(Ok::<i32, ()>(1).is_ok() || true);",
        "assert!(Some(3).is_some());",
        "assert!(matches!(f(2), _));",
    ],
)
def test_what_always_holds_checks_nothing(code: str) -> None:
    assert strengths(code) == [NONE]


def test_a_value_that_may_change_is_no_constant() -> None:
    assert strengths("let mut n = 0; run(&mut n); assert_eq!(n, 3);") == [EXACT]
    assert strengths("let a = f(); let b = f(); assert_eq!(a, b);") == [WEAK]


@pytest.mark.parametrize(
    ("code", "subject"),
    [
        ("assert_eq!(f(2), 3);", "f(2)"),
        ("assert_eq!(3, f(2));", "f(2)"),
        ("let got = f(2); assert_eq!(got, 3);", "f(2)"),
        ("let got = f(2).await?; assert_eq!(&got, &3);", "f(2)"),
        ("let got = f(2); assert!(got.is_ok());", "f(2)"),
        ("let got = f(1); let got = f(2); assert!(got > 3);", "f(2)"),
        ("let x = f(2); let x = x.total(); assert_eq!(x, 3);", "x.total()"),
        ("assert!(matches!(f(2), Ok(_)));", "f(2)"),
        ("let mut a = f(1); a = f(2); assert_eq!(a, 3);", "a"),
        ("assert_eq!(expected, f(2));", "f(2)"),
    ],
)
def test_the_subject_is_what_is_checked_whatever_it_is_called(code: str, subject: str) -> None:
    assert [each.subject for each in one(code).assertions] == [subject]


def test_names_tell_the_modules_and_only_tests_count() -> None:
    found = read("""
        pub fn add(a: i32) -> i32 { assert!(a > 0); a }
        #[cfg(test)]
        mod tests {
            fn check(a: i32) { assert_eq!(a, 3); }
            fn build() -> i32 { 3 }
            #[test] fn adds() { check(build()); }
            #[tokio::test(flavor = "multi_thread")] async fn waits() {}
            mod deep { #[test] fn adds() {} }
        }
    """)
    assert [test.name for test in found.tests] == [
        "tests.adds",
        "tests.waits",
        "tests.deep.adds",
    ]
    assert [each.name for each in found.checkers] == ["check"]
    assert found.tests[0].calls == ("check", "build")


@pytest.mark.parametrize(
    "attributes",
    [
        "#[test]\n#[ignore]",
        '#[test]\n#[ignore = "slow"]',
        "#[cfg(any())]\n#[test]",
        "#[cfg(not(test))]\n#[test]",
        '#[cfg(feature = "never")]\n#[test]',
        '#[cfg(all(unix, target_os = "windows"))]\n#[test]',
        '#[cfg_attr(not(feature = "slow"), ignore)]\n#[test]',
    ],
)
def test_a_test_that_does_not_run_is_skipped(attributes: str) -> None:
    assert one("", attributes).is_skipped


@pytest.mark.parametrize(
    "attributes",
    [
        "#[test]",
        "#[cfg(test)]\n#[test]",
        '#[cfg(all(unix, not(windows), target_os = "linux"))]\n#[test]',
        "#[cfg_attr(miri, ignore)]\n#[test]",
        "#[allow(unused)]\n#[test]",
    ],
)
def test_a_test_that_runs_is_not_skipped(attributes: str) -> None:
    assert not one("", attributes).is_skipped


def test_what_stands_around_a_test_may_leave_it_out() -> None:
    assert read("#[cfg(any())]\nmod tests { #[test] fn a() {} }").tests[0].is_skipped
    assert read("#![cfg(any())]\n#[test] fn a() {}").is_skipped
    assert not read("#![allow(unused)]\n#[test] fn a() {}").is_skipped


@pytest.mark.parametrize(
    ("source", "cases"),
    [
        ("#[rstest]\n#[case(1, 2)]\n#[case::two(3, 4)]\nfn a(#[case] x: i32) {}", 2),
        ("#[rstest]\nfn a(#[values(1, 2, 3)] x: i32, #[values(1, 2)] y: i32) {}", 6),
        ("#[test_case(1)]\n#[test_case(2)]\nfn a(x: i32) {}", 2),
        ("#[test]\nfn a() { for x in [1, 2, 3] { assert_eq!(f(x), 3); } }", 3),
        ("#[test]\nfn a() { for x in vec![1, 2] { assert_eq!(f(x), 3); } }", 2),
        ("#[test]\nfn a() { let t = [1, 2]; for x in t.iter() { assert_eq!(f(x), 3); } }", 2),
        ("#[test]\nfn a() { for x in load() { assert_eq!(f(x), 3); } }", 0),
        ("#[test]\nfn a() {}", 1),
    ],
)
def test_cases_are_what_is_listed(source: str, cases: int) -> None:
    (test,) = read(source).tests
    times = [each.times for each in test.assertions] or [1]
    assert test.cases * times[0] == cases


def test_a_test_that_must_panic_wants_its_assertions_to_fail() -> None:
    plain = one("f(0);", "#[test]\n#[should_panic]")
    assert [each.strength for each in plain.assertions] == [PARTIAL]
    assert not plain.swallows
    told = one("assert_eq!(f(0), 3);", '#[test]\n#[should_panic(expected = "too small")]')
    assert [each.strength for each in told.assertions] == [EXACT, NONE]


@pytest.mark.parametrize(
    "body",
    [
        "return; assert_eq!(f(), 3);",
        "if true { return; } assert_eq!(f(), 3);",
        "std::process::exit(0); assert_eq!(f(), 3);",
        "if false { assert_eq!(f(), 3); }",
        "while false { assert_eq!(f(), 3); }",
        "for x in [] { assert_eq!(f(x), 3); }",
        "let _ = std::panic::catch_unwind(|| { assert_eq!(f(), 3); });",
        "let check = || { assert_eq!(f(), 3); };",
        "let _ = async { assert_eq!(f(), 3); };",
        "std::thread::spawn(|| { assert_eq!(f(), 3); });",
    ],
)
def test_a_failure_that_nobody_sees_is_swallowed(body: str) -> None:
    found = one(body)
    assert found.swallows
    assert [each.strength for each in found.assertions] == [NONE]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let check = || { assert_eq!(f(), 3); }; check();", EXACT),
        ("std::thread::spawn(|| { assert_eq!(f(), 3); }).join().unwrap();", EXACT),
        ("if true { assert_eq!(f(), 3); }", EXACT),
        ("if let Some(x) = f() { assert_eq!(x, 3); }", PARTIAL),
        ("if let Some(x) = f() { assert_eq!(x, 3); } else { panic!() }", EXACT),
        ("match f() { Ok(x) => assert_eq!(x, 3), Err(_) => {} }", PARTIAL),
        ("for x in list { if x.ok { assert_eq!(f(x), 3); } }", EXACT),
        ("if x { return; } assert_eq!(f(), 3);", PARTIAL),
        ("let Some(x) = f() else { return; }; assert_eq!(x, 3);", PARTIAL),
        ("let Some(x) = f() else { panic!() }; assert_eq!(x, 3);", EXACT),
    ],
)
def test_what_runs_only_sometimes_says_less(body: str, expected: Strength) -> None:
    found = one(body)
    assert not found.swallows
    assert [each.strength for each in found.assertions] == [expected]


def test_properties_are_read_within_their_macro() -> None:
    first, second = read("""
        proptest! {
            #[test]
            fn adds(a in 0..10) {
                prop_assert_eq!(add(a), a + 1);
            }
            #[test]
            #[ignore]
            fn grows(a in 0..10, b in ".*") { prop_assert!(add(a) > b); }
        }
    """).tests
    assert (first.name, second.name, second.is_skipped) == ("adds", "grows", True)
    assert [(each.line, each.strength) for each in first.assertions] == [(5, EXACT)]
    assert [each.strength for each in second.assertions] == [PARTIAL]


def test_a_macro_of_the_project_makes_a_test_of_a_block() -> None:
    source = "case!(small, |dir: Dir| { assert_eq!(f(dir), 3); });\nempty!();\nother!(3);"
    found = read(source, "tests/cart.rs")
    assert [(test.name, len(test.assertions)) for test in found.tests] == [("small", 1)]
    assert read(source).tests == ()


def test_a_body_counts_without_blanks_and_comments() -> None:
    first, second = read("""
#[test] fn a() { f(1, 2); /* so */ }
#[test] fn b() {
    // here
    f(
        1,
        2,
    );
}
""").tests
    assert first.body == second.body
    assert (first.line, second.line) == (2, 3)


def test_a_macro_that_is_no_call_does_not_break_a_file() -> None:
    found = read("#[test] fn a() { panic!(x => y); assert_eq!(f(2), 3); }")
    assert [each.strength for each in found.tests[0].assertions] == [EXACT]


@pytest.mark.parametrize(
    "source",
    [
        b"#[test] fn a() {",
        b"#[test] fn a() { " + b"(" * 5_000,
        b"#[cfg(" + b"not(" * 3_000,
        b"\x00\xff" * 1_000,
    ],
)
def test_broken_and_hostile_text_cannot_be_understood(source: bytes) -> None:
    assert isinstance(TableReader(RUST).read("src/a.rs", source), Unreadable)
