"""What the output of runners says: written as the runners write it, and by the hostile."""

import json
import time
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.gates import NOTHING_READ
from supervisor_ai.gates.runners.excerpt import LIMIT
from supervisor_ai.gates.runners.output import FIRST, HEAD, LAST, TAIL
from supervisor_ai.gates.runners.table import own_table, parse
from supervisor_ai.gates.runners.test_results import read

OUTPUTS = Path(__file__).with_name("outputs")

PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0
collected 4 items

test_a.py .FFE                                                           [100%]

==================================== ERRORS ====================================
__________________________ ERROR at setup of test_err __________________________
E   RuntimeError: setup
=================================== FAILURES ===================================
___________________________________ test_bad ___________________________________
>       assert x == 2, "x"
E       assert 1 == 2
=============================== warnings summary ===============================
test_a.py:1: DeprecationWarning: noise
=========================== short test summary info ============================
FAILED test_a.py::test_bad - AssertionError: x [1] - y
FAILED test_a.py::test_par[c - d] - AssertionError: assert 'c - d' == 'a b'
SUBFAILED(i=0) test_a.py::A::test_sub - AssertionError: 0 != 5
ERROR test_b.py
===================== 3 failed, 1 passed, 1 error in 0.21s =====================
"""
UNITTEST = """\
FE.s
======================================================================
ERROR: test_err (test_un.A.test_err)
----------------------------------------------------------------------
ValueError: x

======================================================================
FAIL: test_bad (test_un.A)
A doc
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 4 tests in 0.001s

FAILED (failures=1, errors=1, skipped=1)
"""
GO_VERBOSE = """\
=== RUN   TestGood
--- PASS: TestGood (0.00s)
=== RUN   TestBad
    add_test.go:9: got 3, want 4
--- FAIL: TestBad (0.00s)
=== RUN   TestTable
=== RUN   TestTable/empty
    add_test.go:20: no
--- FAIL: TestTable (0.00s)
    --- FAIL: TestTable/empty (0.00s)
=== RUN   TestLast
    add_test.go:30: just saying
--- PASS: TestLast (0.00s)
FAIL
FAIL	example.com/add	0.003s
ok  	example.com/sub	0.002s
?   	example.com/cmd	[no test files]
FAIL
"""
GO_QUIET = """\
ok  	example.com/sub	0.002s
--- FAIL: TestBad (0.00s)
    add_test.go:9: got 3, want 4
FAIL
FAIL	example.com/add	0.003s
"""
GO_BROKEN = """\
# example.com/add [example.com/add.test]
./add_test.go:5:2: undefined: Add
FAIL	example.com/add [build failed]
FAIL
"""
CARGO = """\
   Compiling adder v0.1.0 (file:///projects/adder)
warning: unused variable: `x`
     Running unittests src/lib.rs (target/debug/deps/adder-92948b65e88960b4)

running 2 tests
test tests::exploration ... ok
test tests::another ... FAILED

failures:

---- tests::another stdout ----
thread 'tests::another' panicked at src/lib.rs:17:9:
Make this test fail

failures:
    tests::another

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
"""
NODE = """\
TAP version 13
# Subtest: ok
ok 1 - ok
  ---
  duration_ms: 9.5
  ...
# Subtest: bad
not ok 2 - bad
  ---
  error: 'boom'
  ...
# Subtest: later
not ok 3 - later # TODO
1..3
# tests 3
# suites 0
# pass 1
# fail 1
# cancelled 0
# skipped 0
# todo 1
# duration_ms 280.9
"""
MAVEN = """\
[INFO] Running com.example.AppTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE!
[ERROR] com.example.AppTest.testApp -- Time elapsed: 0.007 s <<< FAILURE!
java.lang.AssertionError: nope
[INFO]
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1
[INFO] BUILD FAILURE
"""


def output(name: str) -> str:
    return (OUTPUTS / f"{name}.txt").read_text()


def go_events(text: str) -> str:
    lines = [
        {"Time": "T", "Action": "output", "Package": "p", "Output": line}
        for line in text.splitlines(keepends=True)
    ]
    return "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("..\n2 passed in 0.01s", 2),
        ("==== 1 failed, 3 passed, 2 skipped, 1 warning in 1.2s ====", 4),
        ("2 passed, 3 subtests passed in 0.1s", 2),
        ("== 2 passed in 75.10s (0:01:15) ==", 2),
        ("======= 12 tests collected in 0.3s =======", 12),
        ("3/12 tests collected (9 deselected) in 0.1s", 12),
        ("Ran 7 tests in 0.001s\n\nOK", 7),
        ("Ran 7 tests in 0.001s\n\nOK (skipped=2)", 5),
        ("Tests:       1 failed, 5 passed, 6 total", 6),
        ("      Tests  4 passed (4)", 4),
        ("  9 passing (12ms)", 9),
        ("  9 passing (12ms)\n  2 failing\n", 11),
        (
            "test result: ok. 3 passed; 0 failed; 0 ignored\n"
            "test result: ok. 2 passed; 0 failed; 0 ignored",
            5,
        ),
        ("test result: ok. 0 passed; 0 failed; 2 ignored; 2 measured; 0 filtered out", 2),
        ("[WARNING] Tests run: 1423, Failures: 0, Errors: 0, Skipped: 3", 1420),
        ("--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nok  	x	0.1s", 2),
        ("[INFO] Tests run: 11, Failures: 0, Errors: 0, Skipped: 0", 11),
        ("5 tests completed, 1 failed", 5),
        ("     Summary [   0.005s] 3 tests run: 2 passed, 1 failed, 0 skipped", 3),
        ("Ran 2 tests in 0.1s\nRan 3 tests in 0.1s\n1 passed in 0.1s", 5),
        ("\u2139 tests 6\n\u2139 pass 2\n\u2139 fail 2", 4),
    ],
)
def test_the_tests_that_ran_are_counted(text: str, tests: int) -> None:
    assert read(text).tests == tests


@pytest.mark.parametrize(
    "text",
    [
        "collected 0 items\n\n=== no tests ran in 0.23s ===",
        "no tests ran in 0.00s",
        "=== 7 deselected in 0.14s ===",
        "2 skipped in 0.01s",
        "no tests collected (7 deselected) in 0.1s",
        "Ran 0 tests in 0.000s\n\nOK",
        "Ran 0 tests in 0.000s\n\nNO TESTS RAN",
        "Ran 2 tests in 0.000s\n\nOK (skipped=2)",
        output("jest-none"),
        "No tests found, exiting with code 0",
        "Test Suites: 1 skipped, 0 of 1 total\nTests:       4 skipped, 4 total",
        output("vitest-none"),
        " Test Files  1 failed (1)\n      Tests  no tests",
        "\n\n  0 passing (2ms)\n",
        "TAP version 13\n1..0\n# tests 0\n# pass 0\n# fail 0",
        "ok 1 - /work/empty.test.js\n# tests 1\n# pass 1\n# fail 0",
        "✔ empty.test.mjs (93.1ms)\n\u2139 tests 1\n\u2139 pass 1\n\u2139 fail 0",
        "?   	example.com/a	[no test files]\n?   	example.com/b	[no test files]",
        "testing: warning: no tests to run\nPASS\nok  	example.com/a	0.1s [no tests to run]",
        go_events("?   \texample.com/a\t[no test files]\n"),
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured",
        "     Summary [   0.000s] 0 tests run: 0 passed, 0 skipped\nerror: no tests to run",
        "[INFO] No tests to run.",
        "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0",
    ],
)
def test_a_runner_that_ran_nothing_is_caught(text: str) -> None:
    assert read(text).tests == 0


@pytest.mark.parametrize(
    "text",
    [
        "I passed 5 tests, honestly",
        "",
        "9" * 10_000,
        "9999999999999 passed in 0.1s",
        "ok  	example.com/a	0.1s",
        "ok  	example.com/a	(cached)\n?   	example.com/b	[no test files]",
        "--- FAIL: TestBad (0.00s)\nFAIL\nFAIL	example.com/add	0.003s",
        "no tests ran in 0.1s\nok  \texample.com/a\t0.1s",
        "All checks passed!",
        "  1) a list\n  2) of things",
    ],
)
def test_what_nobody_counted_is_unknown(text: str) -> None:
    assert read(text).tests is None


HEADER = "=========== test session starts ============\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADER}collected 2 items\n",
        f"{HEADER}2 passed in 0.1s\n{HEADER}",
        f"{HEADER}collected 2 items\n<Module a.py>\n==== 2 tests collected in 0.01s ====",
        "a.py::test_a\n\n1 test collected in 0.01s",
        " RUN  v4.1.12 /work\n",
        "running 3 tests\ntest a ... ok\n",
        "running 1 test\nrunning 1 test\ntest b ... ok\ntest result: ok. 1 passed; 0 failed;",
        "  Executable unittests src/lib.rs (target/debug/deps/one-83d69e65c7120d7f)",
        "a: test\n\n1 test, 0 benchmarks",
        "    Starting 3 tests across 1 binary\n        PASS [   0.1s] one a",
    ],
)
def test_a_run_without_an_end_is_found(text: str) -> None:
    assert read(text).is_unfinished


@pytest.mark.parametrize(
    "text",
    [
        PYTEST,
        f"{HEADER}==== no tests ran in 0.1s ====",
        f"{HEADER}{HEADER}1 passed in 0.1s\n1 failed in 0.1s",
        f"1 test collected in 0.01s\n{HEADER}1 passed in 0.1s",
        CARGO,
        output("vitest"),
        "running 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored",
        "    Starting 1 test across 1 binary\n     Summary [   0.0s] 1 test run: 1 passed",
    ],
)
def test_a_run_with_an_end_is_over(text: str) -> None:
    assert not read(text).is_unfinished


def test_documentation_tests_do_not_make_a_run_empty() -> None:
    text = (
        "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored;\n"
        "   Doc-tests adder\nrunning 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored;"
    )
    assert read(text).tests == 3


def test_files_that_hold_tests_are_no_empty_ones() -> None:
    text = "    ok 1 - adds\nok 1 - /work/a.test.js\n# tests 1\n# pass 1\n# fail 0"
    assert read(text).tests == 1


@pytest.mark.parametrize(
    ("text", "tool", "tests", "failed", "names"),
    [
        (
            PYTEST,
            "pytest",
            5,
            4,
            (
                "test_a.py::test_bad",
                "test_a.py::test_par[c - d]",
                "test_a.py::A::test_sub",
                "test_b.py",
            ),
        ),
        (UNITTEST, "unittest", 3, 2, ("test_err (test_un.A.test_err)", "test_bad (test_un.A)")),
        (GO_VERBOSE, "go test", 4, 2, ("TestBad", "TestTable", "TestTable/empty")),
        (go_events(GO_VERBOSE), "go test", 4, 2, ("TestBad", "TestTable", "TestTable/empty")),
        (GO_QUIET, "go test", None, 1, ("TestBad",)),
        (GO_BROKEN, "go test", None, None, ("example.com/add",)),
        (CARGO, "cargo test", 2, 1, ("tests::another",)),
        (NODE, "node --test", 2, 1, ("bad",)),
        (MAVEN, "maven", 2, 1, ("com.example.AppTest.testApp",)),
        (
            output("jest"),
            "jest",
            3,
            2,
            ("./a.test.js", "suite \u203a adds", "top", "v/a.test.js"),
        ),
        (
            output("jest-colour"),
            "jest",
            3,
            2,
            ("./a.test.js", "suite \u203a adds", "top", "v/a.test.js"),
        ),
        (output("vitest"), "vitest", 3, 2, ("a.test.js > suite > adds", "a.test.js > top")),
        (output("mocha"), "mocha", 3, 2, ("top", "adds", "suite")),
        (output("tsc"), "tsc", None, None, ()),
        (output("eslint"), "eslint", None, None, ()),
    ],
)
def test_failures_are_counted_and_named(
    text: str, tool: str, tests: int | None, failed: int | None, names: tuple[str, ...]
) -> None:
    found = read(text)
    assert (found.tool, found.tests, found.failed, found.failing_tests) == (
        tool,
        tests,
        failed,
        names,
    )


@pytest.mark.parametrize(
    ("text", "begins", "holds", "lacks"),
    [
        (
            PYTEST,
            "=====",
            ["assert 1 == 2", "FAILED test_a.py", "3 failed"],
            ["collected", "noise"],
        ),
        (UNITTEST, "ERROR: test_err", ["1 != 2", "failures=1"], ["FE.s"]),
        (GO_VERBOSE, "=== RUN   TestBad", ["want 4", "20: no"], ["TestGood", "just saying"]),
        (GO_QUIET, "ok", ["--- FAIL: TestBad", "want 4"], []),
        (GO_BROKEN, "# example.com/add", ["undefined: Add"], []),
        (CARGO, "failures:", ["Make this test fail", "1 failed"], ["exploration", "unused"]),
        (NODE, "not ok 2 - bad", ["boom", "# fail 1"], ["ok 1 - ok", "later", "TAP"]),
        (MAVEN, "[ERROR] Tests run: 2", ["AssertionError: nope"], ["BUILD FAILURE"]),
        (output("jest"), "FAIL ./a.test.js", ["● suite \u203a adds", "2 failed"], ["Snapshots"]),
        (output("jest-colour"), " FAIL  ./a.test.js", ["● top"], ["Snapshots", "\x1b"]),
        (output("vitest"), "⎯⎯⎯", ["expected 1 to be 2"], ["Duration", " RUN "]),
        (output("mocha"), "  2 failing", ["1 == 2"], ["✔ ok"]),
        (output("tsc"), "t/a.ts(1,7)", ["TS2322", "TS2339"], []),
        (output("tsc-pretty"), "t/a.ts:1:7", ["~~~", "Found 2 errors"], ["\x1b"]),
        (output("eslint"), "/work/l/a.js", ["no-unused-vars", "2 problems"], ["no-undef"]),
        (
            "make\nx.py:3: error: Bad type  [arg]\nFound 1 error in 1 file (checked 1)\nend",
            "x.py:3",
            ["Found 1 error"],
            ["make", "end"],
        ),
        (
            "x.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n[*] 1 fixable",
            "x.py:1:8",
            ["Found 1 error."],
            ["fixable"],
        ),
        (
            "TOTAL 5 1 80%\nCoverage failure: total of 80 is less than fail-under=90\n",
            "Coverage failure",
            [],
            ["TOTAL"],
        ),
    ],
)
def test_the_failing_part_is_found(
    text: str, begins: str, holds: list[str], lacks: list[str]
) -> None:
    failing = read(text).failing
    assert failing.startswith(begins)
    assert [words for words in holds if words not in failing] == []
    assert [words for words in lacks if words in failing] == []


@pytest.mark.parametrize(
    "text",
    [
        "2 passed in 0.01s",
        "Success: no issues found in 1 source file",
        "ok  	x	0.1s",
        "  3 passing (1ms)",
    ],
)
def test_a_run_that_went_well_has_no_failing_part(text: str) -> None:
    assert read(text).failing == ""
    assert read(text).tool is not None


def test_an_output_that_nobody_knows_says_nothing() -> None:
    assert read("hello\nworld\n  ● a bullet\n") == NOTHING_READ


def test_colours_and_line_ends_do_not_matter() -> None:
    coloured = "\x1b[31m=== \x1b[1m1 failed\x1b[0m, \x1b[32m3 passed\x1b[0m in 0.2s ===\x1b[0m\r\n"
    assert read(coloured).tests == 4
    assert read("\x1b]0;title\x07progress\r2 passed in 0.1s\r\n").tests == 2


def test_the_failing_part_has_no_controls() -> None:
    failing = read("=== FAILURES ===\na\x07\x9b31mb\x1b[2Jc\x00\n1 failed in 0.1s").failing
    assert failing == "=== FAILURES ===\na31mbc\n1 failed in 0.1s"


def test_a_long_failing_part_keeps_its_beginning_and_its_end() -> None:
    body = "\n".join(f"E   line {number}" for number in range(5000))
    failing = read(f"=== FAILURES ===\n{body}\nFAILED a.py::test_x\n1 failed in 0.1s").failing
    assert len(failing) <= LIMIT
    assert failing.startswith("=== FAILURES ===\nE   line 0\n")
    assert failing.endswith("FAILED a.py::test_x\n1 failed in 0.1s")
    assert "characters are left out]" in failing
    assert len(read(f"=== FAILURES ===\n{'x' * 2000}\n" * 50 + "1 failed in 0.1s").failing) <= LIMIT


def test_of_a_huge_output_the_beginning_and_the_end_are_read() -> None:
    filler = "x" * 99 + "\n"
    middle = filler * ((HEAD + TAIL) // 100 + 1)
    blanks = "\n" * (FIRST + LAST)
    assert read(f"Ran 1 test in 0.1s\n{blanks}Ran 2 tests in 0.1s\n").tests == 3
    assert read(f"Ran 1 test in 0.1s\n{middle}Ran 2 tests in 0.1s\n").tests == 3
    assert (
        read(f"{filler * (HEAD // 100 + 9)}Ran 4 tests in 0.1s\n{middle}Ran 2 tests in 0.1s").tests
        == 2
    )


def test_only_so_many_tests_are_named() -> None:
    text = "\n".join(f"FAILED a.py::test_{number}" for number in range(500))
    assert len(read(f"{text}\n500 failed in 1.0s").failing_tests) == 200


def test_go_events_that_are_broken_are_lines_like_others() -> None:
    nested = '{"Action":"' + "[" * 1000
    odd = '{"Action":"output","Package":1,"Output":[1]}'
    assert read(f"{nested}\n{odd}\n2 passed in 0.1s").tests == 2


@pytest.mark.parametrize(
    "line",
    [
        "1 a " * 100,
        "=" * 399,
        "= " * 200,
        "FAILED " + "a[" * 190,
        "FAILED [" + "] - " * 99,
        "not ok 1 - " + " # TODO" * 50,
        " " * 399,
        "\x1b[" + "0" * 390,
        "Tests: " + "1 a " * 98,
        "Jest: " + "coverage threshold " * 20,
        "a > " * 99,
        "a:1:1: " * 57,
        '{"Action":"' + "[" * 380,
    ],
)
def test_hostile_lines_take_no_time(line: str) -> None:
    started = time.process_time()
    read(f"{line}\n" * 2000 + "1 failed in 0.1s")
    assert time.process_time() - started < 5


def test_every_runner_is_known_by_something() -> None:
    for name, runner in parse(own_table()).items():
        assert runner.counts or runner.knows or runner.zero, name


@pytest.mark.parametrize(
    "text",
    ["[]", "a: []", "a: {other: []}", "a: {counts: x}", "a: {counts: ['(']}", "a: {zero: [5]}"],
)
def test_a_broken_table_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse(text)
