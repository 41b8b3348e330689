"""What an entry of the log is about, in one line."""

from typing import Final

from tests.unit.control.gate_facts import WHEN

from supervisor_ai.cli.commands.runs.logs import heading
from supervisor_ai.cli.tables import local_time
from supervisor_ai.control.queries.logs import LogKind, RunLogEntry
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.structs import replace

CLAIMS: Final = RunLogEntry(
    kind=LogKind.GATE,
    step=StepName("implement-guard"),
    visit=2,
    attempt=None,
    by="claims",
    status="failed",
    reason="Found:\nfalse_file_claim.",
    started_at=WHEN,
    ended_at=WHEN,
    sent=None,
    came_back=None,
    answer=None,
)


def test_a_gate_has_a_name() -> None:
    assert heading(CLAIMS) == (
        f"implement-guard visit 2, gate claims, {local_time(WHEN)}, "
        "failed: Found: false_file_claim."
    )


def test_an_attempt_is_somebodys() -> None:
    tried = replace(CLAIMS, kind=LogKind.ATTEMPT, attempt=1, by="ada (me)", reason=None)
    assert "visit 2 attempt 1, attempt by ada (me), " in heading(tried)
    unanswered = replace(CLAIMS, kind=LogKind.APPROVAL, by=None)
    assert "visit 2, approval, " in heading(unanswered)
