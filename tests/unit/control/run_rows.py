"""Rows of runs, and a fake of the queries that return them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.control.ports.queries import (
    ApprovalRow,
    AttemptRow,
    ClaimsRow,
    CommentRow,
    GateRow,
    NoticeRow,
    OwnerRow,
    RunRow,
    StepRow,
)
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.run.status import ENDED, RunStatus, StepStatus
from supervisor_ai.domain.run.values import Base, Usage
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

MOMENT: Final = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
STEPS: Final = (
    StepRow(
        step=StepName("plan"),
        role="planner",
        status=StepStatus.PASSED,
        visits=1,
        attempts=1,
        last_verdict="COMPLETE",
    ),
    StepRow(
        step=StepName("test"),
        role=None,
        status=StepStatus.RUNNING,
        visits=2,
        attempts=0,
        last_verdict="failed",
    ),
)


def run_row(name: str, task: ArtifactHash) -> RunRow:
    return RunRow(
        id=RunId(name),
        task=task,
        driver="workflow",
        workflow="standard",
        status=RunStatus.RUNNING,
        outcome=None,
        degraded=False,
        parent=None,
        root=RunId(name),
        base=Base(ref="main", sha=CommitSha("b" * 40), tree=TreeSha("e" * 40)),
        branch=f"ai/{name}",
        commit=None,
        created_at=MOMENT,
        updated_at=MOMENT,
        usage=Usage(tokens_in=3, tokens_out=4, cost=Decimal("0.25"), estimated=True),
    )


@dataclass
class FakeQueries:
    """Rows that a test wrote down."""

    rows: list[RunRow] = field(default_factory=list)
    asked: list[ApprovalRow] = field(default_factory=list)
    said: list[CommentRow] = field(default_factory=list)
    sent: list[InboxCommand] = field(default_factory=list)
    judged: list[GateRow] = field(default_factory=list)
    tried: list[AttemptRow] = field(default_factory=list)
    visited: Sequence[StepRow] = STEPS
    driven: dict[RunId, OwnerRow] = field(default_factory=dict)
    elsewhere: dict[RunId, list[AttemptRow]] = field(default_factory=dict)
    told: list[NoticeRow] = field(default_factory=list)

    def runs_of(self, driver: str) -> Sequence[RunRow]:
        return [row for row in self.rows if row.driver == driver]

    def children(self, run: RunId) -> Sequence[RunRow]:
        return [row for row in self.rows if row.parent == run]

    def runs(self, *, limit: int) -> tuple[Sequence[RunRow], int]:
        return self.rows[:limit], len(self.rows)

    def run(self, run: RunId) -> RunRow | None:
        return next((row for row in self.rows if row.id == run), None)

    def matching(self, part: str) -> Sequence[RunId]:
        return [row.id for row in self.rows if part in {row.id[: len(part)], row.id[-len(part) :]}]

    def steps(self, run: RunId) -> Sequence[StepRow]:
        del run
        return self.visited

    def attempts(self, run: RunId) -> Sequence[AttemptRow]:
        return self.elsewhere.get(run, self.tried)

    def gates(self, run: RunId) -> Sequence[GateRow]:
        del run
        return self.judged

    def approvals(self, run: RunId) -> Sequence[ApprovalRow]:
        del run
        return self.asked

    def notices(self, run: RunId | None = None, *, limit: int) -> Sequence[NoticeRow]:
        found = [row for row in self.told if run in (None, row.run)]
        return found[:limit]

    def claims(self) -> Sequence[ClaimsRow]:
        return ()

    def waiting(self) -> Sequence[RunId]:
        return [row.id for row in self.rows if row.status not in ENDED]

    def letters(self, run: RunId) -> Sequence[InboxCommand]:
        del run
        return self.sent

    def comments(self, run: RunId) -> Sequence[CommentRow]:
        del run
        return self.said

    def owner(self, run: RunId) -> OwnerRow | None:
        return self.driven.get(run)


@pytest.fixture
def queries() -> FakeQueries:
    return FakeQueries()


@pytest.fixture
def records(queries: FakeQueries) -> Records:
    artifacts = MemoryArtifacts()
    for name in ("r1a", "r1b", "r2c"):
        queries.rows.append(run_row(name, artifacts.put(f"Task of {name}")))
    return Records(
        ledger=Path("/repository/.supervisor/state.db"),
        queries=queries,
        log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )
