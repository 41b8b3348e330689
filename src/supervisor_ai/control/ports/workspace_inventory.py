"""Port of the workspace inventory: directories that exist now, and work that refs keep."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName

StepsOf = Callable[[RunId], Sequence[StepName]]
"""Tells which steps a run has visited; empty where nothing is known of the run."""


class KeptStanding(StrEnum):
    """Where else kept work can be found."""

    EMPTY = "empty"
    """Nothing was changed."""
    MERGED = "merged"
    """A branch or a tag of the user's has every file as the work left it."""
    CONTAINED = "contained"
    """Other kept work, which is found nowhere else itself, builds on it."""
    UNMERGED = "unmerged"
    """Its ref is all that keeps it."""


class WorkOrigin(Struct, frozen=True, kw_only=True):
    """Whose work it is, as the name of a directory or of a ref tells."""

    run: RunId
    step: StepName | None = None
    visit: int | None = None
    slot: int | None = None
    attempt: int | None = None


class LeftDirectory(Struct, frozen=True, kw_only=True):
    """The directory of a workspace that exists now."""

    path: Path
    place: WorkOrigin
    key: EffectKey | None
    """The operation it was made for, if that can be told from its name."""
    fence: int
    is_dirty: bool
    size: int
    since: datetime


class RunDirectory(Struct, frozen=True, kw_only=True):
    """What all workspaces of a run share: its history and its exports."""

    path: Path
    run: RunId
    since: datetime


class KeptWork(Struct, frozen=True, kw_only=True):
    """A commit that one of our refs keeps; without a step, the commit that a run starts from."""

    ref: str
    place: WorkOrigin
    commit: CommitSha
    start: CommitSha | None
    at: datetime
    files: int
    standing: KeptStanding
    holder: str | None
    """The ref that has it too."""
    alone: frozenset[CommitSha]
    """The commits that are reachable from it and from no ref of the user's."""


class ExpiredWork(Struct, frozen=True, kw_only=True):
    """A commit that a ref of ours kept for as long as the user wanted."""

    ref: str
    commit: CommitSha
    at: datetime
    """When the ref was removed."""
    standing: KeptStanding
    holder: str | None = None
    """The ref that had its work then."""


class FileChange(Struct, frozen=True, kw_only=True):
    """A file that differs; without line counts where there are none, as in binary files."""

    path: str
    change: str
    added: int | None = None
    deleted: int | None = None


class Inventory(Protocol):
    """Looks at what workspaces left; changes only what it is told to, one by one."""

    def directories(self, steps: StepsOf) -> tuple[LeftDirectory, ...]:
        """Return the workspaces that exist now, the newest first; nothing in them is touched."""
        ...

    def runs(self) -> tuple[RunDirectory, ...]:
        """Return the runs that have files below the state directory."""
        ...

    def works(self) -> tuple[KeptWork, ...]:
        """Return what refs keep, the newest first."""
        ...

    def changed_files(self, found: LeftDirectory | KeptWork) -> tuple[FileChange, ...]:
        """Return how the files differ from those that the work began with."""
        ...

    def can_make_branch(self, name: str) -> bool:
        """Tell whether a branch can have the name; False when there is one of it already.

        Raises InvalidInput for a name that no branch can have, and Conflict for one that cannot
        be beside another branch's.
        """
        ...

    def make_branch(self, name: str, commit: CommitSha) -> bool:
        """Make a branch of the user's; False when there is one of that name already.

        Raises InvalidInput for a name that no branch can have.
        """
        ...

    def check_place(self, directory: Path) -> None:
        """Refuse a directory that nothing can be exported to, for the reasons that export has."""
        ...

    def export(self, commit: CommitSha, directory: Path) -> None:
        """Write the files of a commit into a directory that is new or empty; all or nothing.

        Raises Conflict when it holds anything, InvalidInput when it lies in the checkout and
        NotFound when there is no directory to put it into.
        """
        ...

    def unused_ref(self, directory: LeftDirectory) -> str:
        """Name a ref that is free for the work in a directory."""
        ...

    def unite(self, ref: str, directory: LeftDirectory) -> str:
        """Drop the ref if the attempt's own keeps the same work; return the one that keeps it."""
        ...

    def drop(self, work: KeptWork) -> bool:
        """Remove the ref if it still stands where it was seen; False when it has moved."""
        ...

    def expire(self, works: Sequence[KeptWork], *, at: datetime) -> int:
        """Remove refs that still stand where they were seen, and remember them; return how many."""
        ...

    def expired(self) -> tuple[ExpiredWork, ...]:
        """Return the refs that expired, the newest first."""
        ...

    def drop_spare(self) -> None:
        """Remove what is kept for later runs only because it would cost time to make it again."""
        ...

    def turn(self) -> AbstractContextManager[None]:
        """Let nobody else clean up meanwhile; raises Busy while somebody does."""
        ...
