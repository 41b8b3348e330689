"""How runners are asked for reports, and what reports and output say together."""

import shlex
from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import HEAD, MemoryCommits

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import (
    CaseOutcome,
    CaseResult,
    Reading,
    ReportQuestion,
    ReportRequest,
)
from supervisor_ai.gates.runners.combination import whole_reading, writer
from supervisor_ai.gates.runners.report_request import make_request
from supervisor_ai.gates.runners.test_results import read

PLACE = "/state/a b/reports"
QUESTION = ReportQuestion(command=("pytest",), commit=HEAD, root="/state/tree", place=PLACE)
JUNIT = f"--junitxml={PLACE}/pytest.xml"


ALL = replace(QUESTION, keeps_going=True)


def set_before(**environment: str) -> ReportQuestion:
    return replace(QUESTION, environment=environment)


def request(
    command: str, files: Mapping[str, str] | None = None, question: ReportQuestion = QUESTION
) -> ReportRequest:
    commits = MemoryCommits(base={}, head=dict(files or {}))
    return make_request(replace(question, command=tuple(shlex.split(command))), commits)


def test_pytest_is_asked_by_a_variable_besides_what_is_set() -> None:
    asked = request("make test", question=set_before(PYTEST_ADDOPTS="-q"))
    options = shlex.split(asked.environment["PYTEST_ADDOPTS"])
    assert options[:2] == ["-q", JUNIT]
    assert "--continue-on-collection-errors" not in options
    assert asked.argv == ("make", "test")
    assert "NODE_OPTIONS" not in asked.environment
    asked = request("pytest", question=ALL)
    assert "--continue-on-collection-errors" in shlex.split(asked.environment["PYTEST_ADDOPTS"])
    assert "PYTEST_ADDOPTS" not in request("pytest -p no:junitxml").environment


def test_who_asks_for_nothing_gets_the_command_as_it_is() -> None:
    asked = request("go test ./...", question=replace(QUESTION, place=None))
    assert (asked.argv, asked.environment) == (("go", "test", "./..."), {})
    assert asked.runners == ("go test",)


def test_runners_of_node_are_asked_by_a_program_that_they_load() -> None:
    asked = request("npx jest", question=set_before(NODE_OPTIONS="--no-warnings"))
    assert asked.environment["NODE_OPTIONS"].startswith('--no-warnings --require="/')
    assert asked.environment["SUPERVISOR_REPORTS"] == PLACE
    assert "--test-reporter" not in asked.environment["NODE_OPTIONS"]
    assert [path.rpartition("/")[2] for path in asked.programs] == [
        "node_reports.cjs",
        "node_test_reporter.cjs",
    ]
    asked = request("node --test")
    assert f'--test-reporter-destination="{PLACE}/node.out"' in asked.environment["NODE_OPTIONS"]
    asked = request("node --test --test-reporter=dot")
    assert "--test-reporter" not in asked.environment["NODE_OPTIONS"]


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("go test ./...", "go test -v ./..."),
        ("go test -json ./...", "go test -json ./..."),
        ("python -m unittest discover -s x", "python -m unittest discover -v -s x"),
        ("python -m unittest test_a", "python -m unittest -v test_a"),
        ("python -m unittest --verbose", "python -m unittest --verbose"),
        ("cargo test --all", "cargo test --no-fail-fast --all"),
        ("cargo nextest run", "cargo nextest run --no-fail-fast"),
        ("make test", "make test"),
    ],
)
def test_runners_without_such_variables_are_asked_by_words(command: str, argv: str) -> None:
    assert request(command, question=ALL).argv == tuple(argv.split())


def test_go_behind_a_script_is_asked_by_its_flags() -> None:
    files = {"Makefile": "test:\n\tgo test ./...\n"}
    assert request("make test", files).environment["GOFLAGS"] == "-v"
    given = request("make test", files, set_before(GOFLAGS="-mod=mod"))
    assert given.environment["GOFLAGS"] == "-mod=mod -v"
    assert "GOFLAGS" not in request("go test ./...").environment


@pytest.mark.parametrize(
    ("name", "runner"),
    [
        ("pytest.xml", "pytest"),
        ("jest-12.json", "jest"),
        ("node-1.json", "node --test"),
        ("node.out", None),
        ("x.json", None),
    ],
)
def test_reports_are_known_by_the_names_that_we_gave_them(name: str, runner: str | None) -> None:
    assert writer(name) == runner


ASKED = ReportRequest(argv=("make", "test"), runners=("pytest",))
GOOD = CaseResult("a.py::test_a", CaseOutcome.PASSED)
BAD = CaseResult("a.py::test_b", CaseOutcome.FAILED, "why")
LEFT = CaseResult("a.py::test_c", CaseOutcome.SKIPPED)


@pytest.mark.parametrize(
    ("output", "reports", "request_made", "is_unfinished"),
    [
        ("", [], ASKED, True),
        ("python3 -m pytest -q\n", [], ASKED, True),
        ("..", [], ASKED, True),
        ("Success: no issues found in 1 source file", [], ASKED, True),
        ("== test session starts ==\ncollected 2 items\n", [], ASKED, True),
        ("== test session starts ==\n", [], replace(ASKED, runners=()), True),
        ("== test session starts ==\n2 passed in 0.1s", [], ASKED, False),
        ("", [Reading(tests=2)], ASKED, False),
        ("", [], replace(ASKED, runners=()), False),
        ("[INFO] BUILD SUCCESS", [], ASKED, False),
        ("ok  \tx\t0.1s", [], ASKED, False),
    ],
)
def test_a_runner_that_was_to_run_and_has_no_end_is_found(
    output: str, reports: list[Reading], request_made: ReportRequest, *, is_unfinished: bool
) -> None:
    found = whole_reading(read(output), reports, request_made)
    assert found.is_unfinished is is_unfinished


def test_reports_are_believed_and_the_output_is_not_forgotten() -> None:
    said = read("1 failed in 0.2s\nNo module named 'x'")
    report = Reading(tests=2, failed=1, results=(BAD, LEFT))
    other = Reading(tool="the test report", tests=1, failed=0, results=(GOOD,), failing="f")
    found = whole_reading(said, [report, other], ASKED)
    assert (found.tests, found.failed, found.skipped) == (2, 1, 1)
    assert found.results == (GOOD, BAD, LEFT)
    assert found.failing_tests == (BAD.name,)
    assert found.tool == "pytest"
    assert found.missing == said.missing != ()


def test_a_test_that_was_tried_again_is_one_test() -> None:
    report = Reading(tests=5, results=(GOOD, BAD))
    assert whole_reading(read(""), [report], ASKED).tests == 2
    assert whole_reading(read(""), [replace(report, results=())], ASKED).tests == 5


def test_a_report_that_another_run_wrote_over_does_not_hide_the_first() -> None:
    said = read("2 passed in 0.1s\n1 passed in 0.2s\n")
    assert whole_reading(said, [Reading(tests=1, results=(GOOD,))], ASKED).tests == 3


def test_nothing_to_do_is_told_unless_something_ran() -> None:
    nothing = "make: Nothing to be done for 'test'.\n"
    asked = replace(ASKED, runners=())
    assert whole_reading(read(nothing), [], asked).is_idle
    assert whole_reading(read("make: 'test' is up to date."), [], asked).is_idle
    assert not whole_reading(read(f"{nothing}2 passed in 0.1s"), [], asked).is_idle
    assert whole_reading(read("7 passed in 0.1s"), [], replace(asked, is_idle=True)).is_idle


def test_parts_of_a_project_write_reports_of_their_own() -> None:
    script = "env -C a python3 -m pytest && env -C b/c python3 -m pytest"
    asked = request(shlex.join(("sh", "-c", script)))
    options = shlex.split(asked.environment["PYTEST_ADDOPTS"])
    assert options[0].endswith("/pytest$SUPERVISOR_PART.xml")
    assert asked.argv[2] == (
        "env -C a SUPERVISOR_PART=-1 python3 -m pytest"
        " && env -C b/c SUPERVISOR_PART=-2 python3 -m pytest"
    )
    assert request("sh -c pytest").argv == ("sh", "-c", "pytest")
