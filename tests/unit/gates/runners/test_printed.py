"""Tests by name, from what runners printed; most of it recorded as they printed it."""

import time
from pathlib import Path

import pytest

from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult
from supervisor_ai.gates.runners.test_results import read

OUTPUTS = Path(__file__).with_name("outputs")
PASSED, FAILED, SKIPPED = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.SKIPPED


def output(name: str) -> str:
    return (OUTPUTS / f"{name}.txt").read_text()


def outcomes(text: str) -> dict[CaseOutcome, set[str]]:
    results = read(text, root="/work").results
    return {which: {it.name for it in results if it.outcome is which} for which in CaseOutcome}


def named(text: str, name: str) -> CaseResult:
    return next(it for it in read(text, root="/work").results if it.name == name)


GO = "example.com/m/a::"
UNITTEST = (
    {"test_d.U.test_ef", "test_d.U.test_ok", "test_d.U.test_print", "test_d.U.test_printn"},
    {
        *("test_d.Broken.setUpClass", "test_d.U.test_docfail", "test_d.U.test_err"),
        *("test_d.U.test_sub", "test_d.U.test_us"),
    },
    {"test_d.U.test_skip"},
)
NODE = (
    {"good", "same", "same # hash \\ x", "suite > fine", "parent", "parent > child"},
    {"bad", "suite", "suite > inner"},
    {"suite > no", "suite > later"},
)
CRATE = ("exits", "it_works", "pan")
JEST = ("flaky", "top", "suite > adds", "suite > each a", "suite > each c")
VERBOSE_PYTEST = """\
tests/test_a.py::test_good PASSED                                        [ 20%]
tests/test_a.py::test_par[a - b PASSED] FAILED                           [ 40%]
tests/test_a.py::TestX::test_left SKIPPED (why not)                      [ 60%]
tests/test_a.py::test_known XFAIL
[gw1] [ 80%] PASSED tests/test_b.py::test_far[x y]
1 failed, 2 passed, 2 skipped in 0.1s
"""
NEXTEST = """\
    Starting 3 tests across 2 binaries (1 test skipped)
        PASS [   0.004s] (1/3) one tests::it_works
        FAIL [   0.005s] one::it integ
   TRY 1 FAIL [   0.003s] two tests::flaky
   TRY 2 PASS [   0.003s] two tests::flaky
     Summary [   0.011s] 3 tests run: 2 passed (1 flaky), 1 failed, 1 skipped
"""
CTEST = """\
1/3 Test #1: adds .............................   Passed    0.01 sec
2/3 Test #2: subtracts ........................***Failed    0.00 sec
3/3 Test #3: later ............................***Skipped   0.00 sec

50% tests passed, 1 tests failed out of 2
"""
GRADLE = """\
AppTest > adds() PASSED
AppTest > subtracts() FAILED
AppTest > later() SKIPPED
3 tests completed, 1 failed, 1 skipped
"""
BATS = "1..3\nok 1 adds\nnot ok 2 subtracts\n# (in test file x)\nok 3 later # skip no\n"


@pytest.mark.parametrize(
    ("text", "passed", "failed", "skipped"),
    [
        (
            output("go-verbose"),
            {
                *(f"{GO}{name}" for name in ("ExampleX", "FuzzA", "FuzzA/seed#0", "TestGood")),
                *(f"{GO}TestTable{name}" for name in ("", "/#00", "/a_b", "/c/d", "/x")),
            },
            {f"{GO}TestBad"},
            {f"{GO}TestSkip"},
        ),
        (output("unittest-3.8"), *UNITTEST),
        (output("unittest-3.13"), *UNITTEST),
        (
            output("cargo"),
            {
                *("it::integ", "one/src/lib.rs - f", "two/src/lib.rs - f"),
                *(f"{crate}::tests::{name}" for crate in ("one", "two") for name in CRATE),
            },
            {"one::tests::bad", "two::tests::bad"},
            {f"{crate}::tests::{name}" for crate in ("one", "two") for name in ("later", "later2")},
        ),
        (
            output("tape"),
            {
                f"group one > {it}"
                for it in ("named", "should be strictly equal", "should be truthy")
            },
            {"group two > should be strictly equal"},
            {"group two > left"},
        ),
        (output("ava"), {"adds"}, {"bad"}, {"left", "later"}),
        (output("node-tap"), {*NODE[0], "parent > multi\\nline"}, *NODE[1:]),
        (output("node-spec"), {*NODE[0], "parent > multi"}, *NODE[1:]),
        (
            output("mocha-spec"),
            {"top", "suite > adds", "suite > flaky", "suite > inner > multi"},
            {"suite > bad", "suite > inner > same"},
            {"suite > left"},
        ),
        (
            output("jest-verbose"),
            {f"j/a.test.js > {it}" for it in JEST},
            {"j/a.test.js > suite > bad"},
            {"j/a.test.js > suite > skipped left", "j/a.test.js > suite > todo later"},
        ),
        (
            output("vitest-verbose"),
            {"v/a.test.js > suite > adds", "v/a.test.js > flaky"},
            {"v/a.test.js > suite > bad"},
            {"v/a.test.js > suite > left", "v/a.test.js > suite > later"},
        ),
        (
            VERBOSE_PYTEST,
            {"tests/test_a.py::test_good", "tests/test_b.py::test_far[x y]"},
            {"tests/test_a.py::test_par[a - b PASSED]"},
            {"tests/test_a.py::TestX::test_left", "tests/test_a.py::test_known"},
        ),
        (NEXTEST, {"one tests::it_works"}, {"one::it integ"}, set()),
        (CTEST, {"adds"}, {"subtracts"}, {"later"}),
        (GRADLE, {"AppTest > adds()"}, {"AppTest > subtracts()"}, {"AppTest > later()"}),
        (BATS, {"adds"}, {"subtracts"}, {"later"}),
    ],
)
def test_each_test_is_named_with_what_became_of_it(
    text: str, passed: set[str], failed: set[str], skipped: set[str]
) -> None:
    assert outcomes(text) == {PASSED: passed, FAILED: failed, SKIPPED: skipped}
    assert not read(text).is_unfinished


def test_a_name_is_the_same_wherever_and_how_long_it_ran() -> None:
    again = output("node-tap").replace("/work/", "/elsewhere/").replace("duration_ms: ", "\\0: 7")
    assert outcomes(again) == outcomes(output("node-tap"))
    moved = output("cargo").replace("(line 2)", "(line 99)").replace("-83d69e65c7120d7f)", ")")
    assert outcomes(moved) == outcomes(output("cargo"))


def test_crates_that_cannot_be_told_apart_are_left_out_of_names() -> None:
    text = "\n".join(it for it in output("cargo").splitlines() if "Running" not in it)
    assert "tests::it_works" in outcomes(text)[PASSED]


@pytest.mark.parametrize(
    ("name", "test", "said"),
    [
        ("go-verbose", f"{GO}TestBad", "a_test.go:4: got 3"),
        ("unittest-3.13", "test_d.U.test_sub", "AssertionError: 1 == 1"),
        ("cargo", "two::tests::bad", "boom"),
        ("tape", "group two > should be strictly equal", "expected: 2"),
        ("node-tap", "suite > inner", "error: 'boom'"),
    ],
)
def test_what_a_failing_test_said_is_told(name: str, test: str, said: str) -> None:
    assert said in named(output(name), test).told


@pytest.mark.parametrize(
    "text",
    [
        output("cargo-exit"),
        "TAP version 13\n# g\nok 1 a\n",
        "1..3\nok 1 a\nok 2 b\n",
        "TAP version 13\n1..2\nok 1 a\nok 2 b\nBail out! no more\n",
        "TAP version 13\n",
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\nok  \tx\t0.1s",
    ],
)
def test_tests_that_never_ended_are_found(text: str) -> None:
    assert read(text).is_unfinished


@pytest.mark.parametrize(
    ("text", "tests", "failed"), [(BATS, 2, 1), ("TAP version 13\nok 1 - a\nok 2\n1..2", 2, 0)]
)
def test_results_without_numbers_at_the_end_are_counted(text: str, tests: int, failed: int) -> None:
    found = read(text)
    assert (found.tests, found.failed) == (tests, failed)


def test_what_a_test_prints_before_its_result_hides_it_from_nobody() -> None:
    found = read("=== RUN   TestA\nhello--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.1s")
    assert (found.tests, [it.name for it in found.results]) == (1, ["x::TestA"])


@pytest.mark.parametrize(
    "line",
    [
        "ok 1 - " + "# SKIP " * 50,
        "not ok 1 " + "\\# " * 120,
        " " * 38 + "# Subtest: x",
        "✔ " + "(1 tests) " * 38,
        "--- PASS: " * 39,
        "test " + "... " * 95,
        "a (a.b) ... " * 30,
        "a (" + "a." * 190,
        "     Running x (" + "-a" * 190,
        "FAIL\t" + "x " * 190,
    ],
)
def test_hostile_lines_take_no_time(line: str) -> None:
    started = time.process_time()
    ends = "Ran 1 test in 0.1s\ntest result: ok. 1 passed; 0 failed\nok  \tx\t0.1s\n1..2\n# pass 2"
    read(f"{line}\n" * 4_000 + ends)
    assert time.process_time() - started < 5
