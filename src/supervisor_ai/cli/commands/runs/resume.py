"""`supervisor resume`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.foreground_run import ForegroundRun
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    fresh_option,
    json_option,
    run_argument,
    verbose_option,
    wait_option,
)
from supervisor_ai.cli.progress import make_progress
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.domain.run.status import ENDED


class _Options(TypedDict):
    run: str
    no_cache: bool
    wait: bool
    verbose: bool
    as_json: bool


@verb(example="supervisor resume RUN --wait")
@run_argument
@fresh_option
@wait_option
@verbose_option
@json_option
@click.pass_obj
def resume(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Go on with a run from its last fact.

    What was finished is not repeated. A run that somebody else drives is left alone; a run that
    has ended is only shown. --no-cache holds until this command ends. RUN may be the beginning or
    the end of a run's name.
    """
    progress = make_progress(verbose=options["verbose"])
    project = invocation.project(progress, is_fresh=options["no_cache"])
    row = run_interruptibly(prepare_resume(project, options["run"]))
    attendance = ForegroundRun(
        invocation=invocation,
        project=project,
        progress=progress,
        as_json=options["as_json"],
        wait=options["wait"],
    )
    return attendance.report(row.id) if row.status in ENDED else attendance.attend(row.id)
