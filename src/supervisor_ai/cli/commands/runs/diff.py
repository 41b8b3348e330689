"""`supervisor diff`."""

import os
import shlex
import shutil
import subprocess
import sys
from typing import Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, run_argument
from supervisor_ai.cli.output import has_colour, say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import short
from supervisor_ai.control.queries.changes import ChangeOfRun, find_change
from supervisor_ai.control.queries.logs import LogFilter
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.programs import find_program

_PAGER: Final = "less -FRX"
_COLOURS: Final = {"+": "green", "-": "red", "@": "cyan"}
_HEADINGS: Final = ("diff ", "--- ", "+++ ", "index ")


class _Options(TypedDict):
    run: str
    step: str | None
    visit: int | None
    attempt: int | None
    stat: bool
    name_only: bool
    as_json: bool


@verb(example="supervisor diff RUN --stat")
@run_argument
@click.option("--stat", is_flag=True, help="Only how many lines of which files.")
@click.option("--name-only", is_flag=True, help="Only the names of the files.")
@click.option("-s", "--step", metavar="STEP", help="The last work of this step.")
@click.option("--visit", type=click.IntRange(1), metavar="N", help="The work of this visit.")
@click.option("--attempt", type=click.IntRange(1), metavar="N", help="The work of this attempt.")
@json_option
@click.pass_obj
def diff(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Show what a run changed.

    A completed run is shown as it was committed, any other one as its last worker left it, also
    while it goes on, always against the commit that it started from. Characters that could move
    your terminal's cursor are left out; with --json nothing is. On a terminal a long change is
    shown with your PAGER. `supervisor merge RUN` takes the change.
    """
    wanted = LogFilter(step=options["step"], visit=options["visit"], attempt=options["attempt"])
    records, repository = invocation.require_records(), invocation.preflight().repository
    change = find_change(records, repository, options["run"], wanted)
    is_short = options["stat"] or options["name_only"]
    if options["as_json"]:
        patch = {} if is_short else {"patch": repository.patch(change.base, change.head)}
        write_json({"diff": change, **patch})
        return DONE
    say(f"Run {change.run} against {short(change.base)}, {change.source}.")
    if options["name_only"]:
        _show([shown_name(plain(it.path)) for it in change.files])
    elif options["stat"]:
        _show([*map(shown_name, _stat(invocation, change))])
    else:
        patch_text = plain(repository.patch(change.base, change.head))
        _show([_painted(line) for line in patch_text.splitlines()])
    return DONE


def _stat(invocation: Invocation, change: ChangeOfRun) -> list[str]:
    stat = invocation.preflight().repository.diff_stat(change.base, change.head)
    return [line.strip() for line in plain(stat).splitlines()]


def _painted(line: str) -> str:
    if not has_colour(sys.stdout):
        return line
    if line.startswith(_HEADINGS):
        return click.style(line, bold=True)
    return click.style(line, fg=_COLOURS.get(line[:1]))


def _show(lines: list[str]) -> None:
    if not lines:
        say("Nothing was changed.")
        return
    text = "\n".join(lines)
    is_long = len(lines) >= shutil.get_terminal_size().lines
    if not (sys.stdout.isatty() and is_long and _paged(text)):
        write(text)


def _paged(text: str) -> bool:
    """Show a text with the user's pager; False where there is none."""
    name, *arguments = shlex.split(os.environ.get("PAGER") or _PAGER) or [""]
    program = find_program(name, os.environ.get("PATH")) if name else None
    if program is None:
        return False
    sys.stdout.flush()
    # less may not start other programs for what a worker wrote.
    environment = {**os.environ, "LESSSECURE": "1"}
    subprocess.run([program, *arguments], input=text.encode(), env=environment, check=False)
    return True
