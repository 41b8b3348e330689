"""Merge a completed run's work into a branch of the user's, at the user's explicit word."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.control.phrases import listed, one_line, short
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.ports.user_merges import MergedTree, UserMerges
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.structs import replace

_TITLE: Final = 120


class MergeKind(StrEnum):
    """How a branch takes a run's work."""

    NOTHING = "nothing"
    FAST_FORWARD = "fast_forward"
    MERGE = "merge"
    SQUASH = "squash"


class MergeRequest(Struct, frozen=True, kw_only=True):
    """What is to be merged, and where to."""

    run: str
    into: str | None = None
    """A branch; None: the one that is checked out."""
    squash: bool = False
    dry_run: bool = False


class MergeView(MutationView, frozen=True, kw_only=True):
    """What a merge changed, or would change; the target is the branch."""

    run: RunId
    kind: MergeKind
    before: CommitSha
    after: CommitSha | None
    """Where the branch stands now; None where that commit is not made yet."""


def merge_run(records: Records, merges: UserMerges, request: MergeRequest) -> MergeView:
    """Bring a run's work into a branch; refuse whatever could lose something."""
    row = records.find(request.run)
    commit = _mergeable(merges, row)
    branch, old = _target(merges, request)
    view = _nothing(row, branch, old, dry_run=request.dry_run)
    if commit is None or merges.holds(old, commit):
        return view
    merged = _merged(merges, row, branch, old, commit)
    merges.require_ready(branch, old, merged.tree)
    kind = _kind(merges, old, commit, squash=request.squash)
    is_forward = kind is MergeKind.FAST_FORWARD
    if request.dry_run:
        detail = f"Would take {short(commit)} of run {row.id} {_HOW[kind]}."
        return replace(view, kind=kind, detail=detail, after=commit if is_forward else None)
    new = commit
    if not is_forward:
        parents = (old,) if kind is MergeKind.SQUASH else (old, commit)
        new = merges.commit(merged.tree, parents, _message(records, row, kind))
    merges.move(branch, new, old=old)
    detail = f"Stands at {short(new)} with the work of run {row.id}, taken {_HOW[kind]}."
    return replace(view, applied=True, kind=kind, detail=detail, after=new)


_HOW: Final = {
    MergeKind.FAST_FORWARD: "as it is (fast-forward)",
    MergeKind.MERGE: "with a merge commit",
    MergeKind.SQUASH: "as one commit",
}


def _mergeable(merges: UserMerges, row: RunRow) -> CommitSha | None:
    """Return what a completed run has made; None where it changed nothing."""
    if row.status is not RunStatus.COMPLETED:
        hints = {
            True: f"See its work: supervisor diff {row.id}; keep it: supervisor workspace list",
            False: f"Let it come to its end first: supervisor status {row.id}",
        }
        raise Conflict(
            f"Run {row.id!r} cannot be merged: it is {row.status.value}.",
            hint=hints[row.status in ENDED],
        )
    if row.commit is not None and not merges.exists(row.commit):
        raise NotFound(
            f"The commit {row.commit!r} of run {row.id!r} does not exist any more.",
            hint=f"Do it again from a step: supervisor fork {row.id} --at STEP",
        )
    return row.commit


def _target(merges: UserMerges, request: MergeRequest) -> tuple[str, CommitSha]:
    branch = request.into or merges.current_branch()
    if branch is None:
        raise Conflict(
            "No branch is checked out here to merge into.", hint="Name one: --into BRANCH"
        )
    tip = merges.tip(branch)
    if tip is None:
        raise NotFound(
            f"There is no branch {branch!r}.", hint="`git branch` lists the branches there are."
        )
    return branch, tip


def _merged(
    merges: UserMerges, row: RunRow, branch: str, old: CommitSha, commit: CommitSha
) -> MergedTree:
    merged = merges.merge(old, commit)
    if merged is None:
        raise Conflict(f"Branch {branch!r} and run {row.id!r} have no history in common.")
    if merged.conflicts:
        raise _conflicting(row, branch, merged.conflicts)
    return merged


def _conflicting(row: RunRow, branch: str, files: Sequence[str]) -> Conflict:
    names = listed([shown_name(it) for it in files])
    return Conflict(
        f"Run {row.id!r} and branch {branch!r} changed the same places: {names}."
        " Nothing was touched.",
        hint=f"Put them together yourself: git merge {row.branch or row.commit}; or have it done"
        f" again from where the branch stands: supervisor run … --base {branch}",
    )


def _kind(merges: UserMerges, old: CommitSha, commit: CommitSha, *, squash: bool) -> MergeKind:
    if squash:
        return MergeKind.SQUASH
    return MergeKind.FAST_FORWARD if merges.is_behind(old, commit) else MergeKind.MERGE


def _message(records: Records, row: RunRow, kind: MergeKind) -> str:
    title = one_line(records.text(row.task).strip().partition("\n")[0])[:_TITLE]
    subject = title if kind is MergeKind.SQUASH else f"Merge run {row.id}: {title}"
    return f"{subject}\n\nSupervisor-Run: {row.id}\n"


def _nothing(row: RunRow, branch: str, old: CommitSha, *, dry_run: bool) -> MergeView:
    """Say that a branch stays as it is."""
    if row.commit is None:
        detail = f"Run {row.id} changed nothing; there is nothing to merge."
    else:
        detail = f"Has everything of run {row.id} already."
    return MergeView(
        target=branch,
        applied=False,
        dry_run=dry_run,
        detail=detail,
        run=row.id,
        kind=MergeKind.NOTHING,
        before=old,
        after=old,
    )
