"""What members say that only send text: read strictly, and sent as events."""

from typing import Final

from supervisor_ai.control.sessions.bus import Bus, Post
from supervisor_ai.control.sessions.members import resident
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.session.members import COORDINATOR
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.send import EventForm, filled, send_event
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.staffing.roles import REVIEWERS
from supervisor_ai.drivers.team.text.answers import answer_to, refusal_of
from supervisor_ai.drivers.team.text.lines import (
    DoneLine,
    FindingLine,
    FindingSeverity,
    LineEvent,
    NoEvent,
    RoutedLine,
    read_line,
)
from supervisor_ai.drivers.team.text.messages import without_secrets
from supervisor_ai.drivers.team.words import SentWord

NO_EVENT: Final = "NO_EVENT"
ROUTED: Final = "ROUTED"
LONGEST_TEXT: Final = 100_000
_ISSUE: Final = 200
_SUMMARY: Final = 1_900


def send_line(teams: TeamDesk, name: str, member: str, text: str, actor: Actor) -> TeamAnswer:
    """Take a line of a member for the event that it is, or say why it is none."""
    if len(text) > LONGEST_TEXT:
        # What is not read at all costs nothing, however often it is sent.
        told = f"The text has {len(text)} characters; {LONGEST_TEXT} are read."
        raise InvalidInput(told, hint="Say it in fewer words.")
    read = read_line(text)
    if isinstance(read, NoEvent):
        return _no_event(teams, name, member, text, actor)
    if isinstance(read, RoutedLine):
        return _pass_on(teams, name, member, read, actor)
    answer, taken = TeamAnswer(accepted=False, event=NO_EVENT, reason=""), ""
    for form in event_forms(read):
        answer = send_event(teams, name, member, filled(teams.state(name), form, member), actor)
        if not answer.accepted:
            return replace(answer, reason=f"{taken}{answer.reason}")
        taken = f"{answer.event} of task {form.task_id} was taken. "
    return TeamAnswer(
        accepted=True, event=answer.event, reason=answer.reason or answer_to(read, text)
    )


def event_forms(line: LineEvent) -> tuple[EventForm, ...]:
    """Say which events a line stands for, in their order."""
    match line:
        case DoneLine():
            return _done(line)
        case FindingLine(task=task, severity=severity, text=text):
            is_small = severity is FindingSeverity.MINOR
            word = SentWord.PROGRESS if is_small else SentWord.CHANGES_REQUESTED
            return (EventForm(event=word, task_id=task, issue=text[:_ISSUE]),)
        case _:
            # The other lines have the words and the fields of their events.
            told = {name: getattr(line, name) for name in line.__struct_fields__}
            reason, task = str(told.pop("reason", "")), told.pop("task", None)
            word = SentWord(str(line.__struct_config__.tag))
            return (EventForm(event=word, task_id=task, issue=reason[:_ISSUE], **told),)


def _done(line: DoneLine) -> tuple[EventForm, ...]:
    if line.task is None:
        return (EventForm(event=SentWord.PROGRESS),)
    done = EventForm(event=SentWord.DONE, task_id=line.task)
    if line.claims is None:
        return (done,)
    return (done, EventForm(event=SentWord.CLAIM, task_id=line.claims))


def _no_event(teams: TeamDesk, name: str, member: str, text: str, actor: Actor) -> TeamAnswer:
    """Refuse what is no event; a request to work itself is refused as such, and recorded."""
    if refusal_of(text) is not None:
        asked = EventForm(event=SentWord.REQUEST, request=text[:_SUMMARY])
        return send_event(teams, name, member, filled(teams.state(name), asked, member), actor)
    return TeamAnswer(accepted=False, event=NO_EVENT, reason=answer_to(read_line(text), text))


def _pass_on(teams: TeamDesk, name: str, member: str, line: RoutedLine, actor: Actor) -> TeamAnswer:
    """Hand on what is for somebody else: architecture as an event, the rest as a message."""
    state = teams.state(name)
    if line.to == "tech-lead":
        asked = EventForm(event=SentWord.ARCHITECTURE_QUESTION, subject=line.text)
        return send_event(teams, name, member, filled(state, asked, member), actor)
    reviewers = tuple(it.name for it in state.roster() if it.role in REVIEWERS)
    to = (COORDINATOR,) if line.to == "lead" else reviewers
    bus = Bus(teams.desk, teams.created(name).session, resident(actor))
    said = without_secrets(teams.desk.redactor.redact, f"{member}: {line.text}")
    for name_ in to:
        bus.log(Post(kind="routed", summary=said[:_SUMMARY], to=name_))
    return TeamAnswer(
        accepted=bool(to),
        event=ROUTED,
        reason=answer_to(line, line.text) if to else "No reviewer is active to hand it on to.",
    )
