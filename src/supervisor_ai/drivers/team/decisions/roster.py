"""Who joins and leaves a team."""

from collections import Counter

from supervisor_ai.domain.ids import RunId
from supervisor_ai.drivers.team.decisions.admission import RESERVED
from supervisor_ai.drivers.team.decisions.approvals import check_all_rosters
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import roster as r
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.sent import Ruling
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.staffing.spawn_order import MOST_CODERS, Staff, spawn_problem
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import RefusalCode


def join(
    turn: TeamTurn,
    name: str,
    role: TeamRole,
    capabilities: tuple[str, ...] = (),
    run: RunId | None = None,
) -> Ruling:
    """Let somebody take part, when its turn has come and there is a place."""
    problem = _problem(turn, name, role, run)
    if problem is not None:
        return Ruling(
            accepted=False, event="MEMBER_JOINED", code=RefusalCode.NOT_POSSIBLE, reason=problem
        )
    turn.add(
        r.MemberJoined(**turn.by(), member=name, role=role, capabilities=capabilities, run=run)
    )
    check_all_rosters(turn)
    return turn.accept("MEMBER_JOINED")


def _problem(turn: TeamTurn, name: str, role: TeamRole, run: RunId | None) -> str | None:
    state = turn.state
    if state.teardown.status not in {TeardownStatus.NONE, TeardownStatus.TEARDOWN_FAILED_SAFE}:
        return f"The team ends: {state.teardown.status.value}."
    if not state.reconcile.is_open:
        return f"{state.lock.word} holds: nobody joins until it is settled."
    if name in RESERVED or state.member(name) is not None:
        return f"The name {name!r} is taken."
    # A reviewer that is a worker of ours reviews its own run, and no coder of another.
    there = Counter(
        it.role
        for it in state.roster()
        if it.run in {None, run} or (it.role is TeamRole.CODER and not _is_over(state, it.run))
    )
    most = MOST_CODERS if state.created is None else state.created.most_coders
    staff = Staff(active=there, is_owned=state.ownership.is_active, most_coders=most)
    return spawn_problem(role, staff)


def _is_over(state: TeamState, run: RunId | None) -> bool:
    """Tell whether a run has completed: its coder waits for others and takes nobody's place."""
    followed = state.followed(run or "")
    return followed is not None and followed.status is r.FollowStatus.COMPLETED


def leave(turn: TeamTurn, name: str) -> Ruling:
    """Let somebody take part no longer; what waited only for it is told at once."""
    if turn.state.member(name) is None:
        return turn.accept("MEMBER_LEFT", f"{name!r} takes part no longer already.")
    if not turn.state.reconcile.is_open:
        return Ruling(
            accepted=False,
            event="MEMBER_LEFT",
            code=RefusalCode.RECONCILE_LOCK,
            reason=f"{turn.state.lock.word} holds: nobody leaves until it is settled.",
        )
    turn.add(r.MemberLeft(**turn.by(), member=name))
    check_all_rosters(turn)
    return turn.accept("MEMBER_LEFT")
