"""What the verbs of teams share: which team is meant, who speaks, what came of it, its page."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

import click

from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.tables import fitted, labelled
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import ErrorKind

if TYPE_CHECKING:
    from supervisor_ai.cli.invocation import Invocation
    from supervisor_ai.domain.envelope import Actor
    from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
    from supervisor_ai.drivers.team.queries.status import (
        AlertLine,
        RosterLine,
        TeamStatus,
        TeamTaskLine,
    )
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.text.report import minutes

team_argument = click.argument("team", metavar="TEAM")
epoch_option = click.option(
    "--epoch",
    type=click.IntRange(min=1),
    metavar="N",
    help="Which epoch; the one that is next unless said.",
)
_REFUSED: Final = ERROR_EXIT_CODES[ErrorKind.CONFLICT]


def open_teams(invocation: "Invocation") -> "tuple[TeamDesk, Actor]":
    """Open the teams of the project; you are the user of this machine."""
    from supervisor_ai.drivers.team.commands.team_desk import TeamDesk

    office = invocation.session_office()
    return TeamDesk(desk=office.desk, folders=office.folders), office.actor


def report_answer(answer: "TeamAnswer", *, as_json: bool) -> int:
    """Print what came of an event; one that is not taken is a conflict."""
    if as_json:
        write_json(answer)
    else:
        word = "accepted" if answer.accepted else "refused"
        tell = write if answer.accepted else say
        tell(f"{answer.event}: {word}. {one_line(answer.reason)}".strip())
    return DONE if answer.accepted else _REFUSED


_NONE: Final = "-"


def team_page(team: "TeamStatus", place: str, now: datetime) -> str:
    """Show a team: who owns its state, who is there, what is done, what needs somebody."""
    return "\n".join(_lines(team, place, now))


def _lines(team: "TeamStatus", place: str, now: datetime) -> Iterator[str]:
    counts = team.counts
    yield f"{team.name}: {team.phase}"
    rows = [
        ("owner", team.owner),
        ("lock", team.lock),
        ("teardown", team.teardown),
        ("complexity", team.complexity),
        ("tasks", f"{counts.open_tasks} open of {counts.tasks}"),
        ("folder", one_line(place)),
    ]
    if team.missing_acks and team.teardown != "NONE":
        rows.append(("no ACK of", ", ".join(team.missing_acks)))
    yield from labelled(rows)
    yield from _table("Roster", _ROSTER, [_member(it, now) for it in team.roster])
    yield from _table("Tasks", _TASKS, [_task(it) for it in team.tasks])
    yield from _table("Alerts", _ALERTS, [_alert(it, now) for it in team.alerts])
    if team.truncated:
        yield f"Shown are {len(team.roster)} of {counts.members} members."
    if team.needs_decision:
        yield from ("", "Needs decision:")
        yield from (f"- {one_line(it)}" for it in team.needs_decision)


_ROSTER: Final = ("MEMBER", "ROLE", "WAITS", "STAGE", "ACTIVE", "PROGRESS", "TASKS")
_TASKS: Final = ("TASK", "STATUS", "OWNER", "REV", "TIER", "WAITS FOR", "SUBJECT")
_ALERTS: Final = ("SEVERITY", "TYPE", "ABOUT", "OWNER", "SINCE")


def _table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        yield from ("", title, *(f"  {line}" for line in fitted([head, *rows])))


def _member(member: "RosterLine", now: datetime) -> tuple[str, ...]:
    return (
        member.name,
        member.role,
        member.wait_reason,
        member.idle_stage,
        f"{minutes(now - member.last_activity_at)} ago",
        f"{minutes(now - member.last_progress_at)} ago",
        ", ".join(f"#{it}" for it in member.tasks) or _NONE,
    )


def _task(task: "TeamTaskLine") -> tuple[str, ...]:
    return (
        f"#{task.id}",
        task.status,
        task.owner or _NONE,
        str(task.rev),
        task.tier,
        ", ".join(task.waits_for) or _NONE,
        one_line(task.subject),
    )


def _alert(alert: "AlertLine", now: datetime) -> tuple[str, ...]:
    about = f"#{alert.task}" if alert.task else one_line(alert.subject) or "the team"
    return (
        alert.severity,
        alert.event_type,
        about,
        alert.owner or _NONE,
        f"{minutes(now - alert.since)} ago",
    )
