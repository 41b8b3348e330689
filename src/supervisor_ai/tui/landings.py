"""Merges and completed tasks: what would be done is shown first, and is what a yes does."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from msgspec import Struct

from supervisor_ai.control.commands.git_flow.completion_preview import completion_lines
from supervisor_ai.control.commands.git_flow.merge_clearance import clear_merge
from supervisor_ai.control.commands.git_flow.pinned_policy import pinned_definition
from supervisor_ai.control.commands.git_flow.run_merge import (
    ClearMerge,
    MergeKind,
    MergePlan,
    MergeRequest,
    MergeView,
    merge_run,
    unasked,
)
from supervisor_ai.control.commands.git_flow.task_completion import (
    CompletionPlan,
    CompletionRequest,
    complete,
    plan_completion,
    wait_for_owner,
)
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict, SupervisorError
from supervisor_ai.domain.git_flow.policy import AS_USUAL
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.approvals.policy import ApprovalPolicy
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.tui.drives import Drives
from supervisor_ai.tui.landing_wishes import LandingVerb, LandingWish, read_wish


class LandingPreview(Struct, frozen=True, kw_only=True):
    """What would be done, for a person to agree to."""

    run: RunId
    verb: LandingVerb
    wish: LandingWish
    lines: tuple[str, ...]
    plan: CompletionPlan | None = None
    is_idle: bool = False
    """Whether there is nothing left to be done."""


class Landings:
    """Brings the work of runs to branches; called beside the drawing."""

    def __init__(
        self,
        project: Callable[[], OpenProject],
        drives: Drives,
        merges: Callable[[], AbstractContextManager[UserMerges]],
    ) -> None:
        self._project = project
        self._drives = drives
        self._merges = merges

    def preview(self, run: RunId, verb: LandingVerb, words: str) -> LandingPreview:
        """Find out what would be done."""
        wish = read_wish(words, verb)
        with self._merges() as merges:
            if verb is LandingVerb.MERGE:
                return self._preview_merge(merges, run, wish)
            return self._preview_completion(merges, run, wish)

    def land(self, landing: LandingPreview) -> str:
        """Do what was shown."""
        with self._merges() as merges:
            if landing.plan is None:
                return _told(self._merge(merges, landing.run, landing.wish, dry_run=False))
            return self._complete(merges, landing.plan)

    def _preview_merge(self, merges: UserMerges, run: RunId, wish: LandingWish) -> LandingPreview:
        view = self._merge(merges, run, wish, dry_run=True)
        return LandingPreview(
            run=run,
            verb=LandingVerb.MERGE,
            wish=wish,
            lines=(f"Branch: {view.target}", view.detail),
            is_idle=view.kind is MergeKind.NOTHING,
        )

    def _merge(
        self, merges: UserMerges, run: RunId, wish: LandingWish, *, dry_run: bool
    ) -> MergeView:
        records = self._project().records
        pinned = pinned_definition(records, run)
        policy = AS_USUAL if pinned is None else pinned.git
        request = MergeRequest(run=run, into=wish.into, strategy=wish.strategy, dry_run=dry_run)
        approvals = None if pinned is None else pinned.approvals
        clear = self._clearing(merges, approvals, is_tested=policy.merge_gates)
        return merge_run(records, merges, request, policy, clear=clear)

    def _clearing(
        self, merges: UserMerges, policy: ApprovalPolicy | None, *, is_tested: bool
    ) -> ClearMerge:
        if policy is None and not is_tested:
            return unasked

        def clear(row: RunRow, plan: MergePlan) -> str:
            project = self._project()
            cleared = clear_merge(project, merges, row, plan, policy, is_tested=is_tested)
            return self._drives.wait_for(cleared)

        return clear

    def _preview_completion(
        self, merges: UserMerges, run: RunId, wish: LandingWish
    ) -> LandingPreview:
        project = self._project()
        request = CompletionRequest(into=wish.into, strategy=wish.strategy, merges=wish.merges_back)
        row = project.records.find(run)
        plan = self._drives.wait_for(plan_completion(project, merges, row, request))
        return LandingPreview(
            run=run,
            verb=LandingVerb.COMPLETE,
            wish=wish,
            lines=completion_lines(plan),
            plan=plan,
            is_idle=plan.tree is None and plan.merge is None,
        )

    def _complete(self, merges: UserMerges, plan: CompletionPlan) -> str:
        project, run = self._project(), plan.row.id
        if plan.tree is not None:
            self._commit(project, plan)
        row = project.records.find(run)
        if row.status is not RunStatus.COMPLETED:
            return f"Run {run} is {row.status.value}; the task is not completed yet."
        kept = f"The work is committed as {short(row.commit or '')} on {one_line(row.branch or '')}"
        if plan.merge is None or row.commit is None:
            return f"{kept}." if row.commit else f"Run {run} is completed; nothing was changed."
        try:
            clear = self._clearing(merges, plan.approvals, is_tested=plan.policy.merge_gates)
            merged = merge_run(project.records, merges, plan.merge, plan.policy, clear=clear)
        except SupervisorError as error:
            raise Conflict(
                f"{kept}, and kept; it is not merged: {error.message}", hint=error.hint
            ) from error
        return _told(merged)

    def _commit(self, project: OpenProject, plan: CompletionPlan) -> None:
        """Let the work land, here or where the run is driven."""
        run = plan.row.id
        owner = project.records.queries.owner(run)
        is_free = owner is None or not owner.is_alive
        if is_free:
            self._drives.wait_for(prepare_resume(project, run, will_approve=True))
        complete(project, plan)
        if is_free:
            self._drives.finish(run)
        self._drives.wait_for(wait_for_owner(project, run))


def _told(view: MergeView) -> str:
    return f"{view.target}: {view.detail}"
