"""Files of several projects in memory, put together and landed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature.plan.claims import overlap
from supervisor_ai.drivers.feature.plan.projects import FeatureProject, TreeCopy
from supervisor_ai.drivers.feature.projects.landings import RepositoryMove
from supervisor_ai.drivers.feature.projects.ports import LandingRequest, MoveStand
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces


class MemoryProjectTrees:
    """Other repositories are dictionaries of files, by the paths of projects."""

    def __init__(
        self, workspaces: MemoryWorkspaces, others: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        self._workspaces = workspaces
        self.others = {} if others is None else others

    async def gather(
        self, onto: CommitSha, projects: Sequence[FeatureProject], *, at: datetime
    ) -> tuple[Snapshot, tuple[ProjectOrigin, ...]]:
        """Add the files of other repositories."""
        contents: dict[str, bytes | None] = {}
        for it in projects:
            if it.path not in self.others:
                raise NotFound(f"There is no repository {it.path!r}.")
            files = self.others[it.path]
            contents |= {it.file(name): text.encode() for name, text in files.items()}
        origins = tuple(
            ProjectOrigin(
                project=it.name,
                place=it.place,
                repository=it.path,
                branch="main",
                sha=CommitSha(f"first of {it.name}"),
            )
            for it in projects
        )
        return await self._workspaces.compose(onto, contents, at=at), origins

    async def copy(
        self, onto: CommitSha, copies: Sequence[TreeCopy], *, at: datetime
    ) -> Snapshot | None:
        """Copy files from place to place."""
        files = self._workspaces.files(onto)
        contents: dict[str, bytes | None] = {}
        for it in copies:
            found = dict(_published(files, it))
            if not found:
                return None
            old = [path for path in files if path.startswith(f"{it.target}/")]
            contents |= dict.fromkeys(old)
            contents |= {f"{it.target}/{name}": text.encode() for name, text in found.items()}
        return await self._workspaces.compose(onto, contents, at=at)


def _published(files: Mapping[str, str], copy: TreeCopy) -> Iterator[tuple[str, str]]:
    for path, text in files.items():
        name = path.removeprefix(f"{copy.within}/")
        if path.startswith(f"{copy.within}/") and any(overlap(it, name) for it in copy.files):
            yield name, text


class MemoryLandings:
    """Branches as a dictionary; each deed can be the last one of its process."""

    def __init__(self, branches: Mapping[str, str], *, dies_at: int = 10**6) -> None:
        self.branches = dict(branches)
        self.built_on: set[str] = set()
        self.deeds = 0
        self._dies_at = dies_at

    def alone(self) -> AbstractContextManager[None]:
        """Let everybody in: these have a process to themselves."""
        return nullcontext()

    def prepare(
        self, request: LandingRequest, *, dry_run: bool = False
    ) -> tuple[RepositoryMove, ...]:
        """Plan a move of every branch that does not have the work yet."""
        del dry_run
        moves = (
            RepositoryMove(
                project=it.project,
                repository=it.repository,
                branch=it.branch,
                old=CommitSha(self.branches[it.project]),
                new=CommitSha(f"{self.branches[it.project]}+{request.run}"),
            )
            for it in request.origins
            if f"+{request.run}" not in self.branches[it.project]
        )
        self._do()
        return tuple(moves)

    def stand(self, move: RepositoryMove) -> MoveStand:
        """Tell where the branch of a move stands."""
        tip = self.branches[move.project]
        if tip in (move.old, move.new):
            return MoveStand.BEFORE if tip == move.old else MoveStand.AFTER
        return MoveStand.BUILT_ON if tip.startswith(move.new) else MoveStand.ELSEWHERE

    def move(self, move: RepositoryMove) -> None:
        """Let a branch go on."""
        self._swap(move.project, move.old, move.new)

    def restore(self, move: RepositoryMove) -> None:
        """Let a branch go back."""
        self._swap(move.project, move.new, move.old)

    def _swap(self, project: str, old: str, new: str) -> None:
        self._do()
        if self.branches[project] != old:
            raise Conflict(f"The branch of {project!r} moved.")
        self.branches[project] = new
        self._do()

    def _do(self) -> None:
        """Die before or after a deed, if it is time."""
        self.deeds += 1
        if self.deeds == self._dies_at:
            raise KeyboardInterrupt
