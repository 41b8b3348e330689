"""What a user decides about branches and commits; a run pins it."""

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
    protected_branches: tuple[str, ...] = ()
    """Patterns of branches that nobody moves here."""
    sign_commits: bool = True
    """Whether commits are signed where the user's git says so."""

    def protects(self, branch: str) -> bool:
        """Tell whether a branch is not to be moved here."""
        return any(_fits(pattern, branch) for pattern in self.protected_branches)


AS_USUAL: Final = GitPolicy()


def _fits(pattern: str, branch: str) -> bool:
    """Compare part by part; a `*` at the end stands for the rest of the name."""
    if pattern.endswith("*"):
        return branch.startswith(pattern.removesuffix("*"))
    return pattern == branch
