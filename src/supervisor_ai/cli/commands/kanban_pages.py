"""`supervisor kanban status|check|log`: a kanban is looked at, and nothing is changed."""

from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import click

from supervisor_ai.cli.commands.kanban_words import check_lines, status_page
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.domain.errors import ErrorKind, NotFound
from supervisor_ai.drivers.kanban.commands.check import check_kanban
from supervisor_ai.drivers.kanban.commands.start import Office
from supervisor_ai.drivers.kanban.places import find_any_place, find_place, name_of
from supervisor_ai.drivers.kanban.queries.status import described, show_kanban
from supervisor_ai.drivers.kanban.runs import known_kanbans

if TYPE_CHECKING:
    from supervisor_ai.drivers.kanban.ports import KanbanReader

_DIRECTORY = click.option(
    "--dir", "directory", metavar="DIR", help="The files are in this plain directory."
)


class _Options(TypedDict):
    file: str
    directory: str | None
    as_json: bool


class _StatusOptions(_Options):
    base: str | None


@verb(example="supervisor kanban status tasks/0-kanban-login.md")
@click.argument("file")
@click.option("-b", "--base", metavar="REF", help="Read the files of this commit.")
@_DIRECTORY
@json_option
@click.pass_obj
def status(invocation: Invocation, **options: Unpack[_StatusOptions]) -> int:
    """Show how a kanban stands.

    You see its phase, its tasks, what is next and the newest run that worked on it. The files are
    read from the branch of that run; before there is one, from the checkout's commit.
    """
    office = open_office(invocation)
    place = find_place(office.desk, options["file"], options["directory"])
    view = show_kanban(office, place, ref=options["base"])
    if options["as_json"]:
        write_json({"kanban": view})
    else:
        write(status_page(view, described(place, view.source)))
    return DONE


@verb(example="supervisor kanban check tasks/0-kanban-login.md")
@click.argument("file")
@click.option("-b", "--base", metavar="REF", help="Read the files of this commit.")
@_DIRECTORY
@json_option
@click.pass_obj
def check(invocation: Invocation, **options: Unpack[_StatusOptions]) -> int:
    """Check the files of a kanban and report every mistake.

    The files of the working tree are read, as you edit them, and nothing is changed; with --base
    those of a commit. Each mistake has its file and its line; the exit code is 2 where there is
    one. Work items that say too little are named too: the Manager has them explored first.
    """
    office, file, directory = open_office(invocation), options["file"], options["directory"]
    if directory is None and options["base"] is None:
        place = find_any_place(office.desk, file)
    else:
        place = find_place(office.desk, file, directory)
    found = check_kanban(office, place, ref=options["base"])
    if options["as_json"]:
        write_json({"check": found, "valid": found.is_valid})
    else:
        write("\n".join(check_lines(found)))
    return DONE if found.is_valid else ERROR_EXIT_CODES[ErrorKind.INVALID]


@verb(example="supervisor kanban log tasks/0-kanban-login.md > log.md")
@click.argument("file")
@_DIRECTORY
@json_option
@click.pass_obj
def log(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Show what the supervisor did with a kanban, in markdown.

    Of every run on it: what each iteration read, who was asked, what came of it, and every retry
    with what was expected and what was received.
    """
    from supervisor_ai.bootstrap.projects import answer_outline
    from supervisor_ai.drivers.kanban.queries.log import kanban_log, read_kanban_log

    office = open_office(invocation)
    place, records = find_place(office.desk, options["file"], options["directory"]), office.records
    entries = () if records is None else read_kanban_log(records, place, answer_outline)
    if not entries:
        known = ", ".join(known_kanbans(records))
        raise NotFound(
            f"No run has worked on the kanban {name_of(place)!r}.",
            hint=f"Runs worked on: {known}" if known else None,
        )
    if options["as_json"]:
        write_json({"log": entries})
    else:
        write(kanban_log(entries).rstrip("\n"))
    return DONE


def open_office(invocation: Invocation) -> Office:
    """Open what kanbans are asked and started with."""
    return Office(
        preflight=invocation.preflight(),
        reader=cast("KanbanReader", invocation.port("kanban", "reader")),
        records=invocation.records(),
        start=invocation.directory,
    )
