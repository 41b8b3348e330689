"""Overriding a block: a person's yes, with a reason, proven as every approval is."""

from msgspec import Struct

from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.control.commands.decisions.open_questions import pending_question
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.control.sessions.desk import open_desk, require_session
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.drivers.checkpoint.kinds import BLOCK
from supervisor_ai.drivers.checkpoint.queries.runs import unfinished_for


class Override(Struct, frozen=True, kw_only=True):
    """A person's wish that a pipeline goes on although a checkpoint blocked it."""

    session: str
    task: str
    reason: str | None
    claimed: str | None = None
    """Who the person says to be."""


def override_block(project: OpenProject, wish: Override, *, dry_run: bool = False) -> MutationView:
    """Answer the question that a blocked checkpoint asks; the run's owner takes the answer in."""
    row = blocked_run(project, wish.session, wish.task)
    if not (wish.reason or "").strip():
        raise InvalidInput(
            "A checkpoint that blocks is overridden with a reason.",
            hint='Say why the work goes on: --reason "…"',
        )
    decision = PersonsDecision(is_approval=True, words=wish.reason, claimed=wish.claimed)
    return judge(project, row.id, decision, dry_run=dry_run)


def blocked_run(project: OpenProject, session: str, task: str) -> RunRow:
    """Find the run that asks about a blocked checkpoint; raise Conflict where none does."""
    name: SessionId = require_session(open_desk(project), session)
    row = unfinished_for(project.records, name)
    if row is None:
        raise Conflict(
            f"Nobody watches over session {name!r}.",
            hint=f"Start a supervisor: supervisor checkpoint serve {name}",
        )
    asked = pending_question(project, row)
    if asked.reason != BLOCK or asked.step != task:
        raise Conflict(
            f"{task!r} does not block: run {row.id!r} asks about step {asked.step!r}.",
            hint=f"See what it asks: supervisor status {row.id}",
        )
    return row
