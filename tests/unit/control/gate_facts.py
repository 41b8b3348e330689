"""A run with gates, for what is told of them."""

from datetime import UTC, datetime
from typing import Final

from supervisor_ai.control.ports.queries import GateRow
from supervisor_ai.domain.ids import CommitSha, RunId, StepName

RUN: Final = RunId("r1")
TEST: Final = StepName("test")
WHEN: Final = datetime(2030, 1, 1, tzinfo=UTC)
LINT: Final = GateRow(
    step=TEST,
    visit=1,
    gate="lint",
    snapshot=CommitSha("c"),
    verdict=None,
    reason=None,
    output=None,
    started_at=WHEN,
    ended_at=None,
)
