"""`supervisor run`."""

from typing import TYPE_CHECKING, Unpack

import click

from supervisor_ai.cli.foreground.terminal_session import require_terminal
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.run_start import (
    StartOptions,
    cli_option,
    issue_option,
    optional_task_argument,
    overseer_option,
    read_task,
    session_option,
    start,
    start_options,
    wished,
)
from supervisor_ai.cli.streams import read_stdin
from supervisor_ai.cli.verbs import verb
from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from supervisor_ai.domain.issues import IssueLink


class _Options(StartOptions):
    task: str | None
    issue: str | None
    workflow: str | None
    role: tuple[str, ...]
    session: str | None


@verb(
    example='supervisor run "Add a /health endpoint" --cli my_agent --budget 5usd\n'
    "  supervisor run --issue 123 --workflow open_source"
)
@optional_task_argument
@issue_option
@click.option("-w", "--workflow", metavar="NAME", help="Take the task through this workflow.")
@cli_option
@click.option(
    "--role",
    multiple=True,
    metavar="STEP=ROLE",
    help="Give a step another role; ROLE alone: every step whose role answers in the same way.",
)
@session_option
@overseer_option
@click.option("--tui", is_flag=True, help="Watch the run in the terminal UI.")
@start_options
@click.pass_obj
def run(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Run one task to its end.

    The task goes through the steps of a workflow. Workers do the work in copies of the
    repository, gates check it, and the result is a commit on a branch of its own; your checkout,
    your index and your branches stay as they are. `-` reads the task from stdin; `--issue 123`
    takes it from an issue of the repository, `--issue URL` or `--issue TRACKER:ID` from another
    place, as text that is not believed. Where the project
    asks for what you have not agreed to, a terminal shows it and asks, as `supervisor trust` does.
    """
    _require_screen(options)
    from supervisor_ai.cli.commands.setup.trust import with_trust
    from supervisor_ai.control.commands.run_start import StartRequest, prepare

    preflight = invocation.preflight()
    words = read_stdin() if options["task"] == "-" else options["task"]

    def taken() -> "tuple[str, IssueLink | None]":
        return read_task(preflight, words, options["issue"])

    task, issue = with_trust(invocation, options, taken)
    request = StartRequest(
        task=task,
        issue=issue,
        workflow=options["workflow"],
        roles=options["role"],
        session=options["session"],
        **wished(options),
    )
    prepared = with_trust(invocation, options, lambda: prepare(preflight, request))
    return start(invocation, prepared, options)


def _require_screen(options: _Options) -> None:
    """Refuse a screen where nobody looks at one."""
    if not options.get("tui"):
        return
    if options["as_json"] or options["queue"]:
        other = "--json" if options["as_json"] else "--queue"
        raise InvalidInput(
            f"--tui shows the run on a screen, and {other} wants none.", hint="Leave one of them."
        )
    require_terminal()
