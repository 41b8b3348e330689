"""`supervisor demo`."""

from typing import Protocol, TypedDict, Unpack, cast

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
from supervisor_ai.control.slice_names import import_place, registered_slices
from supervisor_ai.domain.errors import NotFound


class Demonstration(Protocol):
    """Shows what a kind of run does; returns the exit code."""

    def __call__(self, *, verbose: bool, as_json: bool) -> int:
        """Make a project and show it at work."""
        ...


class _Options(TypedDict):
    name: str | None
    verbose: bool
    as_json: bool


@verb(example="supervisor demo")
@click.argument("name", metavar="[NAME]", required=False)
@verbose_option
@json_option
@click.pass_obj
def demo(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Watch a small task go through all steps.

    Makes a small Python project in a temporary git repository and takes a task through plan,
    implement, test, review and commit. The agent is scripted, but everything else is real: its
    process, the sandbox, the tests, the ledger, the commit. The first implementation has a mistake,
    so that you see the real failure go back and the next one pass. No key, no network.

    NAME shows what else there is in the same way: a larger piece of work with its own scripted
    agent.
    """
    from supervisor_ai.bootstrap.projects import commit_demo

    del invocation
    if options["name"] is not None:
        return _find(options["name"])(verbose=options["verbose"], as_json=options["as_json"])
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


def _find(name: str) -> Demonstration:
    places = {it.name: it.demo for it in registered_slices().values() if it.demo is not None}
    if name not in places:
        raise NotFound(
            f"There is no demo {name!r}.",
            hint=f"There are: {', '.join(sorted(places))}; and the one without a name.",
        )
    return cast("Demonstration", import_place(places[name]))
