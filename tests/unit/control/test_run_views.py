"""What faces are told about runs."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from inline_snapshot import snapshot
from tests.unit.control.run_rows import FakeQueries, queries, records

from supervisor_ai.cli.output import encode
from supervisor_ai.control.ports.queries import OwnerRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import list_runs, show_run
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import RunId
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
            "interrupted": True,
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


def test_a_run_is_found_by_either_end_of_its_name(records: Records) -> None:
    assert records.find("r1a").id == "r1a"
    assert records.find("r2").id == "r2c"
    assert records.find("1b").id == "r1b"
    found = r"'r1' is the beginning or the end of 2 runs: r1a, r1b\."
    with pytest.raises(InvalidInput, match=found):
        records.find("r1")


@pytest.mark.parametrize(
    ("others", "enough"),
    [((), "r7kq2"), (("r7kq20000001",), "1zb9"), (("r7kq20000001", "rxxxx0001zb9"), "a01zb9")],
)
def test_a_short_name_names_no_other_run(
    records: Records, queries: FakeQueries, others: tuple[str, ...], enough: str
) -> None:
    names = ("r7kq20a01zb9", *others)
    queries.rows[:] = [replace(queries.rows[0], id=RunId(it)) for it in names]
    assert records.short_name(RunId(names[0])) == enough
    assert records.find(enough).id == names[0]


ALIVE = OwnerRow(owner="ann", epoch=1, is_alive=True)
DEAD = replace(ALIVE, is_alive=False)
MOMENT = datetime(2030, 1, 2, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "owner", "rests", "interrupted"),
    [
        (RunStatus.RUNNING, ALIVE, None, False),
        (RunStatus.RUNNING, DEAD, None, True),
        (RunStatus.RUNNING, None, None, True),
        (RunStatus.RUNNING, None, timedelta(), False),
        (RunStatus.RUNNING, DEAD, timedelta(), True),
        (RunStatus.RUNNING, None, timedelta(minutes=1), True),
        (RunStatus.WAITING, None, None, False),
        (RunStatus.QUEUED, None, None, False),
        (RunStatus.COMPLETED, None, None, False),
    ],
)
def test_a_run_that_should_go_on_and_nobody_drives_is_interrupted(
    records: Records,
    queries: FakeQueries,
    status: RunStatus,
    owner: OwnerRow | None,
    rests: timedelta | None,
    interrupted: bool,  # noqa: FBT001 - one of a row's cells
) -> None:
    until = None if rests is None else MOMENT - rests
    row = queries.rows[2] = replace(queries.rows[2], status=status, rests_until=until)
    queries.driven.update({} if owner is None else {row.id: owner})
    records = replace(records, now=lambda: MOMENT)
    assert show_run(records, row.id).interrupted is interrupted
    queries.rows[2] = replace(row, has_children=True)
    assert not show_run(records, row.id).interrupted


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
