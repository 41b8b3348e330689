"""How a team ends: requests, rounds, both paths to readiness, and the safe failure."""

from typing import Final

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.decisions.turn import TeamTurn, refuse
from supervisor_ai.drivers.team.event_kinds import teardown as e
from supervisor_ai.drivers.team.machines.teardown import (
    ACK_RETRY_ROUNDS,
    FINALIZE_WAIT,
    ROUND,
    Teardown,
    TeardownStatus,
)
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import RefusalCode

_STARTS: Final = frozenset({TeardownStatus.NONE, TeardownStatus.TEARDOWN_FAILED_SAFE})
_STANDS: Final = {TeardownStatus.NONE: "its teardown was not begun"}
_NOT_ASKED: Final = frozenset({TeamRole.LEAD, TeamRole.SUPERVISOR})
"""The Lead asks; the supervisor stops last."""


def begin(turn: TeamTurn, by: str) -> Ruling:
    """Ask everybody on the roster to stop."""
    state = turn.state
    if state.teardown.status not in _STARTS:
        return turn.accept(state.teardown.status, "The team is being torn down already.")
    if not state.reconcile.is_open:
        return Ruling(
            accepted=False,
            event="TEARDOWN_BLOCKED",
            code=RefusalCode.RECONCILE_LOCK,
            reason=f"{state.lock.word} holds: settle it first.",
        )
    targets = tuple(sorted(it.name for it in state.roster() if it.role not in _NOT_ASKED))
    attempt = state.teardown.attempt + 1
    turn.add(e.TeardownBegun(**turn.by(by), attempt=attempt, targets=targets))
    turn.add(e.ShutdownRequested(**turn.by(), targets=targets))
    turn.add(e.AcksAwaited(**turn.by()))
    _say_blocked(turn)
    blocked = "; ".join(turn.state.teardown.blocked)
    first = f" First {blocked}: let them be done, or cancel them." if blocked else ""
    told = f"{len(targets)} members were asked to stop.{first}"
    return turn.accept(turn.state.teardown.status, told)


def acknowledge_shutdown(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Count an acknowledgement; a late or a second one changes nothing."""
    teardown = turn.state.teardown
    if not teardown.is_waiting:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, "Nobody was asked to stop.")
    if sent.sender in teardown.acks or sent.sender not in teardown.targets:
        return turn.accept(sent.event, "It was taken before.")
    turn.add(e.ShutdownAcknowledged(**turn.by(sent.sender)))
    return turn.accept(sent.event)


def approve_finalize(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let the team end without all acknowledgements, only after the rounds and explicitly."""
    teardown = turn.state.teardown
    if teardown.candidate_at is None or not teardown.is_waiting:
        told = "No forced finalize was proposed: the rounds are not over."
        return refuse(sent, RefusalCode.NOT_POSSIBLE, told)
    if blockers(turn.state):
        turn.add(e.TeardownFailed(**turn.by(), reason="; ".join(blockers(turn.state))))
        return turn.accept("TEARDOWN_FAILED_SAFE", turn.state.teardown.reason)
    turn.add(e.FinalizeApproved(**turn.by(sent.sender), missing=teardown.missing))
    return turn.accept(sent.event, "ACK_STATUS=FORCED_FINALIZE_APPROVED")


def refuse_finalize(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Keep the team, as the Lead says."""
    if turn.state.teardown.candidate_at is None or not turn.state.teardown.is_waiting:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, "No forced finalize was proposed.")
    turn.add(e.TeardownFailed(**turn.by(), reason="The Lead refused the forced finalize."))
    return turn.accept("TEARDOWN_FAILED_SAFE", turn.state.teardown.reason)


def blockers(state: TeamState) -> tuple[str, ...]:
    """Say what stands in the way of both paths: tasks in work, and a state that is not consistent.

    What has to be persisted is written before the team is ready, and never stands in the way.
    """
    tasks = [task.task for task in state.open_tasks()]
    found = [] if not tasks else [f"tasks are not done: {', '.join(tasks[:10])}"]
    if not state.reconcile.is_open:
        found.append(f"the state is not consistent: {state.lock.word}")
    return tuple(found)


def check_teardown(turn: TeamTurn) -> None:
    """Let time pass for a team that is to end."""
    teardown = turn.state.teardown
    if not teardown.is_waiting or teardown.is_forced:
        return
    if not teardown.missing:
        _say_blocked(turn)
    elif teardown.round_at is not None and turn.now - teardown.round_at >= ROUND:
        _next_round(turn, teardown)


def _next_round(turn: TeamTurn, teardown: Teardown) -> None:
    if teardown.round < ACK_RETRY_ROUNDS:
        retried = e.AckRetried(**turn.by(), round=teardown.round + 1, missing=teardown.missing)
        turn.add(retried)
        return
    if teardown.candidate_at is None:
        _propose_finalize(turn, teardown)
    elif turn.now - teardown.candidate_at >= FINALIZE_WAIT:
        turn.add(e.TeardownFailed(**turn.by(), reason="No FORCED_FINALIZE_ACK came."))


def _propose_finalize(turn: TeamTurn, teardown: Teardown) -> None:
    reasons = blockers(turn.state)
    if reasons:
        _say_blocked(turn)
        turn.add(e.TeardownFailed(**turn.by(), reason="; ".join(reasons)))
        return
    turn.add(e.FinalizeProposed(**turn.by(), missing=teardown.missing))


def _say_blocked(turn: TeamTurn) -> None:
    """Say once what stands in the way, as long as it is the same."""
    reasons = blockers(turn.state)
    if reasons and reasons != turn.state.teardown.blocked:
        turn.add(e.TeardownBlocked(**turn.by(), reasons=reasons))


def is_due_to_finish(state: TeamState) -> bool:
    """Tell whether only the report is missing before the team can be deleted."""
    teardown = state.teardown
    is_agreed = teardown.is_forced or not teardown.missing
    return teardown.is_waiting and is_agreed and not blockers(state)


def finish(turn: TeamTurn, report: ArtifactHash) -> None:
    """Keep the report, then let the team be ready to be deleted."""
    if not is_due_to_finish(turn.state):
        return
    turn.add(e.TeardownReported(**turn.by(), report=report))
    turn.add(e.TeardownReady(**turn.by(), is_forced=turn.state.teardown.is_forced))


def delete(turn: TeamTurn, by: str) -> Ruling:
    """Let a team be gone, only when it is ready for that."""
    status = turn.state.teardown.status
    if status is TeardownStatus.TEAM_DELETED:
        return turn.accept(status, "The team is gone already.")
    if status is not TeardownStatus.READY_TO_DELETE:
        return Ruling(
            accepted=False,
            event="TEARDOWN_BLOCKED",
            code=RefusalCode.TEARDOWN,
            reason=f"The team is not ready to be deleted: {_STANDS.get(status, status.value)}.",
        )
    if not turn.state.reconcile.is_open:
        return Ruling(
            accepted=False,
            event="TEARDOWN_BLOCKED",
            code=RefusalCode.RECONCILE_LOCK,
            reason=f"{turn.state.lock.word} holds: settle it first.",
        )
    turn.add(e.TeamDeleted(**turn.by(by)))
    return turn.accept(turn.state.teardown.status)
