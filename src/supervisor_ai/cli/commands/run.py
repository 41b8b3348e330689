"""`supervisor run`."""

import sys
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.attending import Attendance
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    queue_option,
    verbose_option,
    wait_option,
    yes_option,
)
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.preview import preview
from supervisor_ai.cli.progress import make_progress
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.errors import DONE, FAILED
from supervisor_ai.control.policy import AUTO, BACKENDS, NO_SANDBOX
from supervisor_ai.control.starting import Prepared, StartRequest, prepare, submit, unpriced
from supervisor_ai.control.views import MutationView


class _Options(TypedDict):
    task: str
    workflow: str | None
    cli: str | None
    role: tuple[str, ...]
    base: str | None
    sandbox: str | None
    budget: str | None
    queue: bool
    wait: bool
    dry_run: bool
    yes: bool
    verbose: bool
    as_json: bool


@verb(example='supervisor run "Add a /health endpoint" --cli my_agent --budget 5usd')
@click.argument("task")
@click.option("-w", "--workflow", metavar="NAME", help="Take the task through this workflow.")
@click.option("-c", "--cli", metavar="NAME", help="Use this agent for every role.")
@click.option(
    "--role",
    multiple=True,
    metavar="STEP=ROLE",
    help="Give a step another role; ROLE alone: every step whose role answers in the same way.",
)
@click.option("-b", "--base", metavar="REF", help="Start from this commit, not the checkout's.")
@click.option(
    "--sandbox",
    type=click.Choice([AUTO, *BACKENDS, NO_SANDBOX]),
    help="Where workers and gates run, whatever the configuration says.",
)
@click.option(
    "--budget",
    metavar="AMOUNT",
    help='Spend at most this: 5usd, or "5usd, 200k tokens, 2h, 10 attempts".',
)
@queue_option
@wait_option
@dry_run_option
@yes_option
@verbose_option
@json_option
@click.pass_obj
def run(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Run one task to its end.

    The task goes through the steps of a workflow. Workers do the work in copies of the
    repository, gates check it, and the result is a commit on a branch of its own; your checkout,
    your index and your branches stay as they are. `-` reads the task from stdin.
    """
    request = StartRequest(
        task=sys.stdin.read() if options["task"] == "-" else options["task"],
        workflow=options["workflow"],
        cli=options["cli"],
        roles=options["role"],
        base=options["base"],
        sandbox=options["sandbox"],
        budget=options["budget"],
    )
    prepared = prepare(invocation.reception(), request)
    if options["dry_run"]:
        return show(prepared, as_json=options["as_json"])
    warn(prepared)
    if not options["yes"] and can_ask() and not agrees(prepared):
        say("Nothing was started.")
        return FAILED
    progress = make_progress(verbose=options["verbose"])
    project = invocation.project(progress)
    attendance = Attendance(
        invocation=invocation,
        project=project,
        progress=progress,
        as_json=options["as_json"],
        wait=options["wait"],
    )
    submission = submit(project, prepared, queued=options["queue"])
    return attendance.begin(submission, queued=options["queue"])


def show(prepared: Prepared, *, as_json: bool) -> int:
    """Print what a run would do."""
    if as_json:
        detail = preview(prepared)
        write_json(MutationView(target=prepared.branch, applied=False, dry_run=True, detail=detail))
    else:
        write(preview(prepared))
    return DONE


def warn(prepared: Prepared) -> None:
    """Say what a person should know before a run starts."""
    if prepared.sandbox == NO_SANDBOX:
        say("warning: workers and gates run without a sandbox and can do whatever you can.")
    for agent in unpriced(prepared.definition):
        say(f"warning: nobody knows what {agent!r} costs, so no budget of money holds for it.")
        say("hint: Give its model a row under `prices` in your own config, or limit tokens.")
    if prepared.is_dirty:
        say("note: your checkout has changes that no commit holds; the run does not see them.")


def agrees(prepared: Prepared) -> bool:
    """Ask a person whether to start it."""
    say(preview(prepared))
    return click.confirm("Proceed?", default=True, err=True)
