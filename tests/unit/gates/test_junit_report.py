"""JUnit XML as runners write it, and as nobody should have to read it."""

from time import process_time

import pytest

from supervisor_ai.engine.ports.gates import Unexaminable
from supervisor_ai.gates.runners.junit_report import read_report

PYTEST = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1">
<testcase classname="tests.test_a" name="test_good" time="0.001" />
<testcase classname="tests.test_a" name="test_bad[1]">
<failure message="assert 1 == 2">def test_bad():
&gt;       assert 1 == 2</failure></testcase>
<testcase classname="tests.test_a" name="test_left">
<skipped type="pytest.skip" message="no">x</skipped></testcase>
<testcase classname="tests.test_a" name="test_torn">
<error message="failed on setup">boom</error></testcase>
</testsuite></testsuites>"""
MAVEN = b"""<testsuite name="a.B" tests="2"><properties><property name="x" value="y"/></properties>
<testcase name="adds" classname="a.B"><system-out><![CDATA[<failure>]]></system-out></testcase>
<testcase name="subtracts"><failure type="E"/><rerunFailure/></testcase></testsuite>"""


def test_a_report_tells_what_ran_failed_and_was_skipped() -> None:
    reading = read_report(PYTEST)
    assert (reading.tests, reading.failed, reading.skipped) == (3, 2, 1)
    assert reading.failing_tests == ("tests.test_a::test_bad[1]", "tests.test_a::test_torn")
    assert "tests.test_a::test_bad[1]\nassert 1 == 2\ndef test_bad():" in reading.failing
    assert "failed on setup\nboom" in reading.failing


def test_one_suite_is_enough_and_what_a_test_printed_is_no_verdict() -> None:
    reading = read_report(MAVEN)
    assert (reading.tests, reading.failed, reading.skipped) == (2, 1, 0)
    assert reading.failing_tests == ("subtracts",)


def test_a_report_without_tests_says_zero() -> None:
    reading = read_report(b"<testsuites/>")
    assert (reading.tests, reading.failed) == (0, 0)


LAUGHS = b"""<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><testsuite>&b;</testsuite>"""


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (b"", "not valid XML"),
        (b"<testsuite><testcase>", "not valid XML"),
        (b"\xff\xfe\x00", "not valid XML"),
        (b"<html/>", "no test suites"),
        (LAUGHS, "document type"),
        (b'<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuite/>', "document type"),
        (b"<testsuite>&xxe;</testsuite>", "not valid XML"),
        (b"<testsuite>" * 61, "nested too deeply"),
    ],
)
def test_what_is_no_report_is_said(report: bytes, reason: str) -> None:
    with pytest.raises(Unexaminable, match=reason):
        read_report(report)


def test_what_is_told_of_a_large_report_is_bounded() -> None:
    case = b'<testcase name="' + b"n" * 5000 + b'%d"><failure message="m">' + b"w" * 20_000
    cases = b"".join(
        case.replace(b"%d", str(n).encode()) + b"</failure></testcase>" for n in range(300)
    )
    before = process_time()
    reading = read_report(b"<testsuite>" + cases + b"</testsuite>")
    assert process_time() - before < 10
    assert (reading.tests, reading.failed) == (300, 300)
    assert len(reading.failing_tests) <= 200
    assert max(map(len, reading.failing_tests)) <= 300
    assert len(reading.failing) <= 24_000


def test_many_pieces_of_text_cost_no_square_time() -> None:
    words = b"&#65;" * 400_000
    before = process_time()
    reading = read_report(
        b"<testsuite><testcase><failure>" + words + b"</failure></testcase></testsuite>"
    )
    assert process_time() - before < 10
    assert reading.failed == 1
