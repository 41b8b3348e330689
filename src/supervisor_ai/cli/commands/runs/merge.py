"""`supervisor merge`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, run_argument
from supervisor_ai.cli.output import report_mutation, say
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_merge import MergeRequest, merge_run


class _Options(TypedDict):
    run: str
    into: str | None
    squash: bool
    dry_run: bool
    as_json: bool


@verb(example="supervisor merge RUN --squash")
@run_argument
@click.option("--into", metavar="BRANCH", help="Merge into this branch, not the one checked out.")
@click.option("--squash", is_flag=True, help="Take all of it as one commit of yours.")
@dry_run_option
@json_option
@click.pass_obj
def merge(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Merge a completed run's work into your branch.

    The branch takes the run's commits as they are where it can (fast-forward), else with a merge
    commit in your name; with --squash all of it is one commit. This is the one verb that changes
    your checkout, and it loses nothing: it refuses a checkout with changes that no commit holds,
    files in the way that git does not know, conflicts, and a branch that moves meanwhile. It runs
    no hook, filter or merge driver. `git reset --keep ORIG_HEAD` takes it back.
    """
    from supervisor_ai.bootstrap import open_merges

    request = MergeRequest(
        run=options["run"],
        into=options["into"],
        squash=options["squash"],
        dry_run=options["dry_run"],
    )
    records = invocation.require_records()
    with open_merges(invocation.directory, invocation.settings) as merges:
        merged = merge_run(records, merges.for_user(), request)
    if merged.applied and not options["as_json"]:
        came = f"{merged.before[:12]}..{merged.target}"
        say(f"What came with it: {invocation.git} log --oneline {came}")
    return report_mutation(merged, as_json=options["as_json"])
