"""`supervisor complete-task`."""

from collections.abc import Iterator
from typing import TypedDict, Unpack

import click
from msgspec import Struct

from supervisor_ai.cli.commands.runs.git_preview import agrees, completion_preview
from supervisor_ai.cli.commands.runs.merge_policy import clearing
from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
from supervisor_ai.cli.foreground.progress import make_progress
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    optional_run_argument,
    strategy_options,
    yes_option,
)
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.run_details import headline
from supervisor_ai.cli.tables import labelled
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.git_flow.open_tasks import find_task
from supervisor_ai.control.commands.git_flow.pinned_policy import pinned_definition
from supervisor_ai.control.commands.git_flow.run_merge import MergeView, merge_run
from supervisor_ai.control.commands.git_flow.task_completion import (
    CompletionPlan,
    CompletionRequest,
    complete,
    is_merged,
    plan_completion,
    wait_for_owner,
)
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.control.exit_codes import DONE, FAILED, WAITS
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.run_views import MutationView, RunView, show_run
from supervisor_ai.domain.errors import Busy, SignatureMissing, SupervisorError
from supervisor_ai.domain.git_flow.policy import AS_USUAL, MergeStrategy
from supervisor_ai.domain.run.status import RunStatus


class _Options(TypedDict):
    run: str | None
    into: str | None
    strategy: str | None
    merge_back: bool
    yes: bool
    dry_run: bool
    as_json: bool


@verb(name="complete-task", example="supervisor complete-task")
@optional_run_argument
@click.option("--into", metavar="BRANCH", help="Merge into this branch, not the task's base.")
@strategy_options
@click.option(
    "--merge-back/--no-merge-back", default=True, help="Only commit, and leave the target alone."
)
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def complete_task(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Land a task that is done.

    Shows the commit, its files and the branch that takes it, and asks. Then the work is committed
    on the task's branch and merged into the branch that the task started from. Where that one is
    checked out and clean, its files move with it; a checkout with changes is never touched: the
    branch stays, the commit is kept, and you are told what to do. RUN may be left out where one
    task waits. Killed or called twice, it goes on where it was; it never lands twice.
    """
    from supervisor_ai.bootstrap.projects import open_merges

    invocation.require_records()
    progress = make_progress(verbose=False)
    attendance = ForegroundRun(
        invocation=invocation,
        project=invocation.project(progress),
        progress=progress,
        as_json=options["as_json"],
    )
    with open_merges(invocation.directory, invocation.settings) as merges:
        completion = _Completion(attendance=attendance, merges=merges.for_user())
        return completion.run(options)


class _Completion(Struct, frozen=True, kw_only=True):
    """One person's wish to complete a task."""

    attendance: ForegroundRun
    merges: UserMerges

    def run(self, options: _Options) -> int:
        """Show what would land, ask, let it land and merge it."""
        plan = self._plan(options)
        preview = completion_preview(plan)
        if options["dry_run"]:
            return _show(plan, preview, as_json=options["as_json"])
        changes_nothing = plan.tree is None and plan.merge is None
        is_asked = plan.policy.dry_run_preview and not options["yes"] and not changes_nothing
        if is_asked and not agrees(preview, verb="complete-task"):
            say("Nothing was completed.")
            return FAILED
        code = self._land(plan)
        return self._merge(plan) if code is None else code

    def _plan(self, options: _Options) -> CompletionPlan:
        project, strategy = self.attendance.project, options["strategy"]
        row = find_task(project.records, options["run"], lambda it: is_merged(self.merges, it))
        request = CompletionRequest(
            into=options["into"],
            strategy=None if strategy is None else MergeStrategy(strategy),
            merges=options["merge_back"],
        )
        return run_interruptibly(plan_completion(project, self.merges, row, request))

    def _land(self, plan: CompletionPlan) -> int | None:
        """Let the work land; return an exit code where it has not."""
        if plan.tree is None:
            return None
        project, run, code = self.attendance.project, plan.row.id, None
        owner = project.records.queries.owner(run)
        is_free = owner is None or not owner.is_alive
        if is_free:
            run_interruptibly(prepare_resume(project, run, will_approve=True))
        complete(project, plan)
        try:
            code = self.attendance.drive(run) if is_free else None
        except Busy:
            is_free = False
        if not is_free:
            run_interruptibly(wait_for_owner(project, run))
        if code is None and project.records.find(run).status is not RunStatus.COMPLETED:
            return self.attendance.report(run)
        return code

    def _merge(self, plan: CompletionPlan) -> int:
        records = self.attendance.project.records
        row = records.find(plan.row.id)
        if plan.merge is None or row.commit is None:
            return self._report(plan, None)
        # The run may have gone over to another definition when it was driven.
        pinned = pinned_definition(records, row.id)
        policy = AS_USUAL if pinned is None else pinned.git
        approvals = None if pinned is None else pinned.approvals
        try:
            clear = clearing(
                lambda: self.attendance.project,
                self.merges,
                approvals,
                is_tested=policy.merge_gates,
            )
            merged = merge_run(records, self.merges, plan.merge, policy, clear=clear)
        except SupervisorError as error:
            branch, command = one_line(row.branch or ""), self.attendance.invocation.command
            say(f"The work is committed as {short(row.commit)} on {branch}, and kept.")
            say(f"When what is in the way is gone: {command} complete-task {row.id}")
            if not isinstance(error, SignatureMissing):
                raise
            say(f"{one_line(error.message)}\nhint: {error.hint}")
            self._report(plan, None)
            return WAITS
        return self._report(plan, merged)

    def _report(self, plan: CompletionPlan, merged: MergeView | None) -> int:
        view = show_run(self.attendance.project.records, plan.row.id)
        if self.attendance.as_json:
            write_json({"run": view, "merge": merged})
        else:
            rows = self._rows(plan, view, merged)
            write("\n".join([headline(view), *labelled(list(rows))]))
        return DONE

    def _rows(
        self, plan: CompletionPlan, view: RunView, merged: MergeView | None
    ) -> Iterator[tuple[str, str]]:
        yield "run", view.id
        if view.commit is not None:
            yield "commit", f"{short(view.commit)} on {one_line(view.branch or '')}"
        if merged is not None:
            yield "merged", f"{one_line(merged.target)}: {one_line(merged.detail)}"
        elif view.commit is not None and not plan.opens_request:
            yield "next", f"{self.attendance.invocation.command} merge {view.id} --into BRANCH"


def _show(plan: CompletionPlan, preview: str, *, as_json: bool) -> int:
    if as_json:
        write_json(MutationView(target=plan.row.id, applied=False, dry_run=True, detail=preview))
    else:
        write(preview)
    return DONE
