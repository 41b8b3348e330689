"""What a run asks a person, and how the person can answer."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.narration import short
from supervisor_ai.control.records import Records
from supervisor_ai.control.views import RunView
from supervisor_ai.domain.run.facts import ApprovalReason
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.terminal import plain

_LENGTH: Final = 2_000

Rows = Iterator[tuple[str, str]]


def question(invocation: Invocation, records: Records, run: RunView) -> Rows:
    """Show the question that a run waits with, if it does."""
    unanswered = [row for row in records.queries.approvals(run.id) if row.is_approved is None]
    if not unanswered or run.status in ENDED:
        return
    asked = unanswered[0]
    yield "waits", f"for a person at step {asked.step}, about tree {asked.tree}"
    if asked.reason is ApprovalReason.BLOCKED and asked.question is not None:
        yield "asks", plain(records.text(asked.question)).strip()[:_LENGTH]
    if run.base is not None and run.base.sha != asked.commit:
        yield "look", f"{invocation.git} diff {short(run.base.sha)} {short(asked.commit)}"
    yield "yes", f"{invocation.command} approve {run.id}"
    yield "no", f'{invocation.command} reject {run.id} --reason "…"'
