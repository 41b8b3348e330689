"""Parents and children: runs that start, stop and report to each other."""

from datetime import datetime

from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import LetterKey, RunId
from supervisor_ai.domain.run.effects import StartRun
from supervisor_ai.domain.run.events import ChildCancelRequested, ChildStarted, RunSubmitted
from supervisor_ai.domain.run.inbox_commands import Cancel, InboxCommand, ReportChild
from supervisor_ai.domain.run.run import Ending
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.ports.ledger import Wake


def start_child(journal: Journal, effect: StartRun, *, child: RunId) -> None:
    """Submit a child run in the parent's own commit."""
    parent = journal.run
    base = effect.base or parent.birth.base
    birth = RunSubmitted(
        task=effect.task,
        driver=effect.driver,
        workflow=effect.workflow,
        definition=effect.definition,
        base=base,
        branch=f"ai/{child}" if base else None,
        identity=parent.birth.identity,
        parent=parent.id,
        root=parent.birth.root,
        sandbox=parent.birth.sandbox,
        overseer=parent.birth.overseer,
    )
    started = ChildStarted(step=effect.step, visit=effect.visit, slot=effect.slot, child=child)
    journal.stage(started)
    journal.submit(child, birth)


def cancel_child(journal: Journal, child: RunId, *, now: datetime) -> None:
    """Ask a child run to stop, in the parent's own commit."""
    journal.stage(ChildCancelRequested(child=child))
    journal.send(_letter(journal, to=child, kind="cancel", command=Cancel(), now=now))


def report_to_parent(journal: Journal, ending: Ending, *, now: datetime) -> None:
    """Tell the parent how its child ended, in the child's own commit."""
    run = journal.run
    if run.birth.parent is None:
        return
    report = ReportChild(child=run.id, status=ending.status, outcome=ending.outcome)
    journal.send(_letter(journal, to=run.birth.parent, kind="ended", command=report, now=now))


def _letter(
    journal: Journal, *, to: RunId, kind: str, command: Cancel | ReportChild, now: datetime
) -> InboxCommand:
    sender = journal.run.id
    journal.wake(Wake(run=to, number=_letter_wake(journal)))
    return InboxCommand(
        key=LetterKey(f"{kind}:{sender}:{to}"),
        run=to,
        command=command,
        actor=Actor(kind=ActorKind.RUNTIME, id=sender, via="engine", verified=True),
        sent_at=now,
    )


def _letter_wake(journal: Journal) -> int:
    """Number the wake after the sender's place in its own stream, so that each command has one."""
    return journal.version
