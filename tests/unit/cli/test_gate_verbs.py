"""What `supervisor gate` prints, and how it exits."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.unit.control.gate_place import FINDING, Place, fails, missing

from supervisor_ai.cli.commands.definitions.gate import gate, shown_gates
from supervisor_ai.control.ports.definitions import GateSummary
from supervisor_ai.control.ports.queries import ClaimsRow
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.engine.ports.gates import ChangeFacts


@dataclass
class Queries:
    """What was found false in workers' reports."""

    rows: Sequence[ClaimsRow]

    def claims(self) -> Sequence[ClaimsRow]:
        return self.rows


@dataclass
class Ledger:
    """As much of the records as the verb needs."""

    queries: Queries


@dataclass
class Call:
    """As much of an invocation as the verbs need."""

    place: Place = field(default_factory=Place)
    ledger: Ledger | None = None
    directory: Path = Path()

    def preflight(self) -> object:
        return self.place.preflight

    def project(self) -> Place:
        return self.place

    def records(self) -> Ledger | None:
        return self.ledger

    def __call__(self, *arguments: str) -> Result:
        return CliRunner().invoke(gate, arguments, obj=self, standalone_mode=False)


@pytest.mark.parametrize(
    ("place", "code", "verdict"),
    [
        (Place(), 0, "passed"),
        (Place(fails), 1, "failed"),
        (Place(missing), 6, "not_run"),
    ],
)
def test_the_exit_code_is_the_verdict(place: Place, code: int, verdict: str) -> None:
    result = Call(place)("check", "test", "--json")
    assert result.return_value == code
    assert json.loads(result.stdout)["check"]["verdict"] == verdict


def test_findings_are_named() -> None:
    place = Place()
    place.finding(FINDING)
    result = Call(place)("check", "test_integrity", "--head", "main", "--base", "old", "--tdd")
    assert result.return_value == 1
    assert "error     test_deleted  t.py:3" in result.stdout
    result = Call(place)("check", "test_integrity", "--may-change", "tests", "--json")
    [found] = json.loads(result.stdout)["check"]["findings"]
    assert found == {
        "rule": "test_deleted",
        "message": "It is gone.",
        "file": "t.py",
        "line": 3,
        "subject": None,
        "severity": "error",
    }


def test_an_answer_is_read_from_a_file(tmp_path: Path) -> None:
    place = Place()
    answer = '{"files_created": [], "files_modified": [], "tests_written": []}'
    (tmp_path / "answer.json").write_text(answer)
    call = Call(place, directory=tmp_path)
    assert call("check", "claims", "--answer", "answer.json").return_value == 0
    [(_, case)] = place.fakes.examiner.seen
    assert case.answer == answer


@pytest.mark.parametrize("name", ["nowhere.json", ".", "large.json"])
def test_what_is_no_answer_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "large.json").write_text(" " * ((1 << 20) + 1))
    result = Call(directory=tmp_path)("check", "claims", "--answer", name)
    assert isinstance(result.exception, InvalidInput)
    assert repr(name) in result.exception.message


def test_gates_are_listed_with_what_they_do() -> None:
    call = Call()
    listed = {
        "test": GateSummary(
            name="test",
            description="The tests pass",
            kind="command",
            command=("make", "test"),
            origin="project",
        ),
        "lint": GateSummary(name="lint", description="No lint", kind="command", missing="write it"),
        "claims": GateSummary(
            name="claims", description="It is there", kind="claims", policy="ask", is_enabled=False
        ),
        "mutation": GateSummary(
            name="mutation",
            description="Faults are noticed",
            kind="mutation",
            command=("make", "test"),
            policy="warn",
            origin="built-in",
        ),
    }
    call.place.shelf.summaries = list(listed.values())
    assert call("list").stdout.splitlines() == [
        "GATE      KIND      POLICY  ORIGIN    DOES",
        "test      command           project   make test",
        "lint      command                     not configured; write it",
        "claims    claims    off               It is there",
        "mutation  mutation  warn    built-in  Faults are noticed",
    ]
    found = json.loads(call("list", "--json").stdout)["gates"]
    assert [(it["name"], it["missing"]) for it in found][:2] == [
        ("test", None),
        ("lint", "write it"),
    ]


def test_on_a_narrow_terminal_what_to_write_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        GateSummary(name="lint", description="", kind="command", missing="write it all down"),
        GateSummary(name="claims", description="It is all there", kind="claims"),
    ]
    monkeypatch.setenv("COLUMNS", "56")
    assert shown_gates(found) == [
        "GATE    KIND     POLICY  ORIGIN  DOES",
        "lint    command                  not configured; write",
        "                                 it all down",
        "claims  claims                   It is all there",
    ]


def test_false_reports_are_counted_by_role_and_agent() -> None:
    row = ClaimsRow(
        role="implementer", cli="claude", attempts=9, refuted=2, files=3, tests=1, commits=0
    )
    call = Call(ledger=Ledger(Queries([row])))
    assert call("claims").stdout.splitlines() == [
        "ROLE         AGENT   ATTEMPTS  REFUTED  FILES  TESTS  COMMITS",
        "implementer  claude  9         2        3      1      0",
    ]
    assert json.loads(call("claims", "--json").stdout) == {
        "claims": [
            {
                "role": "implementer",
                "cli": "claude",
                "attempts": 9,
                "refuted": 2,
                "files": 3,
                "tests": 1,
                "commits": 0,
            }
        ]
    }


def test_where_nobody_has_reported_anything_that_is_said() -> None:
    result = Call()("claims")
    assert (result.return_value, result.stdout) == (0, "")
    assert result.stderr == "No worker has reported anything yet.\n"


def test_facts_are_shown_as_a_table_and_as_json() -> None:
    call = Call()
    facts = (Fact(name="file_count", value=2), Fact(name="changes_ci", value=None))
    call.place.fakes.examiner.known = ChangeFacts(facts=facts)
    assert "unknown" in call("check", "facts").output
    told = json.loads(call("check", "facts", "--json").output)["facts"]
    assert told["facts"] == [
        {"name": "file_count", "value": 2},
        {"name": "changes_ci", "value": None},
    ]
    assert (told["evidence"], told["breaks"]) == ([], [])


def test_facts_run_nothing_that_could_take_more_options() -> None:
    refused = Call()("check", "facts", "--tdd").exception
    assert isinstance(refused, InvalidInput)
    assert "runs no gate" in refused.message
