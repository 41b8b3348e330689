"""`supervisor fork`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.foreground_run import ForegroundRun
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    queue_option,
    run_argument,
    verbose_option,
    wait_option,
)
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.progress import make_progress
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_fork import PreparedFork, prepare_fork, submit_fork
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.run_views import MutationView


class _Options(TypedDict):
    run: str
    step: str
    queue: bool
    wait: bool
    dry_run: bool
    verbose: bool
    as_json: bool


@verb(example="supervisor fork RUN --at implement")
@run_argument
@click.option(
    "--at", "step", required=True, metavar="STEP", help="Begin at this step's last visit."
)
@queue_option
@wait_option
@dry_run_option
@verbose_option
@json_option
@click.pass_obj
def fork(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Start a new run from a step of another one.

    The new run shares the other's past up to its last visit to the step and has a branch of its
    own. Nothing of the other run is changed.
    """
    progress = make_progress(verbose=options["verbose"])
    project = invocation.project(progress)
    prepared = prepare_fork(project, options["run"], step=options["step"])
    if options["dry_run"]:
        return _show(prepared, as_json=options["as_json"])
    attendance = ForegroundRun(
        invocation=invocation,
        project=project,
        progress=progress,
        as_json=options["as_json"],
        wait=options["wait"],
    )
    submission = submit_fork(project, prepared, queued=options["queue"])
    return attendance.begin(submission, queued=options["queue"])


def _show(prepared: PreparedFork, *, as_json: bool) -> int:
    point = prepared.birth.fork
    detail = f"Would fork {point.run} at version {point.version}." if point else ""
    branch = prepared.birth.branch or prepared.run
    if as_json:
        write_json(MutationView(target=branch, applied=False, dry_run=True, detail=detail))
    else:
        write(f"{detail} The branch would be {branch}.")
    return DONE
