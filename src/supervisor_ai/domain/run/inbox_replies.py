"""How a run's owner answers the commands in its inbox."""

from typing import Final, assert_never

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.people import NOBODY, People, Person
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.votes import is_enough, why_not_counted
from supervisor_ai.domain.run.inbox_commands import (
    Approve,
    Cancel,
    Comment,
    EditChange,
    InboxCommand,
    Migrate,
    Reject,
    ReportChild,
    Signal,
)
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.run.values import ApprovalReason

Reply = Approve | Reject | Comment | EditChange
"""What people may say to a question."""
EDITABLE: Final = frozenset(
    {ApprovalReason.RISK, ApprovalReason.HUMAN_GATE, ApprovalReason.COMPLETION}
)
"""The questions about files that a person may change instead of an answer."""


def answer(
    run: Run,
    letter: InboxCommand,
    *,
    person: Person | None = None,
    people: People = NOBODY,
    migration_problems: tuple[str, ...] = (),
) -> e.RunEvent:
    """Turn an inbox command into the fact that it leads to; `person` is its proven sender."""
    command = letter.command
    match command:
        case Cancel(reason=reason):
            return e.CancelRequested(reason=reason)
        case Approve() | Reject() | Comment() | EditChange():
            asked = run.approval
            if asked is None or (asked.step, asked.visit) != (command.step, command.visit):
                return _refused(letter, _not_asked(command))
            if asked.tree != command.tree:
                return _refused(letter, _other_tree(asked, command))
            return _take(run, asked, letter, command, Voter(person=person, people=people))
        case Migrate(definition=definition):
            if migration_problems:
                return e.CommandRefused(letter=letter.key, reason=" ".join(migration_problems))
            return e.DefinitionMigrated(previous=run.definition, definition=definition)
        case ReportChild(child=child, status=status, outcome=outcome):
            if run.children.get(child) in {None, *ENDED}:
                return e.CommandRefused(letter=letter.key, reason=f"{child!r} is no open child.")
            return e.ChildEnded(child=child, status=status, outcome=outcome)
        case Signal(signal=signal):
            return e.SignalReceived(signal=signal)
        case _:
            assert_never(command)


class Voter(Struct, frozen=True, kw_only=True):
    """Who decides, as far as that is proven, among all who may."""

    person: Person | None
    people: People


def shown_of(asked: e.ApprovalRequested) -> ArtifactHash | None:
    """Return what people are shown with a question."""
    return asked.question


def _refused(letter: InboxCommand, reason: str) -> e.CommandRefused:
    return e.CommandRefused(letter=letter.key, reason=reason)


def _not_asked(command: Reply) -> str:
    return f"Visit {command.visit} of step {command.step!r} does not wait for an approval."


def _other_tree(asked: e.ApprovalRequested, command: Reply) -> str:
    return f"The question is about tree {asked.tree!r}, not about {command.tree!r}."


def _take(
    run: Run, asked: e.ApprovalRequested, letter: InboxCommand, command: Reply, voter: Voter
) -> e.RunEvent:
    """Take in what somebody says to the question that is open."""
    name = voter.person.name if voter.person else ""
    match command:
        case Comment():
            return e.CommentMade(
                step=asked.step,
                visit=asked.visit,
                slot=asked.slot,
                number=run.comments + 1,
                tree=asked.tree,
                file=command.file,
                line=command.line,
                text=command.text,
                person=name or letter.actor.id,
                side=command.side,
                quote=command.quote,
            )
        case EditChange(edited=edited) if asked.reason in EDITABLE:
            return e.ChangeEdited(
                step=asked.step,
                visit=asked.visit,
                slot=asked.slot,
                replaced=asked.tree,
                tree=edited.tree,
                commit=edited.commit,
                person=name or letter.actor.id,
            )
        case EditChange():
            why = f"Step {asked.step!r} asks about {asked.reason!r}, which no edit answers."
            return _refused(letter, why)
        case Approve() | Reject():
            why_not = _objection(run, asked, command, voter)
            return _refused(letter, why_not) if why_not else _decided(run, asked, command, name)
        case _:
            assert_never(command)


def _objection(
    run: Run, asked: e.ApprovalRequested, command: Approve | Reject, voter: Voter
) -> str | None:
    """Say why a decision does not count; a no counts from anybody."""
    if command.shown not in {None, shown_of(asked)}:
        return f"What is shown with step {asked.step!r} is not what was decided about."
    if isinstance(command, Reject):
        return None
    if command.completes != _needs_completion(asked):
        if command.completes:
            return f"What step {asked.step!r} asks is not whether the task is complete."
        return f"Step {asked.step!r} waits until the task is completed, not for an approval."
    if command.note is None and _needs_reason(asked):
        return f"What step {asked.step!r} asks about is accepted with a reason only."
    return why_not_counted(asked.assessment, run.votes, voter.person, voter.people)


def _decided(
    run: Run, asked: e.ApprovalRequested, command: Approve | Reject, name: str
) -> e.ApprovalGiven | e.ApprovalCounted | e.ApprovalRefused:
    if isinstance(command, Reject):
        return e.ApprovalRefused(
            step=asked.step,
            visit=asked.visit,
            slot=asked.slot,
            tree=asked.tree,
            note=command.note,
            person=name,
            proof=command.proof,
            shown=command.shown,
        )
    kind = e.ApprovalGiven if is_enough(asked.assessment, run.votes) else e.ApprovalCounted
    return kind(
        step=asked.step,
        visit=asked.visit,
        slot=asked.slot,
        tree=asked.tree,
        note=command.note,
        person=name,
        proof=command.proof,
        shown=command.shown,
    )


def _needs_reason(asked: e.ApprovalRequested) -> bool:
    return asked.needs_reason or asked.reason == ApprovalReason.FINDINGS


def _needs_completion(asked: e.ApprovalRequested) -> bool:
    return asked.reason == ApprovalReason.COMPLETION
