"""Lands a feature in several repositories: prepared where nobody sees it, then moved."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.ids import CommitSha, RunId, TreeSha
from supervisor_ai.drivers.feature.projects.landings import RepositoryMove
from supervisor_ai.drivers.feature.projects.ports import LandingRequest, MoveStand
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin
from supervisor_ai.workspaces.commits.merges import try_merges
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.commits.project_trees import git_repository, own_tree, scratch_of
from supervisor_ai.workspaces.commits.user_merges import GitUserMerges
from supervisor_ai.workspaces.files.file_lock import exclusive
from supervisor_ai.workspaces.repositories.git import Git, printable, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.signatures import (
    CommitDraft,
    find_signer,
    make_commit,
    require_signed,
)

_UNTOUCHED: Final = "Nothing was touched."


def open_project_landings(project: Callable[[], SliceProject]) -> "GitProjectLandings":
    """Open what lands in a project's repository and in others."""
    return GitProjectLandings(git_repository(project()), project().state)


def landing_ref(run: RunId) -> str:
    """Name the ref that keeps what is to land."""
    return f"refs/supervisor/{run}/landing"


class GitProjectLandings:
    """Moves branches of several repositories, each by compare-and-swap."""

    def __init__(self, home: GitRepository, state: Path) -> None:
        self._home = home
        self._state = state.resolve()

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one of all processes that lands a feature of this project, or raise Busy."""
        lock = self._home.git.directory / "supervisor-landing.lock"
        return exclusive(lock, what="landing a feature of this project")

    def prepare(
        self, request: LandingRequest, *, dry_run: bool = False
    ) -> tuple[RepositoryMove, ...]:
        """Make the commits and keep them under refs of ours; raises Conflict, nothing touched."""
        moves = (self._prepared(request, it, is_kept=False) for it in request.origins)
        planned = tuple(it for it in moves if it is not None)
        if dry_run:
            return planned
        # Only when nothing stands in the way anywhere, anything is written at all.
        kept = (self._prepared(request, it, is_kept=True) for it in request.origins)
        return tuple(it for it in kept if it is not None)

    def _prepared(
        self, request: LandingRequest, origin: ProjectOrigin, *, is_kept: bool
    ) -> RepositoryMove | None:
        repository = GitRepository(Path(origin.repository))
        with scratch_of(repository, self._state, self._home.objects) as scratch:
            merges = GitUserMerges(repository=repository, scratch=scratch)
            tip = merges.tip(origin.branch)
            if tip is None:
                raise NotFound(
                    f"There is no branch {origin.branch!r} in {origin.repository!r} any more."
                    f" {_UNTOUCHED}"
                )
            others = [it.project for it in request.origins if it.project]
            tree = TreeSha(own_tree(scratch, request.commit, origin, others))
            trailer = f"Supervisor-Run: {request.run}"
            has_it = merges.took(tip, trailer, since=origin.sha)
            if has_it or tree == repository.tree(origin.sha):
                return None
            draft = _Drafts(request, repository, scratch)
            new = part = draft.commit(tree, (origin.sha,), f"{request.title}\n\n{trailer}\n")
            if tip != origin.sha:
                tree = _merged(merges, request, origin, tip, part)
                message = f"Merge run {request.run}: {request.title}\n\n{trailer}\n"
                new = draft.commit(tree, (tip, part), message)
            merges.require_ready(origin.branch, tip, tree)
            if is_kept:
                self._keep(repository, scratch, request.run, new, tip)
        return RepositoryMove(
            project=origin.project,
            repository=origin.repository,
            branch=origin.branch,
            old=tip,
            new=new,
            part=None if part == new else part,
        )

    @staticmethod
    def _keep(
        repository: GitRepository, scratch: Git, run: RunId, new: CommitSha, tip: CommitSha
    ) -> None:
        deposit = ObjectImport(repository)
        refused = deposit.bring(scratch, new, known=[tip], size=0)
        if refused:
            raise Conflict(f"Git's own check refuses the files: {sorted(refused.values())}.")
        deposit.point(landing_ref(run), new)

    def stand(self, move: RepositoryMove) -> MoveStand:
        """Tell where the branch of a move stands."""
        repository = GitRepository(Path(move.repository))
        tip = repository.branch_tip(move.branch)
        if tip in (move.old, move.new):
            return MoveStand.BEFORE if tip == move.old else MoveStand.AFTER
        has_it = tip is not None and (
            repository.git.ask("merge-base", "--is-ancestor", move.new, tip).code == 0
        )
        return MoveStand.BUILT_ON if has_it else MoveStand.ELSEWHERE

    def move(self, move: RepositoryMove) -> None:
        """Let a branch and its checkout go on; raises Conflict, with everything as it was."""
        with self._merges(move) as merges:
            merges.move(move.branch, move.new, old=move.old)

    def restore(self, move: RepositoryMove) -> None:
        """Let a branch and its checkout go back; raises Conflict, with everything as it was."""
        with self._merges(move) as merges:
            merges.move(move.branch, move.old, old=move.new)

    @contextmanager
    def _merges(self, move: RepositoryMove) -> Iterator[GitUserMerges]:
        with try_merges(GitRepository(Path(move.repository)), self._state) as merges:
            yield merges.for_user()


class _Drafts:
    """Makes commits in the user's name, in a git directory that is gone afterwards."""

    def __init__(self, request: LandingRequest, repository: GitRepository, scratch: Git) -> None:
        self._signature = signature(repository.identity(), datetime.now(UTC))
        self._signer = find_signer(repository.checkout) if request.is_signed else None
        self._scratch = scratch

    def commit(self, tree: TreeSha, parents: tuple[CommitSha, ...], message: str) -> CommitSha:
        draft = CommitDraft(
            tree=tree, parents=parents, message=message.encode(), signature=self._signature
        )
        return require_signed(make_commit(self._scratch, draft, self._signer))


def _merged(
    merges: GitUserMerges,
    request: LandingRequest,
    origin: ProjectOrigin,
    tip: CommitSha,
    new: CommitSha,
) -> TreeSha:
    """Put a feature together with what its branch got meanwhile."""
    where = f"The branch {origin.branch!r} of {origin.repository!r}"
    if request.is_exact:
        raise Conflict(
            f"{where} has moved since the feature was built, so that other files would land than"
            f" were agreed to. {_UNTOUCHED}",
            hint="Build the feature anew from where the branch stands.",
        )
    found = merges.merge(tip, new)
    if found is None:
        raise Conflict(f"{where} has another history now. {_UNTOUCHED}")
    if found.conflicts:
        names = ", ".join(printable(it.encode(errors="replace")) for it in found.conflicts[:8])
        raise Conflict(
            f"{where} and the feature changed the same places: {names}. {_UNTOUCHED}",
            hint="Build the feature anew from where the branch stands.",
        )
    return found.tree
