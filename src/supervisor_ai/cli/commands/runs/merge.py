"""`supervisor merge`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.commands.runs.merge_policy import clearing
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    run_argument,
    strategy_options,
)
from supervisor_ai.cli.output import report_mutation, say
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.git_flow.run_merge import MergeRequest, merge_run
from supervisor_ai.domain.git_flow.policy import AS_USUAL, MergeStrategy


class _Options(TypedDict):
    run: str
    into: str | None
    strategy: str | None
    gates: bool | None
    dry_run: bool
    as_json: bool


@verb(example="supervisor merge RUN --squash")
@run_argument
@click.option("--into", metavar="BRANCH", help="Merge into this branch, not the one checked out.")
@strategy_options
@click.option(
    "--gates/--no-gates", default=None, help="Run the gates on what the merge makes first, or not."
)
@dry_run_option
@json_option
@click.pass_obj
def merge(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Merge a completed run's work into your branch.

    The branch takes the run's commits as they are where it can (fast-forward), else with a merge
    commit in your name; --ff, --merge and --squash say otherwise, as does `git.merge_strategy`.
    Your checkout is changed by this verb and by `complete-task` alone, and nothing is lost: they
    refuse a checkout with changes that no commit holds, files in the way that git does not know,
    conflicts, a protected branch, and one that moves meanwhile. No hook, filter or merge driver is
    run. `git reset --keep ORIG_HEAD` takes it back. Where the run has an approval policy and the
    merge would make other files than those that were agreed to, the policy is asked about them.
    With --gates, or `git.merge_gates: true`, the command gates of the run's workflow, as the branch
    has them, run on what the merge makes; nothing is touched where one does not pass.
    """
    from supervisor_ai.bootstrap.projects import open_merges
    from supervisor_ai.control.commands.git_flow.pinned_policy import pinned_definition

    strategy = options["strategy"]
    request = MergeRequest(
        run=options["run"],
        into=options["into"],
        strategy=None if strategy is None else MergeStrategy(strategy),
        dry_run=options["dry_run"],
    )
    records = invocation.require_records()
    with open_merges(invocation.directory, invocation.settings) as merges:
        pinned, user = pinned_definition(records, records.find(request.run).id), merges.for_user()
        policy = AS_USUAL if pinned is None else pinned.git
        approvals = None if pinned is None else pinned.approvals
        wanted = options["gates"]
        is_tested = policy.merge_gates if wanted is None else wanted
        clear = clearing(invocation.project, user, approvals, is_tested=is_tested)
        merged = merge_run(records, user, request, policy, clear=clear)
    code = report_mutation(merged, as_json=options["as_json"])
    if merged.applied and not options["as_json"]:
        came = f"{merged.before[:12]}..{merged.target}"
        say(f"See the commits: {invocation.git} log --oneline {came}")
    return code
