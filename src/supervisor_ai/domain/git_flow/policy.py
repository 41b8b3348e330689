"""What a user decides about branches and commits; a run pins it."""

from datetime import timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.git_flow.branch_pattern import BRANCH_PATTERN


class MergeStrategy(StrEnum):
    """How a branch takes a run's work."""

    AUTO = "auto"
    """Forward where it can go forward, else with a merge commit."""
    FORWARD = "ff"
    MERGE = "merge"
    SQUASH = "squash"


class GitPolicy(Struct, frozen=True, kw_only=True):
    """How the work of a run comes to a branch."""

    auto_branch: bool = True
    """Whether `start-task` makes the branch at once; else it comes with the commit."""
    branch_pattern: str = BRANCH_PATTERN
    auto_commit: bool = True
    """Whether the work is committed when it is done; else when a person completes the task."""
    dry_run_preview: bool = True
    """Whether a person is shown what would be done before it is."""
    merge_strategy: MergeStrategy = MergeStrategy.AUTO
    merge_gates: bool = False
    """Whether the command gates run on what a merge makes, before a branch takes it."""
    protected_branches: tuple[str, ...] = ()
    """Patterns of branches that nobody moves here."""
    sign_commits: bool = True
    """Whether commits are signed where the user's git says so."""
    keep_snapshots: timedelta | None = None
    """How long snapshots of completed runs stay whose work is found elsewhere; None: for ever."""

    def lets_go(self, age: timedelta, *, is_completed: bool, is_elsewhere: bool) -> bool:
        """Tell whether a snapshot of a run expires; what nothing else has never does."""
        has_time = self.keep_snapshots is None or age < self.keep_snapshots
        return is_elsewhere and is_completed and not has_time

    def protects(self, branch: str) -> bool:
        """Tell whether a branch is not to be moved here."""
        return any(_fits(pattern, branch) for pattern in self.protected_branches)


AS_USUAL: Final = GitPolicy()


def _fits(pattern: str, branch: str) -> bool:
    """Compare part by part; a `*` at the end stands for the rest of the name."""
    if pattern.endswith("*"):
        return branch.startswith(pattern.removesuffix("*"))
    return pattern == branch
