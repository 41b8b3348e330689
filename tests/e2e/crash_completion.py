"""Completes the only open task of a directory, and dies by SIGKILL at a boundary.

`main(DIRECTORY, STRATEGY, NAME)` does what `complete-task --yes`
does; NAME is the beginning of the boundary's name. Without one it prints the names of all.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.e2e.crash_ports import Boundaries, NamedBoundaries, crashing

from supervisor_ai.bootstrap.projects import open_merges, open_project, read_settings
from supervisor_ai.control.commands.git_flow.open_tasks import find_task
from supervisor_ai.control.commands.git_flow.run_merge import merge_run, unasked
from supervisor_ai.control.commands.git_flow.task_completion import (
    CompletionRequest,
    complete,
    is_merged,
    plan_completion,
)
from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.ports.user_merges import MergedTree, UserMerges
from supervisor_ai.domain.git_flow.policy import MergeStrategy
from supervisor_ai.domain.ids import CommitSha, TreeSha


class CrashingMerges:
    """Merges at the user's word with a boundary on either side of what they change."""

    def __init__(self, merges: UserMerges, at: Boundaries) -> None:
        self._merges = merges
        self._at = at

    def current_branch(self) -> str | None:
        return self._merges.current_branch()

    def tip(self, branch: str) -> CommitSha | None:
        return self._merges.tip(branch)

    def exists(self, commit: CommitSha) -> bool:
        return self._merges.exists(commit)

    def holds(self, tip: CommitSha, commit: CommitSha) -> bool:
        return self._merges.holds(tip, commit)

    def took(self, tip: CommitSha, trailer: str, *, since: CommitSha) -> bool:
        return self._merges.took(tip, trailer, since=since)

    def is_behind(self, tip: CommitSha, commit: CommitSha) -> bool:
        return self._merges.is_behind(tip, commit)

    def merge(self, ours: CommitSha, theirs: CommitSha) -> MergedTree | None:
        return self._merges.merge(ours, theirs)

    def require_ready(self, branch: str, old: CommitSha, tree: TreeSha) -> None:
        self._merges.require_ready(branch, old, tree)

    def subject(self, commit: CommitSha) -> str:
        return self._merges.subject(commit)

    def commit(
        self, tree: TreeSha, parents: Sequence[CommitSha], message: str, *, is_signed: bool = True
    ) -> CommitSha:
        made = self._merges.commit(tree, parents, message, is_signed=is_signed)
        self._at.mark("after the commit of a merge")
        return made

    def move(self, branch: str, new: CommitSha, *, old: CommitSha) -> None:
        self._at.mark("before the branch moves")
        self._merges.move(branch, new, old=old)
        self._at.mark("after the branch moves")


def complete_task(directory: Path, strategy: MergeStrategy, at: Boundaries) -> None:
    settings = read_settings()
    project = open_project(directory, settings, alter=crashing(at))
    with open_merges(directory, settings) as opened:
        merges = CrashingMerges(opened.for_user(), at)
        row = find_task(project.records, None, lambda it: is_merged(merges, it))
        request = CompletionRequest(strategy=strategy)
        plan = asyncio.run(plan_completion(project, merges, row, request))
        at.mark("before the answer")
        complete(project, plan)
        at.mark("after the answer")
        if plan.tree is not None:
            asyncio.run(drive_family(project, row.id))
        assert plan.merge is not None
        at.mark("before the merge")
        merge_run(project.records, merges, plan.merge, plan.policy, clear=unasked)


def main(directory: str, strategy: str, name: str | None = None) -> None:
    at = NamedBoundaries(name)
    complete_task(Path(directory), MergeStrategy(strategy), at)
    sys.stdout.write(json.dumps(at.passed))
