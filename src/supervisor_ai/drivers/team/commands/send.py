"""What members send to a team: checked, kept without secrets, decided at once."""

import re
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.team.commands.decision_notes import note_decisions
from supervisor_ai.drivers.team.commands.delivery import deliver
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.wakes import wake_resident
from supervisor_ai.drivers.team.decide import decide
from supervisor_ai.drivers.team.decisions.admission import LEAD
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.ownership import STANDING
from supervisor_ai.drivers.team.sent import SentEvent, TeamAnswer, answer_of
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import SUPERVISOR, SentWord, ToolDecision, WaitReason

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_MOST_FILES: Final = 200
_PATH: Final = 300
_WORDS: Final = 200
_TEXT: Final = 4_000
_PAGE_PAUSE: Final = timedelta(seconds=1)
"""A burst of events is shown in state.md by one page; the resident shows the last of it."""


class EventForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event as every door takes it."""

    event: SentWord
    task_id: str | None = None
    rev: int | None = None
    actor: str | None = None
    epoch: int | None = None
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    complexity: TeamComplexity | None = None
    subject: str | None = None
    request: str = ""
    issue: str = ""
    owner: str | None = None
    tool: str | None = None
    decision: ToolDecision | None = None
    wait: WaitReason | None = None


def send_event(
    teams: TeamDesk, name: str, sender: str, form: EventForm, actor: Actor
) -> TeamAnswer:
    """Decide what a member sends, record what follows, and say what there is to say."""
    sent = _sent(teams, sender, form)
    ruling = teams.rule(
        name,
        lambda state: decide(state, sent, teams.desk.now()),
        actor,
        lambda state, facts: wake_resident(teams, state, facts, actor),
    )
    publish(teams, name, ruling.facts, actor)
    return answer_of(ruling)


def publish(teams: TeamDesk, name: str, facts: tuple[TeamFact, ...], actor: Actor) -> None:
    """Say, note and show what follows from facts that are recorded."""
    if any(fact.speaks for fact in facts):
        deliver(teams, name)
    note_decisions(teams, name, actor)
    if any(fact.is_shown for fact in facts) and _is_time_for_page(teams, name):
        project_state(teams, name, actor)


def hand_off(
    teams: TeamDesk, name: str, epoch: int | None, actor: Actor, *, by: str = LEAD
) -> TeamAnswer:
    """Let a Lead hand the state over; two who hand over one epoch are a split brain.

    Without an epoch the call repeats the Lead's own hand-off where that still holds, so that one
    that was killed can be made again.
    """
    if epoch is None:
        known = teams.state(name).ownership
        is_own = known.status in STANDING and known.offered_by == by
        epoch = known.offered if is_own else max(known.epoch, known.offered) + 1
    form = EventForm(event=SentWord.STATE_OWNERSHIP_HANDOFF, actor=by, epoch=epoch)
    return send_event(teams, name, by, form, actor)


def acknowledge(teams: TeamDesk, name: str, epoch: int, actor: Actor) -> TeamAnswer:
    """Let the supervisor acknowledge, where it is not resident."""
    form = EventForm(event=SentWord.STATE_OWNERSHIP_ACK, actor=SUPERVISOR, epoch=epoch)
    return send_event(teams, name, SUPERVISOR, form, actor)


def filled(state: TeamState, form: EventForm, sender: str) -> EventForm:
    """Fill in what a sender that only writes text does not say: who, which rev, which epoch."""
    task = state.task(form.task_id or "")
    rev = form.rev if form.rev is not None or task is None else task.rev
    epoch = state.ownership.epoch if form.epoch is None else form.epoch
    return replace(form, actor=form.actor or sender, rev=rev, epoch=epoch)


def _is_time_for_page(teams: TeamDesk, name: str) -> bool:
    """Tell whether the newest page is old enough, or something about ownership has changed."""
    state = teams.view(name).state
    newest, taken_at = state.reconcile.newest, state.reconcile.taken_at
    is_old = taken_at is None or state.latest is None or state.latest - taken_at >= _PAGE_PAUSE
    return is_old or newest is None or newest.epoch != state.ownership.epoch


def _sent(teams: TeamDesk, sender: str, form: EventForm) -> SentEvent:
    _check(form)
    subject = None if not form.subject else teams.desk.keep(plain(form.subject))
    redact = teams.desk.redactor.redact
    return SentEvent(
        event=form.event,
        sender=sender,
        actor=form.actor,
        task_id=form.task_id,
        rev=form.rev,
        epoch=form.epoch,
        files=tuple(_line(redact(it).text) for it in form.files),
        needs=form.needs,
        complexity=form.complexity,
        subject=subject,
        request=redact(plain(form.request)).text,
        issue=_line(redact(form.issue).text),
        owner=form.owner,
        tool=None if form.tool is None else _line(redact(form.tool).text),
        decision=form.decision,
        wait=form.wait,
    )


def _line(text: str) -> str:
    return " ".join(plain(text).split())


def _check(form: EventForm) -> None:
    """Refuse what is no event, whoever sends it."""
    names = {"task_id": form.task_id, "owner": form.owner, "actor": form.actor}
    problems = [
        f"{value[:80]!r} is no {what}."
        for what, value in names.items()
        if value is not None and _ID.fullmatch(value) is None
    ]
    problems += [f"{it[:80]!r} is no capability." for it in form.needs if not _ID.fullmatch(it)]
    lengths = (
        ("file", max(map(len, form.files), default=0), _PATH),
        ("number of files", len(form.files), _MOST_FILES),
        ("number of capabilities", len(form.needs), 20),
        ("issue", len(form.issue), _WORDS),
        ("tool", len(form.tool or ""), 80),
        ("subject", len(form.subject or ""), _TEXT),
        ("request", len(form.request), _TEXT),
    )
    over = [(what, n, most) for what, n, most in lengths if n > most]
    problems += [f"The {what} is {n}; {most} is the most." for what, n, most in over]
    numbers = (form.rev, form.epoch)
    problems += [f"{it} is no rev and no epoch." for it in numbers if it is not None and it < 0]
    if problems:
        raise InvalidInput(" ".join(problems), hint="See `supervisor team send --help`.")
