"""`supervisor run`."""

from typing import Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    fresh_option,
    json_option,
    queue_option,
    verbose_option,
    wait_option,
    yes_option,
)
from supervisor_ai.cli.run_start import (
    StartOptions,
    budget_option,
    cli_option,
    sandbox_option,
    start,
    start_option,
)
from supervisor_ai.cli.streams import read_stdin
from supervisor_ai.cli.verbs import verb


class _Options(StartOptions):
    task: str
    workflow: str | None
    role: tuple[str, ...]


@verb(example='supervisor run "Add a /health endpoint" --cli my_agent --budget 5usd')
@click.argument("task")
@click.option("-w", "--workflow", metavar="NAME", help="Take the task through this workflow.")
@cli_option
@click.option(
    "--role",
    multiple=True,
    metavar="STEP=ROLE",
    help="Give a step another role; ROLE alone: every step whose role answers in the same way.",
)
@start_option
@sandbox_option
@budget_option
@fresh_option
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
    your index and your branches stay as they are. `-` reads the task from stdin. Where the project
    asks for what you have not agreed to, a terminal shows it and asks, as `supervisor trust` does.
    """
    from supervisor_ai.cli.commands.setup.trust import with_trust
    from supervisor_ai.control.commands.run_start import StartRequest, prepare

    request = StartRequest(
        task=read_stdin() if options["task"] == "-" else options["task"],
        workflow=options["workflow"],
        cli=options["cli"],
        roles=options["role"],
        base=options["base"],
        sandbox=options["sandbox"],
        budget=options["budget"],
        is_fresh=options["no_cache"],
    )
    preflight = invocation.preflight()
    prepared = with_trust(invocation, options, lambda: prepare(preflight, request))
    return start(invocation, prepared, options)
