"""`supervisor session import`, `export` and `sync`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.commands.sessions.words import (
    absolute,
    directory_option,
    open_office,
    report_folders,
    session_argument,
)
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.verbs import verb


class _Options(TypedDict):
    session: str | None
    directory: str | None
    as_json: bool


@verb(example="supervisor session import login", name="import")
@session_argument
@directory_option
@json_option
@click.pass_obj
def import_files(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Take what is new in a session's folder into the ledger.

    Each line of .msg/messages.jsonl once, each file when it has changed, known by their hashes.
    Files prove nobody: they decide nothing, and nothing in them is the supervisor's word.
    """
    from supervisor_ai.control.sessions.folder.folder_desk import open_folder
    from supervisor_ai.control.sessions.folder.folder_import import import_folder

    office, found = open_office(invocation, options["session"])
    directory = absolute(invocation, options["directory"])
    desk = open_folder(office.desk, found, office.folders, directory, office.actor)
    return report_folders(found, {"imported": import_folder(desk)}, as_json=options["as_json"])


@verb(example="supervisor session export login --dir ../handover", name="export")
@session_argument
@directory_option
@json_option
@click.pass_obj
def export_files(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Write a session into its folder, as teams of agents lay it out.

    Messages are added at the end. A file that is newer than what was read or written last is left
    as it is, and told.
    """
    from supervisor_ai.control.sessions.folder.folder_desk import open_folder
    from supervisor_ai.control.sessions.folder.folder_export import export_folder

    office, found = open_office(invocation, options["session"])
    directory = absolute(invocation, options["directory"])
    desk = open_folder(office.desk, found, office.folders, directory, office.actor)
    return report_folders(found, {"exported": export_folder(desk)}, as_json=options["as_json"])


@verb(example="supervisor session sync login")
@session_argument
@directory_option
@json_option
@click.pass_obj
def sync(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Import a session's folder, then export what it lacks."""
    from supervisor_ai.control.sessions.start import sync_folder

    office, found = open_office(invocation, options["session"])
    took, gave = sync_folder(office, found, absolute(invocation, options["directory"]))
    return report_folders(found, {"imported": took, "exported": gave}, as_json=options["as_json"])
