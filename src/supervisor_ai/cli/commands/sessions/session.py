"""`supervisor session`."""

from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.commands.sessions.folders import export_files, import_files, sync
from supervisor_ai.cli.commands.sessions.tasks import task
from supervisor_ai.cli.commands.sessions.words import (
    absolute,
    directory_option,
    open_office,
    page_lines,
    session_argument,
    split_words,
)
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option
from supervisor_ai.cli.output import report_mutation, say, write, write_json
from supervisor_ai.cli.tables import columns, fitted, local_time
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.domain.session.members import MemberRole

if TYPE_CHECKING:
    from supervisor_ai.control.sessions.session_pages import SessionSummary
    from supervisor_ai.control.sessions.start import SessionOffice
    from supervisor_ai.domain.ids import SessionId


class _Options(TypedDict):
    as_json: bool


class _SessionOptions(_Options):
    session: str | None


class _NewOptions(_Options):
    new_name: str | None
    title: str | None
    pipeline: str
    team: str | None
    requirement: str | None
    directory: str | None
    supervision: bool | None
    dry_run: bool


class _CloseOptions(_SessionOptions):
    dry_run: bool


class _TokenOptions(_SessionOptions):
    role: str
    member: str | None


class _RemoveOptions(_Options):
    session_member: tuple[str, ...]


@click.group(help="Let members work together: tasks and messages")
def session() -> None:
    """Let members work together: tasks and messages."""


for _command in (task, import_files, export_files, sync):
    session.add_command(_command)


@verb(
    example='supervisor session new login --pipeline full-lifecycle --requirement "A login page"',
    group=session,
)
@click.argument("new_name", metavar="[NAME]", required=False)
@click.option("--title", metavar="TEXT", help="Make the name of these words.")
@click.option(
    "--pipeline",
    metavar="PIPELINE",
    required=True,
    help="spec-only, impl-only, full-lifecycle, or a YAML file.",
)
@click.option("--team", metavar="NAME", help="What the team is called.")
@click.option("--requirement", metavar="TEXT", help="What the session is for.")
@directory_option
@click.option(
    "--supervision/--no-supervision",
    "supervision",
    default=None,
    help="Whether a supervisor looks at the work; by default as the pipeline says.",
)
@dry_run_option
@json_option
@click.pass_obj
def new(invocation: Invocation, **options: Unpack[_NewOptions]) -> int:
    """Begin a session with the tasks of a pipeline.

    Its files are in .supervisor/sessions/NAME, which git ignores, or in a folder that the team has
    already: what is there is imported first.
    """
    from supervisor_ai.control.sessions.start import (
        WantedSession,
        plan_session,
        start_session,
        sync_folder,
    )

    office = invocation.session_office()
    wanted = WantedSession(
        name=options["new_name"],
        title=options["title"],
        pipeline=options["pipeline"],
        team=options["team"],
        requirement=options["requirement"],
        directory=absolute(invocation, options["directory"]),
        supervision=options["supervision"],
    )
    planned = plan_session(office, wanted)
    if options["dry_run"]:
        _show_plan(planned.new.name, [(it.task, it.owner) for it in planned.tasks], options)
        return DONE
    begun = start_session(office, planned)
    took, _ = sync_folder(office, begun)
    for note in (*took.notes, *took.conflicts):
        say(f"note: {note}")
    return _show(office, begun, as_json=options["as_json"])


def _show_plan(name: str, tasks: list[tuple[str, str]], options: _NewOptions) -> None:
    if options["as_json"]:
        told = [{"id": task, "owner": owner} for task, owner in tasks]
        write_json({"session": {"id": name, "tasks": told}, "dry_run": True})
    else:
        write("\n".join((f"{name} would begin with:", *columns([("TASK", "OWNER"), *tasks]))))


@verb(example="supervisor session list", name="list", group=session)
@json_option
@click.pass_obj
def list_sessions(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """List the sessions of the project, the newest first."""
    from supervisor_ai.control.sessions.session_pages import summaries

    has_ledger = invocation.records() is not None
    found = summaries(invocation.session_office().desk) if has_ledger else ()
    if options["as_json"]:
        write_json({"sessions": found})
        return DONE
    if not found:
        say("There is no session yet. Begin one: supervisor session new NAME --pipeline spec-only")
        return DONE
    write(
        "\n".join(
            fitted(
                [("SESSION", "STATUS", "TASKS", "MESSAGES", "OPENED", "PIPELINE")]
                + [_row(it) for it in found]
            )
        )
    )
    return DONE


def _row(it: "SessionSummary") -> tuple[str, ...]:
    done = f"{it.tasks_completed}/{it.tasks_total}"
    opened = local_time(it.opened_at)
    return (it.id, it.status, done, str(it.messages), opened, it.pipeline)


@verb(example="supervisor session show login", group=session)
@session_argument
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_SessionOptions]) -> int:
    """Show a session: what it is for, who takes part, where its tasks stand."""
    office, found = open_office(invocation, options["session"])
    return _show(office, found, as_json=options["as_json"])


def _show(office: "SessionOffice", name: "SessionId", *, as_json: bool) -> int:
    from msgspec import to_builtins

    from supervisor_ai.control.sessions.session_pages import show_session

    page = show_session(office.desk, name)
    folder = page.summary.folder
    place = None if folder is None else office.folders.place(folder)
    if as_json:
        told = to_builtins(page)
        write_json({"session": {**told.pop("summary"), **told, "place": place}})
    else:
        write("\n".join(page_lines(page, place)))
    return DONE


@verb(example="supervisor session close login", group=session)
@session_argument
@dry_run_option
@json_option
@click.pass_obj
def close(invocation: Invocation, **options: Unpack[_CloseOptions]) -> int:
    """Let nothing be added to a session any more."""
    from supervisor_ai.control.run_views import MutationView
    from supervisor_ai.control.sessions.desk import close_session

    office, found = open_office(invocation, options["session"])
    if not options["dry_run"]:
        close_session(office.desk, found, office.actor)
    detail = "would be closed" if options["dry_run"] else "closed; what was said can still be read"
    return report_mutation(
        MutationView(
            target=found,
            applied=not options["dry_run"],
            dry_run=options["dry_run"],
            detail=detail,
        ),
        as_json=options["as_json"],
    )


@verb(example="supervisor session token login --role worker --member writer", group=session)
@session_argument
@click.option(
    "--role",
    type=click.Choice([it.value for it in MemberRole]),
    required=True,
    help="What the member may do.",
)
@click.option("--member", metavar="NAME", help="Who; by default the name of the role.")
@json_option
@click.pass_obj
def token(invocation: Invocation, **options: Unpack[_TokenOptions]) -> int:
    """Let somebody take part, and print the token that proves who speaks.

    The token is shown once and kept nowhere; the ledger has its hash. Where the command was
    killed before it had shown the token, the same command gives another. To take it back:
    supervisor session remove-member.
    """
    from supervisor_ai.control.sessions.members import Members

    office, found = open_office(invocation, options["session"])
    role = MemberRole(options["role"])
    member = options["member"] or role.value
    members = Members(office.desk, found, office.actor)
    made = members.add(member, role, awaits_delivery=True)
    if options["as_json"]:
        made_json = {"session": found, "member": member, "role": role.value, "token": made}
        is_shown = write_json(made_json)
    else:
        is_shown = write(made)
        say(f"{member} takes part in {found} as {role.value}. The token is not shown again.")
    if is_shown:
        members.deliver(member, made)
    return DONE


@verb(example="supervisor session members login", group=session)
@session_argument
@json_option
@click.pass_obj
def members(invocation: Invocation, **options: Unpack[_SessionOptions]) -> int:
    """List who takes part in a session."""
    from supervisor_ai.control.sessions.session_pages import show_session

    office, found = open_office(invocation, options["session"])
    listed = show_session(office.desk, found).members
    if options["as_json"]:
        write_json({"members": listed})
    else:
        rows = [("MEMBER", "ROLE"), *((it.name, it.role) for it in listed)]
        write("\n".join(columns(rows)))
    return DONE


@verb(example="supervisor session remove-member login writer", name="remove-member", group=session)
@click.argument("session_member", nargs=-1, metavar="[SESSION] MEMBER")
@json_option
@click.pass_obj
def remove_member(invocation: Invocation, **options: Unpack[_RemoveOptions]) -> int:
    """Let somebody take part no longer; the token proves nothing any more."""
    from supervisor_ai.control.run_views import MutationView
    from supervisor_ai.control.sessions.members import Members

    name, member = split_words(options["session_member"], "MEMBER")
    office, found = open_office(invocation, name)
    Members(office.desk, found, office.actor).remove(member)
    mutation = MutationView(
        target=found, applied=True, dry_run=False, detail=f"{member} takes part no longer"
    )
    return report_mutation(mutation, as_json=options["as_json"])
