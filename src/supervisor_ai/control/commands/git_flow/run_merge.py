"""Merge a completed run's work into a branch of the user's, at the user's explicit word."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.git_flow.pinned_policy import pinned_definition
from supervisor_ai.control.phrases import listed, one_line, short
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.ports.user_merges import MergedTree, UserMerges
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.control.slices import find_slice
from supervisor_ai.domain.errors import BranchMoved, Conflict, Denied, NotFound
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.git_flow.policy import AS_USUAL, GitPolicy, MergeStrategy
from supervisor_ai.domain.ids import CommitSha, RunId, TreeSha
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.structs import replace

_TITLE: Final = 120
_TRIES: Final = 20


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
    strategy: MergeStrategy | None = None
    """None: as the run pinned it."""
    dry_run: bool = False


class MergeView(MutationView, frozen=True, kw_only=True):
    """What a merge changed, or would change; the target is the branch."""

    run: RunId
    kind: MergeKind
    before: CommitSha
    after: CommitSha | None
    """Where the branch stands now; None where that commit is not made yet."""


class MergePlan(Struct, frozen=True, kw_only=True):
    """A merge that nothing stands in the way of; nothing is touched yet."""

    branch: str
    old: CommitSha
    kind: MergeKind
    tree: TreeSha | None = None
    """All files of the branch afterwards; None: it stays as it is."""


ClearMerge = Callable[[RunRow, MergePlan], str]
"""Returns a trailer that says why a branch may take other files than people have agreed to."""


def unasked(row: RunRow, plan: MergePlan) -> str:
    """Say nothing: the run has no approval policy."""
    del row, plan
    return ""


def plan_merge(
    merges: UserMerges,
    row: RunRow,
    commit: CommitSha | None,
    request: MergeRequest,
    policy: GitPolicy,
) -> MergePlan:
    """Find out how a branch would take a commit of a run; refuse whatever could lose something."""
    branch, old = _target(merges, request)
    if commit is None or has_work(merges, row, old, commit):
        return MergePlan(branch=branch, old=old, kind=MergeKind.NOTHING)
    if policy.protects(branch):
        raise _protected(row, branch)
    merged = _merged(merges, row, branch, old, commit)
    kind = _kind(merges, branch, old, commit, request.strategy or policy.merge_strategy)
    merges.require_ready(branch, old, merged.tree)
    return MergePlan(branch=branch, old=old, kind=kind, tree=merged.tree)


def has_work(merges: UserMerges, row: RunRow, tip: CommitSha, commit: CommitSha) -> bool:
    """Tell whether a branch has a run's work, or once took all of it as one commit."""
    if merges.holds(tip, commit):
        return True
    since = row.base
    return since is not None and merges.took(tip, _trailer(row), since=since.sha)


def merge_run(
    records: Records,
    merges: UserMerges,
    request: MergeRequest,
    policy: GitPolicy = AS_USUAL,
    *,
    clear: ClearMerge,
) -> MergeView:
    """Bring a run's work into a branch; refuse whatever could lose something or go past people.

    Where the branch moves meanwhile, all is looked at again: it may have the work by then.
    """
    for _ in range(_TRIES):
        with suppress(BranchMoved):
            return _merge_now(records, merges, request, policy, clear)
    return _merge_now(records, merges, request, policy, clear)


def _merge_now(
    records: Records,
    merges: UserMerges,
    request: MergeRequest,
    policy: GitPolicy,
    clear: ClearMerge,
) -> MergeView:
    row = records.find(request.run)
    _refuse_others(records, row)
    commit = _mergeable(merges, row)
    _refuse_unseen(records, merges, row, request)
    plan = plan_merge(merges, row, commit, request, policy)
    ruling = clear(row, plan)
    if ruling and plan.kind is MergeKind.FAST_FORWARD:
        plan = _told(plan, request.strategy or policy.merge_strategy)
    view = _nothing(row, plan.branch, plan.old, dry_run=request.dry_run)
    if commit is None or plan.tree is None:
        return view
    kind, is_forward = plan.kind, plan.kind is MergeKind.FAST_FORWARD
    if request.dry_run:
        detail = f"Would take {short(commit)} of run {row.id} {_HOW[kind]}.{_because(ruling)}"
        return replace(view, kind=kind, detail=detail, after=commit if is_forward else None)
    new = commit
    if not is_forward:
        parents = (plan.old,) if kind is MergeKind.SQUASH else (plan.old, commit)
        message = _message(records, merges, row, kind, ruling)
        new = merges.commit(plan.tree, parents, message, is_signed=policy.sign_commits)
    merges.move(plan.branch, new, old=plan.old)
    detail = f"Merged run {row.id} {_HOW[kind]}; the branch stands at {short(new)}."
    detail += _because(ruling)
    return replace(view, applied=True, kind=kind, detail=detail, after=new)


def _refuse_others(records: Records, row: RunRow) -> None:
    """Refuse work that is not meant for one branch of one repository."""
    found, pinned = find_slice(row.driver), pinned_definition(records, row.id)
    verb = None if found is None or pinned is None else found.landing_verb(pinned)
    if verb is not None:
        raise Conflict(
            f"Run {row.id!r} has the files of several repositories. Nothing was touched.",
            hint=f"Land it in all of them: supervisor {verb}",
        )


def _refuse_unseen(
    records: Records, merges: UserMerges, row: RunRow, request: MergeRequest
) -> None:
    """Refuse a run that goes on with the branch of one whose work was taken as one commit.

    Git knows nothing of where that came from, and would keep whatever was taken back since.
    """
    branch, tip = _target(merges, request)
    fork = row.fork
    while fork is not None and (before := records.queries.run(fork.run)) is not None:
        fork = before.fork if before.branch == row.branch else None
        if before.branch != row.branch or before.commit is None or before.base is None:
            continue
        is_taken = merges.took(tip, _trailer(before), since=before.base.sha)
        if is_taken and not merges.is_behind(before.commit, tip):
            raise Conflict(
                f"Branch {branch!r} took run {before.id!r}, with whose branch {row.id!r} goes on,"
                " as one commit, so that git cannot see what was taken back since."
                " Nothing was touched.",
                hint="Take what has changed since yourself:"
                f" git diff --binary {before.commit} {row.commit} | git apply --3way",
            )


def _told(plan: MergePlan, strategy: MergeStrategy) -> MergePlan:
    """Take other files than were agreed to with a commit, which says why that is all right."""
    if strategy is MergeStrategy.FORWARD:
        raise Conflict(
            f"Others have added to the run's branch, so that branch {plan.branch!r} cannot just go"
            " forward to it. Nothing was touched.",
            hint="Take the work with a merge commit or as one commit: --merge or --squash",
        )
    return replace(plan, kind=MergeKind.MERGE)


def _because(ruling: str) -> str:
    return f" Its files are others than were agreed to. {ruling}." if ruling else ""


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


def _protected(row: RunRow, branch: str) -> Denied:
    return Denied(
        f"Branch {branch!r} is protected here (git.protected_branches). Nothing was touched.",
        hint=f"Ask for it with a pull request: git push -u origin {row.branch or row.commit};"
        " or merge elsewhere: --into BRANCH",
    )


def _kind(
    merges: UserMerges, branch: str, old: CommitSha, commit: CommitSha, strategy: MergeStrategy
) -> MergeKind:
    if strategy in _MADE:
        return _MADE[strategy]
    if merges.is_behind(old, commit):
        return MergeKind.FAST_FORWARD
    if strategy is MergeStrategy.FORWARD:
        raise Conflict(
            f"Branch {branch!r} has moved on since the run began, so it cannot just go forward."
            " Nothing was touched.",
            hint="Take the work with a merge commit or as one commit: --merge or --squash",
        )
    return MergeKind.MERGE


_MADE: Final = {
    MergeStrategy.MERGE: MergeKind.MERGE,
    MergeStrategy.SQUASH: MergeKind.SQUASH,
}


def _message(
    records: Records, merges: UserMerges, row: RunRow, kind: MergeKind, ruling: str
) -> str:
    """Call a squashed commit as the run's own is called, and a merge after the task."""
    title = one_line(records.text(row.task).strip().partition("\n")[0])[:_TITLE]
    if kind is MergeKind.SQUASH and row.commit is not None:
        title = one_line(merges.subject(row.commit))[:_TITLE] or title
    subject = title if kind is MergeKind.SQUASH else f"Merge run {row.id}: {title}"
    trailers = "\n".join(filter(None, (_trailer(row), ruling)))
    return f"{subject}\n\n{trailers}\n"


def _trailer(row: RunRow) -> str:
    return f"Supervisor-Run: {row.id}"


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
