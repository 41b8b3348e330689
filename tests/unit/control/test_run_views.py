"""What faces are told about runs."""

import msgspec
import pytest
from inline_snapshot import snapshot
from tests.unit.control.run_rows import FakeQueries, queries, records

from supervisor_ai.cli.output import encode
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import list_runs, show_run
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace

__all__ = ["FakeQueries", "queries", "records"]


def test_a_run_has_exactly_the_fields_of_the_contract(records: Records) -> None:
    assert msgspec.json.decode(encode(show_run(records, "r2c"))) == snapshot(
        {
            "id": "r2c",
            "task": "Task of r2c",
            "driver": "workflow",
            "workflow": "standard",
            "status": "running",
            "outcome": None,
            "degraded": False,
            "parent": None,
            "base": {"ref": "main", "sha": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
            "branch": "ai/r2c",
            "commit": None,
            "created_at": "2030-01-02T03:04:05Z",
            "updated_at": "2030-01-02T03:04:05Z",
            "active_steps": ["test"],
            "steps": [
                {
                    "step": "plan",
                    "role": "planner",
                    "status": "passed",
                    "visits": 1,
                    "attempts": 1,
                    "last_verdict": "COMPLETE",
                },
                {
                    "step": "test",
                    "role": None,
                    "status": "running",
                    "visits": 2,
                    "attempts": 0,
                    "last_verdict": "failed",
                },
            ],
            "usage": {"tokens_in": 3, "tokens_out": 4, "cost": 0.25, "estimated": True},
        }
    )


def test_an_outcome_has_a_kind_and_a_reason(records: Records, queries: FakeQueries) -> None:
    outcome = Outcome(kind=OutcomeKind.GATE_FAILED, reason="Step 'test' did not pass.")
    queries.rows[2] = replace(queries.rows[2], status=RunStatus.FAILED, outcome=outcome)
    shown = msgspec.json.decode(encode(show_run(records, "r2c")))
    assert shown["outcome"] == {"kind": "gate_failed", "reason": "Step 'test' did not pass."}


def test_an_erased_task_is_said_to_be_erased(records: Records) -> None:
    row = records.find("r2c")
    records.artifacts.erase(row.task)
    assert show_run(records, "r2c").task == "[erased]"


def test_a_run_is_found_by_the_beginning_of_its_name(records: Records) -> None:
    assert records.find("r1a").id == "r1a"
    assert records.find("r2").id == "r2c"
    with pytest.raises(InvalidInput, match=r"'r1' is the beginning of 2 runs: r1a, r1b\."):
        records.find("r1")


@pytest.mark.parametrize("name", ["r3", ""])
def test_an_unknown_run_is_named_in_the_refusal(records: Records, name: str) -> None:
    with pytest.raises(NotFound, match=f"There is no run '{name}' in this project."):
        records.find(name)


def test_the_newest_run_needs_no_name(records: Records, queries: FakeQueries) -> None:
    assert records.find("last").id == "r1a"
    queries.rows.clear()
    with pytest.raises(NotFound, match="There is no run in this project yet"):
        records.find("last")


def test_a_list_says_how_many_runs_it_leaves_out(records: Records) -> None:
    listed = list_runs(records, limit=2)
    assert [run.id for run in listed.runs] == ["r1a", "r1b"]
    assert (listed.total, listed.is_truncated) == (3, True)
    assert not list_runs(records, limit=3).is_truncated
