"""`supervisor cancel`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, run_argument
from supervisor_ai.cli.output import report_mutation, say, write, write_json
from supervisor_ai.cli.summary import summarise
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_cancellation import cancel as stop
from supervisor_ai.control.commands.run_cancellation import require_cancellable
from supervisor_ai.control.exit_codes import DONE, WAITS
from supervisor_ai.control.run_views import MutationView, RunView
from supervisor_ai.domain.run.status import ENDED


class _Options(TypedDict):
    run: str
    reason: str | None
    dry_run: bool
    as_json: bool


@verb(example='supervisor cancel RUN --reason "The task was a mistake"')
@run_argument
@click.option("--reason", metavar="TEXT", help="Why; kept in the ledger.")
@dry_run_option
@json_option
@click.pass_obj
def cancel(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Stop a run.

    Its workers are stopped and what they wrote is kept under refs/supervisor/. Whoever drives
    the run stops it within a second; a run that nobody drives is stopped here.
    """
    project = invocation.project()
    if options["dry_run"]:
        row = project.records.find(options["run"])
        require_cancellable(row)
        detail = f"Would stop the run, which is {row.status.value}."
        mutation = MutationView(target=row.id, applied=False, dry_run=True, detail=detail)
        return report_mutation(mutation, as_json=options["as_json"])
    run = run_interruptibly(stop(project, options["run"], reason=options["reason"]))
    if options["as_json"]:
        write_json({"run": run})
    else:
        write(summarise(invocation, project, run))
    return _code(run)


def _code(run: RunView) -> int:
    if run.status in ENDED:
        return DONE
    say("The run's owner was asked to stop, but has not confirmed it yet.")
    return WAITS
