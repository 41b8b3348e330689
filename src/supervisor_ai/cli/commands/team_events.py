"""The verbs that send something to a team."""

from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.commands.team_words import (
    epoch_option,
    open_teams,
    report_answer,
    team_argument,
)
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.tools.text import counted

if TYPE_CHECKING:
    from supervisor_ai.drivers.team.commands.send import EventForm

_LEAD = "lead"
_SUPERVISOR = "supervisor"
_OF = ("handoff", "reconcile", "finalize", "shutdown")


class _Options(TypedDict):
    team: str
    as_json: bool


class _EpochOptions(_Options):
    epoch: int | None


class _AckOptions(_EpochOptions):
    of: str
    sender: str | None
    refuse: bool


class _SendOptions(_EpochOptions):
    event: str
    sender: str
    task: str | None
    rev: int | None
    current: bool
    files: str | None
    needs: str | None
    text: str | None
    complexity: str | None
    owner: str | None
    tool: str | None
    decision: str | None
    waits: str | None


@verb(example='supervisor team send auth "DONE: task 3, claiming task 4" --from coder-1')
@team_argument
@click.argument("event", metavar="EVENT|LINE")
@click.option("--from", "sender", default=_LEAD, show_default=True, metavar="MEMBER", help="Who.")
@click.option("--task", metavar="ID", help="Which task.")
@click.option("--rev", type=click.IntRange(min=1), metavar="N", help="Which revision of the task.")
@click.option("--epoch", type=click.IntRange(min=1), metavar="N", help="Which epoch it is.")
@click.option("--current", is_flag=True, help="Mean the revision and the epoch that hold now.")
@click.option("--files", metavar="A,B", help="What is touched; a folder ends with a slash.")
@click.option("--needs", metavar="A,B", help="The capabilities that a new task asks for.")
@click.option("--text", metavar="TEXT", help="What a task is, what is wrong, or what is asked.")
@click.option("--complexity", metavar="SIMPLE|MEDIUM|COMPLEX", help="Of a new task.")
@click.option("--owner", metavar="MEMBER", help="Whom the Lead chooses; of two tasks, which.")
@click.option("--tool", metavar="TOOL", help="Which tool is missing.")
@click.option("--decision", metavar="WORD", help="skip, retry or proceed_with_caveat.")
@click.option("--waits", metavar="REASON", help="coding, waiting_review, blocked or waiting_ack.")
@json_option
@click.pass_obj
def send(invocation: Invocation, **options: Unpack[_SendOptions]) -> int:
    """Send an event to a team, or a line that stands for one.

    EVENT is a word of the team's contract, such as TASK_ADDED, CLAIM or APPROVED; what it needs and
    you leave out is named in the answer. A LINE is what coders and reviewers write, such as
    `IN_REVIEW: task 3. Files: [a.py]`. Whoever may not send it is refused, and so is what is stale.
    """
    from supervisor_ai.drivers.team.commands.lines import send_line
    from supervisor_ai.drivers.team.commands.projection import project_state
    from supervisor_ai.drivers.team.commands.send import filled, send_event
    from supervisor_ai.drivers.team.commands.teardown import finish_teardown
    from supervisor_ai.drivers.team.words import SentWord

    teams, actor = open_teams(invocation)
    name, sender = options["team"], options["sender"]
    if options["event"] not in set(SentWord):
        answer = send_line(teams, name, sender, options["event"], actor)
    else:
        form = _form(options)
        if options["current"]:
            form = filled(teams.state(name), form, sender)
        answer = send_event(teams, name, sender, form, actor)
    if answer.accepted:
        # The last acknowledgement of a shutdown need not wait for a resident either.
        finish_teardown(teams, name, actor)
    # A burst of events is shown in state.md by one page, and this may have been the last of it.
    project_state(teams, name, actor)
    return report_answer(answer, as_json=options["as_json"])


def _form(options: _SendOptions) -> "EventForm":
    from supervisor_ai.control.sessions.calls import read_form
    from supervisor_ai.drivers.team.commands.send import EventForm

    text = options["text"]
    given: dict[str, object] = {
        "event": options["event"],
        "actor": options["sender"],
        "task_id": options["task"],
        "rev": options["rev"],
        "epoch": options["epoch"],
        "files": _words(options["files"]),
        "needs": _words(options["needs"]),
        "subject": text,
        "request": text or "",
        "issue": (text or "")[:200],
        "complexity": options["complexity"],
        "owner": options["owner"],
        "tool": options["tool"],
        "decision": options["decision"],
        "wait": options["waits"],
    }
    return read_form(given, EventForm, "The event cannot be sent")


@verb(example="supervisor team inbox auth --from coder-1")
@team_argument
@click.option("--from", "sender", metavar="MEMBER", help="Who reads; the Lead unless said.")
@click.option(
    "--hook",
    type=click.Choice(("PostToolUse", "Stop")),
    help="Answer as this hook of Claude Code expects.",
)
@json_option
@click.pass_obj
def inbox(
    invocation: Invocation, *, team: str, sender: str | None, hook: str | None, as_json: bool
) -> int:
    """Show the messages that a member has not read, once, and note that it is there.

    As a hook of Claude Code it notes after each tool that the agent is there, and tells it of its
    messages before it stops, which it then does not: `supervisor agents install` writes that.
    """
    from supervisor_ai.control.sessions.calls import Room
    from supervisor_ai.control.sessions.desk import Caller, require_session
    from supervisor_ai.domain.session.members import COORDINATOR, Member, MemberRole
    from supervisor_ai.drivers.team.commands.callers import attend

    office = invocation.session_office()
    role = MemberRole.COORDINATOR if sender in {None, _LEAD} else MemberRole.WORKER
    name = COORDINATOR if role is MemberRole.COORDINATOR else sender or ""
    room = Room(
        project=office.project,
        desk=office.desk,
        session=require_session(office.desk, team),
        caller=Caller(member=Member(name=name, role=role), actor=office.actor),
    )
    found = attend(room, is_told=hook != "PostToolUse")
    lines = [f"{it['from']}: {one_line(str(it['summary']))}" for it in found]
    if hook is None and as_json:
        write_json({"messages": found})
    elif hook is None:
        write("\n".join(lines)) if lines else say("There is no message that was not read.")
    elif lines:
        words = (f"You have {counted(len(lines), 'message')} of your team:", *lines)
        write_json({"decision": "block", "reason": "\n".join(words)})
    return DONE


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, (text or "").split(","))))


@verb(example="supervisor team handoff auth")
@team_argument
@epoch_option
@json_option
@click.pass_obj
def handoff(invocation: Invocation, **options: Unpack[_EpochOptions]) -> int:
    """Hand the state of a team over to its supervisor.

    Nobody writes until the supervisor has acknowledged. An epoch is used once: one that is not
    higher than the last is a duplicate, or stale. Without --epoch the command repeats your hand-off
    where that still holds, which changes nothing, and uses a new epoch otherwise.
    """
    from supervisor_ai.drivers.team.commands.send import hand_off

    teams, actor = open_teams(invocation)
    name = options["team"]
    answer = hand_off(teams, name, options["epoch"], actor)
    return report_answer(answer, as_json=options["as_json"])


@verb(example="supervisor team ack auth")
@team_argument
@click.option(
    "--of",
    type=click.Choice(_OF),
    default="handoff",
    show_default=True,
    help="What is acknowledged.",
)
@click.option("--from", "sender", metavar="MEMBER", help="Who stops, of a shutdown.")
@click.option("--refuse", is_flag=True, help="Say no to a forced end; the team stays.")
@epoch_option
@json_option
@click.pass_obj
def ack(invocation: Invocation, **options: Unpack[_AckOptions]) -> int:
    """Acknowledge a hand-off, a rollback, a forced end or a shutdown.

    A hand-off is acknowledged by the supervisor: by the resident one, or here for it. As the Lead
    you agree to a rollback that touches work in progress, and to an end without all
    acknowledgements. A shutdown is acknowledged by each member.
    """
    from supervisor_ai.drivers.team.commands.send import EventForm, acknowledge, filled, send_event
    from supervisor_ai.drivers.team.commands.upkeep import tend
    from supervisor_ai.drivers.team.words import SentWord

    teams, actor = open_teams(invocation)
    name, state = options["team"], teams.state(options["team"])
    if options["of"] == "handoff":
        epoch = options["epoch"] or max(state.ownership.offered, 1)
        answer = acknowledge(teams, name, epoch, actor)
    else:
        words = {
            "reconcile": SentWord.RECONCILE_ACK,
            "finalize": SentWord.FORCED_FINALIZE_ACK,
            "shutdown": SentWord.SHUTDOWN_ACK,
        }
        word = words[options["of"]]
        if options["refuse"] and word is SentWord.FORCED_FINALIZE_ACK:
            word = SentWord.FORCED_FINALIZE_REFUSED
        sender = options["sender"] or _LEAD
        form = filled(state, EventForm(event=word, epoch=options["epoch"]), sender)
        answer = send_event(teams, name, sender, form, actor)
        if answer.accepted:
            # What follows need not wait for a resident that may not be there.
            tend(teams, name, actor)
    return report_answer(answer, as_json=options["as_json"])


@verb(example="supervisor team reconcile auth")
@team_argument
@json_option
@click.pass_obj
def reconcile(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Compare state.md with the ledger, and put it right.

    An edit of somebody else is kept and shown, never taken over. Where it touches tasks in work,
    the rollback waits for `supervisor team ack TEAM --of reconcile`.
    """
    from supervisor_ai.drivers.team.commands.reconcile import check_state

    teams, actor = open_teams(invocation)
    return report_answer(check_state(teams, options["team"], actor), as_json=options["as_json"])


@verb(example="supervisor team teardown auth")
@team_argument
@json_option
@click.pass_obj
def teardown(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Let a team end: everybody is asked to stop, and has to acknowledge.

    Who does not is asked again, three times, a minute apart; after that the Lead may agree to an
    end without them. The supervisor, who counts, stops last: `supervisor team serve TEAM`.
    """
    from supervisor_ai.drivers.team.commands.teardown import begin_teardown

    teams, actor = open_teams(invocation)
    return report_answer(begin_teardown(teams, options["team"], actor), as_json=options["as_json"])


@verb(example="supervisor team delete auth")
@team_argument
@json_option
@click.pass_obj
def delete(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Delete a team whose end is ready; its history and its files stay.

    Its resident supervisor ends with it: where nobody drives it now, it is driven to its end here.
    """
    from supervisor_ai.control.commands.run_execution import drive_family
    from supervisor_ai.drivers.team.commands.serve import unfinished_watch
    from supervisor_ai.drivers.team.commands.teardown import delete_team

    teams, actor = open_teams(invocation)
    answer, project = delete_team(teams, options["team"], actor), invocation.project()
    resident = unfinished_watch(project.records, options["team"]) if answer.accepted else None
    owner = None if resident is None else project.records.queries.owner(resident.id)
    if resident is not None and (owner is None or not owner.is_alive):
        run_interruptibly(drive_family(project, resident.id))
    return report_answer(answer, as_json=options["as_json"])
