"""`supervisor start-task`."""

from functools import partial
from typing import Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.run_start import (
    StartOptions,
    attend,
    cli_option,
    for_team,
    issue_option,
    optional_task_argument,
    overseer_option,
    read_task,
    session_option,
    start_options,
    warn,
    wished,
)
from supervisor_ai.cli.streams import read_stdin
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, FAILED


class _Options(StartOptions):
    task: str | None
    issue: str | None
    workflow: str | None
    session: str | None


@verb(name="start-task", example='supervisor start-task "Add user authentication"')
@optional_task_argument
@issue_option
@click.option("-w", "--workflow", metavar="NAME", help="Take the task through this workflow.")
@cli_option
@session_option
@overseer_option
@start_options
@click.pass_obj
def start_task(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Start a task on a branch of its own.

    Shows the branch and the commit that it would start from, and asks. Then the task goes through
    its workflow as with `supervisor run`; when the work is done, checked and reviewed, it waits
    for `supervisor complete-task`, for days if need be (exit code 5). The branch is made at once
    (`git.auto_branch`) and never checked out: your checkout, your index and your branches stay as
    they are. `-` reads the task from stdin; `--issue` takes it from an issue, as with `run`.
    """
    from supervisor_ai.bootstrap.projects import open_workspaces
    from supervisor_ai.cli.commands.runs.git_preview import agrees, start_preview
    from supervisor_ai.cli.commands.setup.trust import with_trust
    from supervisor_ai.control.commands.git_flow.task_start import (
        as_task,
        require_branch,
        submit_task,
    )
    from supervisor_ai.control.commands.run_start import StartRequest, prepare, unattended
    from supervisor_ai.control.run_views import MutationView

    preflight = invocation.preflight()
    words = read_stdin() if options["task"] == "-" else options["task"]
    taking = partial(read_task, preflight, words, options["issue"])
    task, issue = with_trust(invocation, options, taking)
    request = StartRequest(
        task=task,
        issue=issue,
        workflow=options["workflow"],
        session=options["session"],
        **wished(options),
    )
    prepared = as_task(with_trust(invocation, options, lambda: prepare(preflight, request)))
    prepared = for_team(invocation, prepared, options)
    preview = start_preview(prepared)
    if options["dry_run"]:
        shown = MutationView(target=prepared.branch, applied=False, dry_run=True, detail=preview)
        write_json(shown) if options["as_json"] else write(preview)
        return DONE
    inventory = open_workspaces(invocation.directory, invocation.settings).inventory
    require_branch(inventory, prepared)
    warn(prepared)
    is_asked = prepared.definition.git.dry_run_preview and not options["yes"]
    if is_asked and not agrees(preview, verb="start-task"):
        say("Nothing was started.")
        return FAILED
    prepared = prepared if can_ask() and not options["yes"] else unattended(prepared)
    attendance = attend(invocation, options)
    queued = options["queue"]
    submission = submit_task(attendance.project, inventory, prepared, queued=queued, tell=say)
    return attendance.begin(submission, queued=queued)
