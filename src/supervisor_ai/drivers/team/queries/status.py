"""How a team stands, for every face."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.drivers.team.decisions.approvals import need_of
from supervisor_ai.drivers.team.machines.alerts import OpenAlert
from supervisor_ai.drivers.team.machines.liveness import TeamMember
from supervisor_ai.drivers.team.machines.ownership import OwnershipStatus
from supervisor_ai.drivers.team.machines.task import TeamTask
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.queries.questions import in_order, questions
from supervisor_ai.drivers.team.staffing.approvals import tier_of
from supervisor_ai.drivers.team.state import TeamState

MOST_LINES: Final = 1_000
"""How many members and tasks are shown; they are counted in full."""


class RosterLine(Struct, frozen=True, kw_only=True):
    """A member as lists show it."""

    name: str
    role: str
    wait_reason: str
    idle_stage: str
    joined_at: datetime
    last_activity_at: datetime
    last_progress_at: datetime
    tasks: tuple[str, ...]
    files: tuple[str, ...]
    """What it was seen touching."""
    run: RunId | None
    """The run whose worker it is; None: an agent from outside."""


class TeamTaskLine(Struct, frozen=True, kw_only=True):
    """A task as lists show it."""

    id: str
    subject: str
    status: str
    rev: int
    owner: str | None
    complexity: str
    tier: str
    approvals: tuple[str, ...]
    waits_for: tuple[str, ...]
    """Whose approval is still missing."""
    files: tuple[str, ...]


class AlertLine(Struct, frozen=True, kw_only=True):
    """Something that is not settled."""

    severity: str
    event_type: str
    subject: str
    task: str | None
    owner: str | None
    since: datetime


class TeamCounts(Struct, frozen=True, kw_only=True):
    """How many there are, however many are shown."""

    members: int
    tasks: int
    open_tasks: int
    alerts: int


class TeamStatus(Struct, frozen=True, kw_only=True):
    """A team with all that a face shows of it."""

    name: str
    phase: str
    complexity: str
    owner: str
    epoch: int
    lock: str
    teardown: str
    missing_acks: tuple[str, ...]
    roster: tuple[RosterLine, ...]
    tasks: tuple[TeamTaskLine, ...]
    alerts: tuple[AlertLine, ...]
    needs_decision: tuple[str, ...]
    most_coders: int
    replay_index: int
    folder: str
    session: str
    counts: TeamCounts
    truncated: bool


def phase_of(state: TeamState) -> str:
    """Say in which phase of its life a team is."""
    if state.teardown.status is TeardownStatus.TEAM_DELETED:
        return "DELETED"
    if state.teardown.status not in {TeardownStatus.NONE, TeardownStatus.TEARDOWN_FAILED_SAFE}:
        return "TEARDOWN"
    if state.ownership.status is OwnershipStatus.BOOTSTRAP:
        return "BOOTSTRAP"
    return "HANDOFF" if state.ownership.status is OwnershipStatus.HANDING_OFF else "EXECUTION"


def status_of(state: TeamState, text: Callable[[ArtifactHash], str]) -> TeamStatus | None:
    """Show a team; None: it was never made. `text` returns what an artifact says."""
    made = state.created
    if made is None:
        return None
    members = sorted(state.roster(), key=lambda it: it.name)
    tasks = in_order(state.all_tasks())
    return TeamStatus(
        name=made.team,
        phase=phase_of(state),
        complexity=made.complexity.value,
        owner=state.ownership.shown_owner,
        epoch=state.ownership.epoch,
        lock=state.lock.word,
        teardown=state.teardown.status.value.upper(),
        missing_acks=state.teardown.missing,
        roster=tuple(map(_member, members[:MOST_LINES])),
        tasks=tuple(_task(state, it, text) for it in tasks[:MOST_LINES]),
        alerts=tuple(map(_alert, state.alerts.values())),
        needs_decision=tuple(questions(state)),
        most_coders=made.most_coders,
        replay_index=state.index,
        folder=made.folder,
        session=made.session,
        counts=TeamCounts(
            members=len(members),
            tasks=len(tasks),
            open_tasks=len(state.open_tasks()),
            alerts=len(state.alerts),
        ),
        truncated=max(len(members), len(tasks)) > MOST_LINES,
    )


def _member(member: TeamMember) -> RosterLine:
    return RosterLine(
        name=member.name,
        role=member.role.value,
        wait_reason=member.wait.value,
        idle_stage=member.stage.value,
        joined_at=member.joined_at,
        last_activity_at=member.last_activity_at,
        last_progress_at=member.last_progress_at,
        tasks=member.tasks,
        files=member.files,
        run=member.run,
    )


def _task(state: TeamState, task: TeamTask, text: Callable[[ArtifactHash], str]) -> TeamTaskLine:
    tier = tier_of(task.complexity, is_escalated=task.is_escalated)
    waits = need_of(state, task).still_open(task.approvals) if task.is_open else ()
    return TeamTaskLine(
        id=task.task,
        subject=text(task.subject),
        status=task.status.value,
        rev=task.rev,
        owner=task.owner or None,
        complexity=task.complexity.value,
        tier=tier.value,
        approvals=tuple(role.value for role in task.approvals),
        waits_for=tuple(it.value for it in waits),
        files=task.files,
    )


def _alert(alert: OpenAlert) -> AlertLine:
    return AlertLine(
        severity=alert.severity.value,
        event_type=alert.type.value,
        subject=alert.subject,
        task=alert.task or None,
        owner=alert.owner or None,
        since=alert.since,
    )
