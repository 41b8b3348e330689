"""Heartbeats, progress, and what is said of a member that was silent and is heard of again."""

from supervisor_ai.drivers.team.decisions.overlaps import freeze_overlaps
from supervisor_ai.drivers.team.decisions.silence import awaited_review
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import liveness as e
from supervisor_ai.drivers.team.machines.liveness import HEARTBEAT_EVERY, TeamMember
from supervisor_ai.drivers.team.machines.task import IN_WORK
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.words import IdleStage, SentWord


def heartbeat(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Take a heartbeat; it is written when it changes something, and once a minute."""
    member = turn.state.member(sent.sender)
    state = turn.state
    is_written = state.reconcile.is_open and state.ownership.is_active
    if member is None or not is_written or not _is_news(turn, member, sent):
        return turn.accept(sent.event)
    return _note(turn, member, sent, has_progress=False)


def _is_news(turn: TeamTurn, member: TeamMember, sent: SentEvent) -> bool:
    changes = (
        member.stage is not IdleStage.NONE and awaited_review(turn.state, member) is None,
        sent.wait not in {None, member.wait},
        bool(set(sent.files) - set(member.files)),
        turn.now - member.last_activity_at >= HEARTBEAT_EVERY,
    )
    return any(changes)


def progress(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Take that a member gets on with the work."""
    member = turn.state.member(sent.sender)
    return turn.accept(sent.event) if member is None else _note(turn, member, sent)


def _note(
    turn: TeamTurn, member: TeamMember, sent: SentEvent, *, has_progress: bool = True
) -> Ruling:
    turn.add(
        e.ActivityNoted(
            **turn.by(sent.sender),
            wait=sent.wait or member.wait,
            has_progress=has_progress,
            files=sent.files,
        )
    )
    task = turn.state.task(member.tasks[-1]) if sent.files and member.tasks else None
    if task is not None and task.status in IN_WORK and freeze_overlaps(turn, task):
        return turn.accept("OVERLAP_SCOPE", "It touches files of a task in work: frozen.")
    return turn.accept(sent.event)


def clear_silence(turn: TeamTurn, name: str, word: SentWord | None = None) -> None:
    """Clear the alert of a member that was silent and is heard of again.

    A heartbeat of who waits for a review is no answer of who owes it.
    """
    member = turn.state.member(name)
    if member is None or member.stage is IdleStage.NONE:
        return
    if word is SentWord.HEARTBEAT and awaited_review(turn.state, member) is not None:
        return
    task = member.tasks[-1] if member.tasks else ""
    turn.add(e.IdleCleared(**turn.by(), member=name, task=task))
