"""`supervisor comment`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, run_argument
from supervisor_ai.cli.output import report_mutation, say
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.decisions.line_comments import comment_on, read_place


class _Options(TypedDict):
    run: str
    place: str
    text: str
    dry_run: bool
    as_json: bool


@verb(example='supervisor comment RUN src/shop.py:12 "Round only at the end"')
@run_argument
@click.argument("place", metavar="FILE:[-]LINE")
@click.argument("text", metavar="TEXT")
@dry_run_option
@json_option
@click.pass_obj
def comment(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Say something about a line of a run's change.

    LINE counts in the file as the run has left it. A line that the change removes has a minus,
    FILE:-LINE, and counts in the file as it was before, under the name that it had. Comments are
    collected; `supervisor reject` sends them to the implementer together, each with what its line
    says, who answers them by their numbers. An approval leaves them in the ledger.
    """
    place = read_place(options["place"])
    project = invocation.project()
    dry_run = options["dry_run"]
    mutation = comment_on(project, options["run"], place, options["text"], dry_run=dry_run)
    if mutation.applied:
        say(f'Send all comments back: supervisor reject {mutation.target} --reason "…"')
    return report_mutation(mutation, as_json=options["as_json"])
