"""`supervisor workspace`."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, FAILED
from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from supervisor_ai.control.commands.workspaces.cleanup import CleanView
    from supervisor_ai.control.queries.workspaces import WorkspaceRecords

_LIMIT: Final = 50


class _ListOptions(TypedDict):
    run: str | None
    limit: int
    as_json: bool


class _ShowOptions(TypedDict):
    name: str
    as_json: bool


class _RestoreOptions(TypedDict):
    name: str
    branch: str | None
    directory: Path | None
    dry_run: bool
    as_json: bool


class _CleanOptions(TypedDict):
    run: str | None
    older_than: timedelta | None
    refs: bool
    yes: bool
    dry_run: bool
    as_json: bool


def _read_duration(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> timedelta | None:
    """Read a length of time such as 14d or 12h."""
    from supervisor_ai.tools.text import duration

    try:
        return None if value is None else duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


_run_option = click.option("--run", metavar="RUN", help="Only what belongs to this run.")


@click.group(help="List, show, restore and clean up what workers left")
def workspace() -> None:
    """List, show, restore and clean up what workers left."""


@verb(name="list", example="supervisor workspace list --run last", group=workspace)
@_run_option
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=_LIMIT, show_default=True, help="Show so many."
)
@json_option
@click.pass_obj
def list_(invocation: Invocation, **options: Unpack[_ListOptions]) -> int:
    """List the workspaces that exist and the work that is kept.

    Directories are in use while a process drives their run, unfinished while their run has not
    ended, and left otherwise. Kept work is unmerged as long as no branch of yours has it.
    """
    from supervisor_ai.cli.commands.runs.workspace_tables import write_list
    from supervisor_ai.control.queries.workspaces import list_workspaces

    listed = list_workspaces(_room(invocation), run=options["run"], limit=options["limit"])
    if options["as_json"]:
        more: dict[str, object] = {}
        if listed.is_truncated:
            more = {"truncated": True, "total": listed.total}
        if listed.expired:
            more |= {"expired": listed.expired, "expired_total": listed.expired_total}
        write_json({"directories": listed.directories, "works": listed.works, **more})
    else:
        write_list(listed)
    return DONE


@verb(example="supervisor workspace show RUN/implement/1.1.1", group=workspace)
@click.argument("name", metavar="REF_OR_DIR")
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Show whose work it is and which files it changed.

    REF_OR_DIR is a ref or a directory as `supervisor workspace list` shows it, RUN/STEP/ATTEMPT,
    or the beginning of a commit's name.
    """
    from supervisor_ai.cli.commands.runs.workspace_tables import shown_workspace
    from supervisor_ai.control.queries.workspaces import show_workspace

    view = show_workspace(_room(invocation), options["name"])
    if options["as_json"]:
        write_json({"workspace": view.found, "files": view.files})
    else:
        write(shown_workspace(invocation, view))
    return DONE


@verb(example="supervisor workspace restore RUN/implement/1.1.1 --branch rescue", group=workspace)
@click.argument("name", metavar="REF")
@click.option("--branch", metavar="NAME", help="Call the new branch so.")
@click.option(
    "--to",
    "directory",
    type=click.Path(path_type=Path),
    metavar="DIRECTORY",
    help="Write the files into this new or empty directory instead.",
)
@dry_run_option
@json_option
@click.pass_obj
def restore(invocation: Invocation, **options: Unpack[_RestoreOptions]) -> int:
    """Make a branch, or a directory, of kept work.

    Without an option the branch is called restored/RUN-STEP-N. A branch that exists is never
    moved, a directory that holds something is never written to, and the checkout stays as it is.
    """
    from supervisor_ai.control.commands.workspaces.restore import Restoration, restore

    branch, directory = options["branch"], options["directory"]
    if branch is not None and directory is not None:
        raise InvalidInput("Work is restored to a branch or to a directory, not to both at once.")
    restoration = Restoration(name=options["name"], branch=branch, directory=directory)
    mutation = restore(_room(invocation), restoration, dry_run=options["dry_run"])
    return report_mutation(mutation, as_json=options["as_json"])


@verb(example="supervisor workspace clean --older-than 14d --dry-run", group=workspace)
@_run_option
@click.option(
    "--older-than",
    callback=_read_duration,
    metavar="DURATION",
    help="Only what is older, such as 14d.",
)
@click.option(
    "--refs",
    is_flag=True,
    help="Also remove refs whose work is found elsewhere. A run whose refs are gone can no longer "
    "be forked at that point.",
)
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def clean(invocation: Invocation, **options: Unpack[_CleanOptions]) -> int:
    """Remove what nobody needs any more.

    Removes directories of runs that have ended. Work that a directory still holds is kept under
    a ref first. Refs go only with --refs, and only when a branch or another ref has their work
    or nothing was changed; everything else stays, with the reason. A run whose refs are gone can
    no longer be forked at that point. Exit code 1 when something could not be removed.
    """
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.workspaces import cleanup as cleaning

    room = _room(invocation)
    scope = cleaning.CleanupScope(
        run=room.find_run(options["run"]) if options["run"] else None,
        older_than=options["older_than"],
        with_refs=options["refs"],
    )
    if options["dry_run"]:
        return _report(cleaning.preview_clean(room, scope), as_json=options["as_json"])
    if not options["yes"] and not _agrees(cleaning.preview_clean(room, scope)):
        say("Nothing was removed.")
        return FAILED
    cleaned = run_interruptibly(cleaning.clean(room, scope))
    return _report(cleaned, as_json=options["as_json"])


def _room(invocation: Invocation) -> "WorkspaceRecords":
    from supervisor_ai.bootstrap.projects import open_workspaces

    return open_workspaces(invocation.directory, invocation.settings)


def _agrees(preview: "CleanView") -> bool:
    from supervisor_ai.cli.commands.runs.workspace_tables import shown_items

    if not can_ask():
        raise InvalidInput(
            "Cleaning up needs your word, and there is no terminal to ask you.",
            hint="Look with --dry-run; if you agree, say --yes.",
        )
    say("\n".join([*shown_items(preview), preview.detail]))
    return click.confirm("Proceed?", default=False, err=True)


def _report(view: "CleanView", *, as_json: bool) -> int:
    from supervisor_ai.cli.commands.runs.workspace_tables import shown_items

    if not as_json:
        for line in shown_items(view):
            write(line)
    code = report_mutation(view, as_json=as_json)
    return FAILED if view.has_failed else code
