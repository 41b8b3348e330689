"""How a merge asks the approval policy, where a run has one."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.control.commands.git_flow.run_merge import ClearMerge, MergePlan, unasked

if TYPE_CHECKING:
    from supervisor_ai.control.ports.queries import RunRow
    from supervisor_ai.control.ports.user_merges import UserMerges
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.domain.run.approvals.policy import ApprovalPolicy


def clearing(
    project: "Callable[[], OpenProject]",
    merges: "UserMerges",
    policy: "ApprovalPolicy | None",
    *,
    is_tested: bool,
) -> ClearMerge:
    """Return what a merge asks before it moves a branch; a project is opened only if need be."""
    if policy is None and not is_tested:
        return unasked

    def clear(row: "RunRow", plan: MergePlan) -> str:
        from supervisor_ai.control.commands.git_flow.merge_clearance import clear_merge

        cleared = clear_merge(project(), merges, row, plan, policy, is_tested=is_tested)
        return run_interruptibly(cleared)

    return clear
