"""`supervisor tui`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.foreground.terminal_session import open_session, require_terminal, say_left
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, optional_run_argument
from supervisor_ai.cli.output import write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE


class _Options(TypedDict):
    run: str | None
    mouse: bool
    as_json: bool


@verb(example="supervisor tui")
@optional_run_argument
@click.option("--mouse/--no-mouse", default=True, help="Let the mouse click; without: select text.")
@json_option
@click.pass_obj
def tui(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Watch all runs on one screen, and answer them.

    You see every run with its step, its risk, its cost and what it waits for; one run with its
    steps, log, gates and diff; and the questions of runs with the keys to approve, reject, comment,
    edit and skip. What is done can be merged or completed. `?` lists all keys. Everything that a
    key does is also a verb of the command line, and nothing here is needed by a run. A run that you
    answer and nobody drives goes on here until you leave. With --json the board is printed once,
    and no terminal is needed. RUN may be the beginning or the end of a run's name.
    """
    if options["as_json"]:
        return _print_board(invocation)
    require_terminal()
    name = options["run"]
    first = None if name is None else invocation.require_records().find(name).id
    end = open_session(invocation, mouse=options["mouse"]).show(first=first)
    say_left(invocation, end)
    return DONE


def _print_board(invocation: Invocation) -> int:
    from supervisor_ai.control.dashboard.run_lines import LISTED, RunLines

    records = invocation.records()
    if records is None:
        write_json({"board": (), "total": 0})
        return DONE
    lines = RunLines(records, limit=LISTED)
    lines.refresh()
    write_json({"board": lines.lines, "total": lines.total})
    return DONE
