"""The question that a run waits with, and where letters about it go."""

from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import LetterKey
from supervisor_ai.domain.run.inbox_commands import Command, InboxCommand
from supervisor_ai.domain.run.status import ENDED


def pending_question(project: OpenProject, row: RunRow) -> ApprovalRow:
    """Return the question that a run waits with; raise Conflict where there is none."""
    if row.status not in ENDED:
        for asked in project.records.queries.approvals(row.id):
            if asked.answered_at is None:
                return asked
    raise Conflict(
        f"Run {row.id!r} does not wait for an approval: it is {row.status.value}.",
        hint=f"See what it does: supervisor status {row.id}",
    )


def send_letter(project: OpenProject, row: RunRow, key: str, command: Command) -> bool:
    """Put a command into a run's inbox; False: it lies there already."""
    return project.world.inbox.put(
        InboxCommand(
            key=LetterKey(key),
            run=row.id,
            command=command,
            actor=project.actor,
            sent_at=project.world.clock.now(),
        )
    )
