"""A run that asks a person."""

from typing import Final

from tests.unit.control.gate_facts import TEST, WHEN

from supervisor_ai.control.ports.queries import ApprovalRow
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import ApprovalReason

ASKED: Final = ApprovalRow(
    step=TEST,
    visit=1,
    reason=ApprovalReason.FINDINGS,
    tree=TreeSha("t"),
    commit=CommitSha("c"),
    question=None,
    asked_at=WHEN,
    is_approved=None,
    answered_by=None,
    answered_at=None,
)
