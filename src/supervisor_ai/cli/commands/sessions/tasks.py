"""`supervisor session task`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.commands.sessions.words import (
    open_office,
    session_argument,
    split_words,
    task_lines,
)
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session.tasks import TaskStatus


class _ListOptions(TypedDict):
    session: str | None
    as_json: bool


class _AddOptions(TypedDict):
    session_task: tuple[str, ...]
    subject: str
    owner: str
    blocked_by: tuple[str, ...]
    as_json: bool


class _UpdateOptions(TypedDict):
    session_task: tuple[str, ...]
    status: str | None
    owner: str | None
    as_json: bool


@click.group(help="List, add and move the tasks of a session")
def task() -> None:
    """List, add and move the tasks of a session."""


@verb(example="supervisor session task list login", name="list", group=task)
@session_argument
@json_option
@click.pass_obj
def list_tasks(invocation: Invocation, **options: Unpack[_ListOptions]) -> int:
    """List the tasks of a session, and which of them wait for which."""
    from supervisor_ai.control.sessions.calls import make_call
    from supervisor_ai.control.sessions.session_pages import show_session

    office, found = open_office(invocation, options["session"])
    if options["as_json"]:
        write_json(make_call(office.room(found), "task_list", {}))
    else:
        write("\n".join(task_lines(show_session(office.desk, found).tasks)))
    return DONE


@verb(
    example='supervisor session task add login DOCS-001 --subject "Write the guide" --owner writer',
    group=task,
)
@click.argument("session_task", nargs=-1, metavar="[SESSION] TASK")
@click.option("--subject", metavar="TEXT", required=True, help="What there is to do.")
@click.option("--owner", metavar="MEMBER", default="", help="Who does it.")
@click.option(
    "--blocked-by", metavar="TASK", multiple=True, help="What it waits for; as often as needed."
)
@json_option
@click.pass_obj
def add(invocation: Invocation, **options: Unpack[_AddOptions]) -> int:
    """Add a task to a session; adding it twice is harmless."""
    name, new = split_words(options["session_task"], "TASK")
    told: dict[str, object] = {
        "taskId": new,
        "subject": options["subject"],
        "owner": options["owner"],
        "blockedBy": options["blocked_by"],
    }
    return _call(invocation, name, "task_create", told, as_json=options["as_json"])


@verb(example="supervisor session task update login DRAFT-001 --status completed", group=task)
@click.argument("session_task", nargs=-1, metavar="[SESSION] TASK")
@click.option(
    "--status", type=click.Choice([it.value for it in TaskStatus]), help="Where it stands now."
)
@click.option("--owner", metavar="MEMBER", help="Whose it is now.")
@json_option
@click.pass_obj
def update(invocation: Invocation, **options: Unpack[_UpdateOptions]) -> int:
    """Move a task, or hand it on; some are the supervisor's alone to move."""
    name, moved = split_words(options["session_task"], "TASK")
    told: dict[str, object] = {
        "taskId": moved,
        "status": options["status"],
        "owner": options["owner"],
    }
    return _call(invocation, name, "task_update", told, as_json=options["as_json"])


def _call(
    invocation: Invocation,
    session: str | None,
    call: str,
    told: dict[str, object],
    *,
    as_json: bool,
) -> int:
    from supervisor_ai.control.sessions.calls import make_call
    from supervisor_ai.control.sessions.session_pages import show_session

    office, found = open_office(invocation, session)
    answer = make_call(office.room(found), call, told)
    if as_json:
        write_json(answer)
        return DONE
    tasks = show_session(office.desk, SessionId(found)).tasks
    write("\n".join(task_lines([it for it in tasks if it.id == told["taskId"]])))
    return DONE
