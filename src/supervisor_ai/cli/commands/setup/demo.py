"""`supervisor demo`."""

from typing import Protocol, TypedDict, Unpack, cast

import click

from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
from supervisor_ai.cli.foreground.progress import make_progress
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, verbose_option
from supervisor_ai.cli.output import report_mutation, say
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.demo_project import TASK, left_demos, make_demo_project
from supervisor_ai.control.commands.run_start import StartRequest, prepare, submit
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.control.slice_names import import_place, registered_slices
from supervisor_ai.domain.errors import NotFound, SupervisorError


class Demonstration(Protocol):
    """Shows what a kind of run does; returns the exit code."""

    def __call__(self, *, verbose: bool, as_json: bool) -> int:
        """Make a project and show it at work."""
        ...


class _Options(TypedDict):
    name: str | None
    clean: bool
    verbose: bool
    as_json: bool


@verb(example="supervisor demo")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--clean", is_flag=True, help="Remove the projects that earlier demos left.")
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

    if options["clean"]:
        return _clean(invocation, as_json=options["as_json"])
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
    say(f"Remove it: {invocation.command} demo --clean")
    return code


def _clean(invocation: Invocation, *, as_json: bool) -> int:
    from supervisor_ai.bootstrap.projects import remove_demo

    removed, kept = 0, []
    for directory in left_demos():
        try:
            remove_demo(directory, invocation.settings)
        except SupervisorError as error:
            kept.append(f" {directory} is left as it is: {error.message}")
        else:
            removed += 1
    done = MutationView(
        target="Projects of demos",
        applied=removed > 0,
        dry_run=False,
        detail="".join((f"{removed} removed.", *kept)),
    )
    return report_mutation(done, as_json=as_json)


def _find(name: str) -> Demonstration:
    places = {it.name: it.demo for it in registered_slices().values() if it.demo is not None}
    if name not in places:
        raise NotFound(
            f"There is no demo {name!r}.",
            hint=f"There are: {', '.join(sorted(places))}; and the one without a name.",
        )
    return cast("Demonstration", import_place(places[name]))
