"""What features over several projects ask of git."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature.plan.projects import FeatureProject, TreeCopy
from supervisor_ai.drivers.feature.projects.landings import RepositoryMove
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin


class ProjectTrees(Protocol):
    """Puts the files of projects together in commits that are on no branch."""

    async def gather(
        self, onto: CommitSha, projects: Sequence[FeatureProject], *, at: datetime
    ) -> tuple[Snapshot, tuple[ProjectOrigin, ...]]:
        """Add the files of other repositories; raises SupervisorError where that cannot be."""
        ...

    async def copy(
        self, onto: CommitSha, copies: Sequence[TreeCopy], *, at: datetime
    ) -> Snapshot | None:
        """Copy files from place to place; None where a project has nothing that it publishes."""
        ...


class LandingRequest(Struct, frozen=True, kw_only=True):
    """What is to land in which repositories."""

    run: RunId
    title: str
    base: CommitSha
    """Where the feature began in its own repository."""
    commit: CommitSha
    """Where it ended, with the files of all projects."""
    origins: tuple[ProjectOrigin, ...]
    """For each repository, from where it goes on: where it began, or what landed there before."""
    is_exact: bool = False
    """Whether only what was tested may land: no branch has moved since."""
    is_signed: bool = True


class MoveStand(StrEnum):
    """Where a branch stands that is to move."""

    BEFORE = "before"
    AFTER = "after"
    BUILT_ON = "built_on"
    """Somebody has added to it after it had moved."""
    ELSEWHERE = "elsewhere"


class ProjectLandings(Protocol):
    """Moves branches of several repositories."""

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one of all processes that lands a feature of this project, or raise Busy."""
        ...

    def prepare(
        self, request: LandingRequest, *, dry_run: bool = False
    ) -> tuple[RepositoryMove, ...]:
        """Make the commits and keep them under refs of ours; raises Conflict, nothing touched."""
        ...

    def stand(self, move: RepositoryMove) -> MoveStand:
        """Tell where the branch of a move stands."""
        ...

    def move(self, move: RepositoryMove) -> None:
        """Let a branch and its checkout go on; raises Conflict, with everything as it was."""
        ...

    def restore(self, move: RepositoryMove) -> None:
        """Let a branch and its checkout go back; raises Conflict, with everything as it was."""
        ...
