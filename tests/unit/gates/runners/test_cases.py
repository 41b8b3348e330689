"""Tests by name: alike in every run, each once, within bounds."""

import json

import pytest

from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult, Unexaminable
from supervisor_ai.gates.runners.cases import LONGEST_NAME, LONGEST_TOLD, MOST, Cases
from supervisor_ai.gates.runners.json_report import read_json_report
from supervisor_ai.gates.runners.junit_report import read_report

PASSED, FAILED, SKIPPED = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.SKIPPED


@pytest.mark.parametrize(
    ("name", "stable"),
    [
        ("a.py::test_b[1]", "a.py::test_b[1]"),
        ("/work/1.2/tree/a.test.js > adds", "a.test.js > adds"),
        ("test[<object at 0x7f72d7651c10>]", "test[<object at 0x…>]"),
        ("two\nlines\t and more ", "two lines and more"),
        ("\x1b[31mred\x00", "\\x1b[31mred\\x00"),
        ("half \ud800", "half \\ud800"),
        ("0xff stays", "0xff stays"),
    ],
)
def test_a_name_says_the_same_in_every_run(name: str, stable: str) -> None:
    assert Cases("/work/1.2/tree").stable(name) == stable


def test_long_names_stay_apart() -> None:
    cases = Cases()
    for end in ("a", "b"):
        cases.add("x" * 5_000 + end, PASSED)
    assert len(cases.results()) == 2
    assert all(len(result.name) <= LONGEST_NAME for result in cases.results())
    assert cases.results() == tuple(sorted(cases.results(), key=lambda it: it.name))


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        (PASSED, FAILED, FAILED),
        (FAILED, PASSED, FAILED),
        (SKIPPED, PASSED, PASSED),
        (PASSED, SKIPPED, PASSED),
    ],
)
def test_of_two_tests_with_one_name_the_worse_counts(
    first: CaseOutcome, second: CaseOutcome, counts: CaseOutcome
) -> None:
    cases = Cases()
    cases.add("same", first)
    cases.add("same", second)
    assert [result.outcome for result in cases.results()] == [counts]


def test_names_and_what_is_told_are_bounded() -> None:
    cases = Cases()
    for number in range(MOST + 5):
        cases.add(f"test_{number}", FAILED, "x" * 3_000)
    results = cases.results()
    assert len(results) == MOST
    assert max(len(result.told) for result in results) == LONGEST_TOLD
    assert sum(len(result.told) for result in results) <= 2_000_000
    cases = Cases()
    for number in range(8_000_000 // LONGEST_NAME + 9):
        cases.add(f"{number} {'x' * 299}", PASSED)
    assert sum(len(result.name) for result in cases.results()) <= 8_000_000


def test_pytest_names_are_those_of_its_command_line() -> None:
    report = b"""<testsuites><testsuite name="pytest">
    <testcase classname="" name="tests.test_c" file="tests/test_c.py"><error/></testcase>
    <testcase classname="tests.test_a" name="test_b[a::b]" file="tests/test_a.py"/>
    <testcase classname="tests.test_a.TestX.TestY" name="test_y" file="tests/test_a.py"/>
    <testcase classname="tests.test_b.TestB" name="test_inherited" file="tests/test_a.py"/>
    <testcase classname="tests.test_ab" name="test_other" file="tests/test_a.py"/>
    <testcase classname="tests.test_a" name="test_s" file="tests/test_a.py"><skipped/></testcase>
    </testsuite></testsuites>"""
    assert {(it.name, it.outcome) for it in read_report(report).results} == {
        ("tests/test_c.py", FAILED),
        ("tests/test_a.py::test_b[a::b]", PASSED),
        ("tests/test_a.py::TestX::TestY::test_y", PASSED),
        ("tests.test_b.TestB::test_inherited", PASSED),
        ("tests.test_ab::test_other", PASSED),
        ("tests/test_a.py::test_s", SKIPPED),
    }


JEST = {
    "testResults": [
        {
            "name": "/w/a.test.js",
            "status": "failed",
            "assertionResults": [
                {"ancestorTitles": ["suite"], "title": "adds", "status": "passed"},
                {"ancestorTitles": [], "title": "b", "status": "failed", "failureMessages": ["m"]},
                {"ancestorTitles": ["s"], "title": "left", "status": "pending"},
                {"ancestorTitles": ["s"], "title": "later", "status": "todo"},
            ],
        },
        {"name": "/w/broken.js", "status": "failed", "message": "Oh", "assertionResults": []},
    ]
}
OURS = {
    "cases": [
        {"file": "/w/a.js", "titles": ["s", "t"], "status": "passed", "told": ""},
        {"file": "/w/a.js", "titles": ["s"], "status": "passed", "isGroup": True},
        {"file": None, "titles": ["u"], "status": "failed", "told": "why"},
    ]
}


def test_reports_of_jest_and_of_our_own_making_are_read() -> None:
    reading = read_json_report(json.dumps(JEST).encode(), "/w")
    assert (reading.tests, reading.failed, reading.skipped) == (3, 2, 2)
    assert reading.results == (
        CaseResult("a.test.js > b", FAILED, "m", "a.test.js"),
        CaseResult("a.test.js > s > later", SKIPPED, "", "a.test.js"),
        CaseResult("a.test.js > s > left", SKIPPED, "", "a.test.js"),
        CaseResult("a.test.js > suite > adds", PASSED, "", "a.test.js"),
        CaseResult("broken.js", FAILED, "Oh", "broken.js"),
    )
    assert reading.failing_tests == ("a.test.js > b", "broken.js")
    assert "broken.js\nOh" in reading.failing
    reading = read_json_report(json.dumps(OURS).encode(), "/w")
    assert [(it.name, it.outcome) for it in reading.results] == [
        ("a.js > s > t", PASSED),
        ("u", FAILED),
    ]


@pytest.mark.parametrize(
    "report", [b"", b"[]", b"[" * 100_000, b"\xff", b'{"cases": ', b'"' + b"x" * 99]
)
def test_what_is_no_report_is_refused(report: bytes) -> None:
    with pytest.raises(Unexaminable):
        read_json_report(report)


@pytest.mark.parametrize(
    "value",
    [
        {"cases": 5, "testResults": "x"},
        {"cases": [5, None, {"titles": 3, "file": [], "status": {}}]},
        {"testResults": [{"name": 1, "assertionResults": [{"title": None, "status": []}, 7]}]},
    ],
)
def test_values_of_any_kind_break_nothing(value: object) -> None:
    assert read_json_report(json.dumps(value).encode()).results == ()


def test_an_example_in_rust_is_the_same_on_another_line() -> None:
    stable = Cases().stable
    assert stable("src/lib.rs - add (line 7)") == stable("src/lib.rs - add (line 12)")
    assert stable("src/lib.rs - add (line 7) - compile") == "src/lib.rs - add - compile"
    assert stable("parses (line 7)") != stable("parses (line 12)")
