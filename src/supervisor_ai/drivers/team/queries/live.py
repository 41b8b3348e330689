"""A team as a screen that stays open shows it: ownership, alerts and roster above the tasks."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import TaskDesk, TaskLine, TaskList, TaskPanel
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.drivers.team.machines.task import HELD, TeamTaskStatus
from supervisor_ai.drivers.team.queries.status import (
    RosterLine,
    TeamStatus,
    TeamTaskLine,
    status_of,
)
from supervisor_ai.drivers.team.residence.definition import TeamDefinition
from supervisor_ai.drivers.team.stream import TeamView
from supervisor_ai.drivers.team.text.report import minutes
from supervisor_ai.drivers.team.words import IdleStage

if TYPE_CHECKING:
    from supervisor_ai.control.records import Records

_NONE: Final = "-"
_HELD: Final = frozenset(it.value for it in HELD)


def live_of(team: TeamStatus, now: datetime) -> TaskList:
    """Make the screen of a team."""
    return TaskList(
        title=team.name,
        noun="team",
        phase=team.phase,
        source="the ledger",
        states=tuple(it.value for it in TeamTaskStatus),
        tasks=tuple(map(_task, team.tasks)),
        panels=(
            _ownership(team),
            _decisions(team),
            _alerts(team, now),
            _roster(team, now),
        ),
    )


def _task(task: TeamTaskLine) -> TaskLine:
    waits = f"waits for {', '.join(task.waits_for)}" if task.waits_for else ""
    words = (f"rev {task.rev}", waits, ", ".join(task.files))
    return TaskLine(
        name=f"#{task.id}",
        title=task.subject,
        state=task.status,
        who=task.owner or "nobody",
        said="; ".join(filter(None, words)),
        is_current=task.status in _HELD,
    )


def _ownership(team: TeamStatus) -> TaskPanel:
    head = ("OWNER", "EPOCH", "LOCK", "TEARDOWN", "WITHOUT ACK")
    missing = ", ".join(team.missing_acks) or _NONE
    row = (team.owner, str(team.epoch), team.lock, team.teardown, missing)
    alerts = frozenset() if team.lock == "OPEN" else frozenset({0})
    return TaskPanel(title="Ownership", rows=(head, row), alerts=alerts)


def _decisions(team: TeamStatus) -> TaskPanel:
    rows = tuple((it,) for it in team.needs_decision)
    alerts = frozenset(range(len(rows)))
    return TaskPanel(title="Needs decision", rows=(("QUESTION",), *rows), alerts=alerts)


def _alerts(team: TeamStatus, now: datetime) -> TaskPanel:
    rows = tuple(
        (
            it.severity,
            it.event_type,
            f"#{it.task}" if it.task else it.subject or "the team",
            it.owner or _NONE,
            f"{minutes(now - it.since)} ago",
        )
        for it in team.alerts
    )
    critical = (n for n, it in enumerate(team.alerts) if it.severity == "CRITICAL")
    head = ("SEVERITY", "ALERT", "ABOUT", "OWNER", "SINCE")
    return TaskPanel(title="Alerts", rows=(head, *rows), alerts=frozenset(critical))


def _roster(team: TeamStatus, now: datetime) -> TaskPanel:
    late = (
        n for n, it in enumerate(team.roster) if it.idle_stage not in {IdleStage.NONE.value, ""}
    )
    head = ("MEMBER", "ROLE", "WAITS", "STAGE", "ACTIVE", "TASKS")
    rows = tuple(_member(it, now) for it in team.roster)
    return TaskPanel(title="Roster", rows=(head, *rows), alerts=frozenset(late))


def _member(member: RosterLine, now: datetime) -> tuple[str, ...]:
    return (
        member.name,
        member.role,
        member.wait_reason,
        member.idle_stage,
        f"{minutes(now - member.last_activity_at)} ago",
        ", ".join(f"#{it}" for it in member.tasks) or _NONE,
    )


def live_list(desk: TaskDesk, run: RunView, ports: Mapping[str, object]) -> TaskList | None:
    """Show the team that a run watches over; None: it is gone, or was never made."""
    del ports
    records = desk.records
    name = _team_of(records, run.id)
    if name is None:
        return None
    state = TeamView(records.log, name, None, records.documents).refresh()
    found = status_of(state, records.text)
    return None if found is None else live_of(found, records.now())


def _team_of(records: "Records", run: RunId) -> str | None:
    for envelope in records.log.read(run_stream(run), upto=1):
        event = envelope.event
        if isinstance(event, RunSubmitted):
            return records.documents.load(event.definition, TeamDefinition).team
    return None
