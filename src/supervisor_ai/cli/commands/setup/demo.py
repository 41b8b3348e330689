"""`supervisor demo`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
from supervisor_ai.cli.foreground.progress import make_progress
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, verbose_option
from supervisor_ai.cli.output import say
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.demo_project import TASK, make_demo_project
from supervisor_ai.control.commands.run_start import StartRequest, prepare, submit


class _Options(TypedDict):
    verbose: bool
    as_json: bool


@verb(example="supervisor demo")
@verbose_option
@json_option
@click.pass_obj
def demo(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Watch a small task go through all steps.

    Makes a small Python project in a temporary git repository and takes a task through plan,
    implement, test, review and commit. The agent is scripted, but everything else is real: its
    process, the sandbox, the tests, the ledger, the commit. The first implementation has a mistake,
    so that you see the real failure go back and the next one pass. No key, no network.
    """
    from supervisor_ai.bootstrap.projects import commit_demo

    del invocation
    # The project was made a moment ago by us, so that there is nothing to ask about trust.
    here = Invocation(directory=make_demo_project(commit_demo), trusts=True)
    say(f"A small Python project with a scripted agent: {here.directory}")
    say(f"Task: {TASK}. The first implementation has a mistake on purpose.\n")
    prepared = prepare(here.preflight(), StartRequest(task=TASK))
    progress = make_progress(verbose=options["verbose"])
    project = here.project(progress)
    run = run_interruptibly(submit(project, prepared, queued=False))
    attendance = ForegroundRun(
        invocation=here, project=project, progress=progress, as_json=options["as_json"]
    )
    code = attendance.attend(run)
    say(f"\nThe project stays in {here.directory}. Look around: {here.command} status")
    return code
