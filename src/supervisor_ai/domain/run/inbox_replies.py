"""How a run's owner answers the commands in its inbox."""

from typing import assert_never

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import (
    Approve,
    Cancel,
    InboxCommand,
    Migrate,
    Reject,
    ReportChild,
)
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.run.values import ApprovalReason


def answer(
    run: Run, letter: InboxCommand, *, migration_problems: tuple[str, ...] = ()
) -> e.RunEvent:
    """Turn an inbox command into the fact that it leads to."""
    command = letter.command
    match command:
        case Cancel(reason=reason):
            return e.CancelRequested(reason=reason)
        case Approve() | Reject():
            return _answer_approval(run, letter, command)
        case Migrate(definition=definition):
            if migration_problems:
                return e.CommandRefused(letter=letter.key, reason=" ".join(migration_problems))
            return e.DefinitionMigrated(previous=run.definition, definition=definition)
        case ReportChild(child=child, status=status, outcome=outcome):
            if run.children.get(child) in {None, *ENDED}:
                return e.CommandRefused(letter=letter.key, reason=f"{child!r} is no open child.")
            return e.ChildEnded(child=child, status=status, outcome=outcome)
        case _:
            assert_never(command)


def _answer_approval(run: Run, letter: InboxCommand, command: Approve | Reject) -> e.RunEvent:
    asked = run.approval
    if asked is None or (asked.step, asked.visit) != (command.step, command.visit):
        reason = f"Visit {command.visit} of step {command.step!r} does not wait for an approval."
        return e.CommandRefused(letter=letter.key, reason=reason)
    if asked.tree != command.tree:
        reason = f"The question is about tree {asked.tree!r}, not about {command.tree!r}."
        return e.CommandRefused(letter=letter.key, reason=reason)
    if isinstance(command, Approve) and command.note is None and _needs_reason(asked):
        reason = f"What the gates of step {asked.step!r} found is accepted with a reason only."
        return e.CommandRefused(letter=letter.key, reason=reason)
    if isinstance(command, Approve):
        return e.ApprovalGiven(
            step=asked.step,
            visit=asked.visit,
            slot=asked.slot,
            tree=asked.tree,
            note=command.note,
        )
    return e.ApprovalRefused(
        step=asked.step, visit=asked.visit, slot=asked.slot, tree=asked.tree, note=command.note
    )


def _needs_reason(asked: e.ApprovalRequested) -> bool:
    return asked.reason == ApprovalReason.FINDINGS
