"""The calls about a team that members of its session can make; the Lead coordinates it."""

from datetime import timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct, to_builtins

from supervisor_ai.control.sessions.calls import Call, CallTable, Room
from supervisor_ai.control.sessions.member_calls import NoParameters
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.session.members import MemberPermission
from supervisor_ai.drivers.team.commands.callers import attend, news_of, require_lead, speaker
from supervisor_ai.drivers.team.commands.lead_calls import LEAD_CALLS
from supervisor_ai.drivers.team.commands.lines import send_line
from supervisor_ai.drivers.team.commands.send import EventForm, filled, hand_off, send_event
from supervisor_ai.drivers.team.commands.task_calls import TASK_CALLS
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.queries.reports import report_of
from supervisor_ai.drivers.team.queries.status import status_of
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.text.messages import without_secrets
from supervisor_ai.drivers.team.text.report import render_report, report_json
from supervisor_ai.drivers.team.words import SentWord

_LONGEST_WINDOW: Final = 60 * 24 * 30


class LineForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_line` takes."""

    text: str


class ReportWindow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_report` takes."""

    minutes: int = 60


class HandOffEpoch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_handoff` takes; without an epoch, the one that holds or the next."""

    epoch: int | None = None


class WaitForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_wait` takes."""

    seconds: int = 30


class AckKind(StrEnum):
    """What a member can acknowledge."""

    SHUTDOWN = "shutdown"
    RECONCILE = "reconcile"
    FINALIZE = "finalize"


class AckForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_ack` takes."""

    of: AckKind


_ACKS: Final = {
    AckKind.SHUTDOWN: SentWord.SHUTDOWN_ACK,
    AckKind.RECONCILE: SentWord.RECONCILE_ACK,
    AckKind.FINALIZE: SentWord.FORCED_FINALIZE_ACK,
}


def _teams(room: Room) -> TeamDesk:
    # What is sent here is shown in state.md by the run that watches over the team.
    return TeamDesk(desk=room.desk)


def _send(room: Room, asked: EventForm) -> TeamAnswer:
    teams, sender = _teams(room), speaker(room)
    form = filled(teams.state(room.session), asked, sender)
    return send_event(teams, room.session, sender, form, room.caller.actor)


def _line(room: Room, asked: LineForm) -> TeamAnswer:
    return send_line(_teams(room), room.session, speaker(room), asked.text, room.caller.actor)


def _status(room: Room, asked: NoParameters) -> object:
    del asked
    teams = _teams(room)
    found = status_of(teams.state(room.session), teams.desk.text)
    if found is None:
        raise NotFound(f"There is no team {room.session!r}.")
    return {"team": to_builtins(found)}


def _report(room: Room, asked: ReportWindow) -> object:
    if not 0 < asked.minutes <= _LONGEST_WINDOW:
        raise InvalidInput(f"A report is about 1 to {_LONGEST_WINDOW} minutes.")
    teams = _teams(room)
    state, now = teams.state(room.session), teams.desk.now()
    facts = (fact for _, fact in teams.facts(room.session))
    found = report_of(state, facts, now - timedelta(minutes=asked.minutes), now)
    text = without_secrets(teams.desk.redactor.redact, render_report(found))
    return {"report": report_json(found), "text": text}


def _hand_off(room: Room, asked: HandOffEpoch) -> TeamAnswer:
    by = require_lead(room)
    return hand_off(_teams(room), room.session, asked.epoch, room.caller.actor, by=by)


def _ack(room: Room, asked: AckForm) -> TeamAnswer:
    teams, sender = _teams(room), speaker(room)
    form = filled(teams.state(room.session), EventForm(event=_ACKS[asked.of]), sender)
    return send_event(teams, room.session, sender, form, room.caller.actor)


CALLS: Final = CallTable(
    attend=attend,
    calls=(
        *TASK_CALLS,
        Call(
            name="team_wait",
            help="Wait until there is a message for you, for 45 seconds at most",
            permission=MemberPermission.READ,
            form=WaitForm,
            act=lambda _room, _asked: {"unread": []},
            is_ready=lambda room: bool(news_of(room)),
        ),
        Call(
            name="team_send",
            help="Send an event of the team's contract; who you are, rev and epoch are known",
            permission=MemberPermission.LOG,
            form=EventForm,
            act=_send,
        ),
        Call(
            name="team_line",
            help="Send an event as a line of text, such as DONE: task 3, claiming task 4",
            permission=MemberPermission.LOG,
            form=LineForm,
            act=_line,
        ),
        Call(
            name="team_status",
            help="Show how the team stands: owner, epoch, lock, roster, tasks, alerts",
            permission=MemberPermission.READ,
            form=NoParameters,
            act=_status,
        ),
        Call(
            name="team_report",
            help="Show what the Lead has to know of the last minutes: a SUPERVISOR_REPORT",
            permission=MemberPermission.READ,
            form=ReportWindow,
            act=_report,
        ),
        Call(
            name="team_ack",
            help="Acknowledge a shutdown; as the Lead, a rollback or a forced end",
            permission=MemberPermission.LOG,
            form=AckForm,
            act=_ack,
        ),
        Call(
            name="team_handoff",
            help="As the Lead, hand the team's state over to the supervisor under a new epoch",
            permission=MemberPermission.LEAD_TEAM,
            form=HandOffEpoch,
            act=_hand_off,
        ),
        *LEAD_CALLS,
    ),
)
