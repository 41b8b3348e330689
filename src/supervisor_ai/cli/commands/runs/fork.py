"""`supervisor fork`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
from supervisor_ai.cli.foreground.progress import make_progress
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    queue_option,
    run_argument,
    verbose_option,
    wait_option,
)
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.run_preview import preview
from supervisor_ai.cli.run_start import budget_option, cli_option
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_fork import (
    ForkRequest,
    PreparedFork,
    prepare_fork,
    submit_fork,
)
from supervisor_ai.control.commands.run_start import PreparedRun
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.ids import ArtifactHash


class _Options(TypedDict):
    run: str
    step: str
    cli: str | None
    workflow: str | None
    budget: str | None
    note: str | None
    queue: bool
    wait: bool
    dry_run: bool
    verbose: bool
    as_json: bool


@verb(example='supervisor fork RUN --at implement --cli codex --note "Mind the empty list"')
@run_argument
@click.option(
    "--at", "step", required=True, metavar="STEP", help="Begin at this step's last visit."
)
@cli_option
@click.option("--note", metavar="TEXT", help="Words for the next worker.")
@click.option("-w", "--workflow", metavar="NAME", help="Go on under this workflow.")
@budget_option
@queue_option
@wait_option
@dry_run_option
@verbose_option
@json_option
@click.pass_obj
def fork(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Start a new run from a step of another one.

    The new run shares the other's past up to its last visit to the step and has a branch of its
    own. Nothing of the other run is changed. With another agent, workflow or budget it goes on
    under the definitions of the commit that both started from; tries are counted anew then, as
    with a note. The other workflow must have the steps that were visited.
    """
    progress = make_progress(verbose=options["verbose"])
    project = invocation.project(progress)
    request = ForkRequest(
        run=options["run"],
        step=options["step"],
        cli=options["cli"],
        workflow=options["workflow"],
        budget=options["budget"],
        note=options["note"],
    )
    prepared = prepare_fork(project, request)
    if options["dry_run"]:
        return _show(project, prepared, as_json=options["as_json"])
    if prepared.is_changed or _note(prepared) is not None:
        say(_preview(project, prepared))
    attendance = ForegroundRun(
        invocation=invocation,
        project=project,
        progress=progress,
        as_json=options["as_json"],
        wait=options["wait"],
    )
    submission = submit_fork(project, prepared, queued=options["queue"])
    return attendance.begin(submission, queued=options["queue"])


def _show(project: OpenProject, prepared: PreparedFork, *, as_json: bool) -> int:
    point = prepared.birth.fork
    detail = f"Would fork {point.run} at version {point.version}." if point else ""
    branch = prepared.birth.branch or prepared.run
    if as_json:
        detail = f"{detail}\n{_preview(project, prepared)}"
        write_json(MutationView(target=branch, applied=False, dry_run=True, detail=detail))
    else:
        write(f"{detail} The branch would be {branch}.\n{_preview(project, prepared)}")
    return DONE


def _preview(project: OpenProject, prepared: PreparedFork) -> str:
    birth = prepared.birth
    if birth.base is None:
        return ""
    shown = preview(
        PreparedRun(
            run=prepared.run,
            task=project.records.text(birth.task),
            definition=prepared.definition,
            base=birth.base,
            branch=birth.branch or "",
            sandbox=birth.sandbox,
            is_dirty=False,
            is_fresh=birth.is_fresh,
            driver=birth.driver,
        )
    )
    note = _note(prepared)
    words = "" if note is None else one_line(project.records.text(note))
    changes = [f"  changed   {one_line(line)}" for line in prepared.difference.splitlines()]
    return "\n".join([shown, *changes, *([f"  note      {words}"] if words else [])])


def _note(prepared: PreparedFork) -> ArtifactHash | None:
    point = prepared.birth.fork
    return None if point is None else point.note
