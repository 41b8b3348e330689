"""`supervisor edit`."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.editor import edit_copies
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, run_argument
from supervisor_ai.cli.output import can_ask, report_mutation
from supervisor_ai.cli.run_details import say_who_continues
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.decisions.change_edit import (
    edit_files,
    editable_question,
    take_commit,
    texts_of,
)
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha


class _Options(TypedDict):
    run: str
    files: tuple[str, ...]
    taken: str | None
    replacements: tuple[str, ...]
    as_json: bool


@verb(example="supervisor edit RUN src/shop.py")
@run_argument
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--commit", "taken", metavar="REV", help="Take your own commit on top of the change.")
@click.option(
    "--with",
    "replacements",
    multiple=True,
    metavar="FILE=PATH",
    help="Take the contents of FILE from PATH, without an editor.",
)
@json_option
@click.pass_obj
def edit(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Change the files that a run asks about.

    Your EDITOR is opened on copies of the named files; what you save becomes a commit on top of the
    run's work, and gates and reviewers look at it again before anything lands. Your checkout is not
    touched. For more than a few lines, make a commit of your own on top of the change and name it
    with --commit.
    """
    project = invocation.project()
    row, asked = editable_question(project, options["run"])
    if options["taken"] is not None:
        from supervisor_ai.bootstrap.projects import open_merges

        with open_merges(invocation.directory, invocation.settings) as merges:
            taking = take_commit(project, row, asked, options["taken"], merges.for_user())
            mutation = asyncio.run(taking)
    else:
        contents = _contents(project, asked.commit, options)
        mutation = asyncio.run(edit_files(project, row, asked, contents))
    if mutation.applied:
        say_who_continues(invocation, project.records, row.id)
    return report_mutation(mutation, as_json=options["as_json"])


def _contents(
    project: OpenProject, commit: CommitSha, options: _Options
) -> Mapping[str, bytes | None]:
    if options["replacements"]:
        return dict(map(_replacement, options["replacements"]))
    if not options["files"]:
        raise InvalidInput(
            "No file is named that is to be edited.",
            hint="List the changed files: supervisor diff RUN --name-only",
        )
    if not can_ask():
        raise InvalidInput(
            "There is no terminal to edit on.", hint="Use --with FILE=PATH or --commit REV."
        )
    return _edited(project, commit, options["files"])


def _replacement(text: str) -> tuple[str, bytes]:
    file, sign, path = text.partition("=")
    if not file or not sign:
        raise InvalidInput(f"{text!r} names no file and its contents.", hint="Write FILE=PATH.")
    try:
        return file, Path(path).read_bytes()
    except OSError as error:
        raise NotFound(f"{path!r} cannot be read: {error.strerror}.") from error


def _edited(
    project: OpenProject, commit: CommitSha, files: tuple[str, ...]
) -> Mapping[str, bytes | None]:
    """Let the user's editor change copies of the files."""
    return edit_copies(texts_of(project, commit, files))
