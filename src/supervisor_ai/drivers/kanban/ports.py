"""The files of a kanban: where they live, and what they say."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, Obligation

Files = Mapping[str, bytes]
"""Contents by path in the project."""


class Standing(Struct, frozen=True, kw_only=True):
    """Where a run stands before its kanban is read."""

    branch: str
    base: CommitSha
    landed: CommitSha | None
    """What the run has put on its branch last; None: nothing yet."""


class Taken(Struct, frozen=True, kw_only=True):
    """The files of a kanban as they are now, and a commit that has them."""

    snapshot: Snapshot
    files: Files
    tip: CommitSha | None
    """Where the run's branch stands; None: there is none yet."""
    rest: TreeSha | None = None
    """All files of the tip, where those of the kanban are in a plain directory."""


class NotTaken(Struct, frozen=True, kw_only=True):
    """The files cannot be read."""

    reason: str


class Saved(Struct, frozen=True, kw_only=True):
    """The directory has the files; a commit without them has what else was changed."""

    rest: Snapshot


class NotSaved(Struct, frozen=True, kw_only=True):
    """Somebody else has changed the files meanwhile, or they cannot be written."""

    reason: str


class KanbanFiles(Protocol):
    """Where kanban files live; links, and files that are no regular ones, are not there."""

    async def take(
        self, place: KanbanPlace, standing: Standing, *, at: datetime
    ) -> Taken | NotTaken:
        """Read the markdown files of the kanban's folder, as they are now."""
        ...

    async def read(self, commit: CommitSha, folder: str) -> Files:
        """Read the markdown files right in a folder of a commit."""
        ...

    async def changed(self, start: CommitSha, commit: CommitSha) -> tuple[str, ...]:
        """List the paths that differ between two commits, links and other kinds included."""
        ...

    async def restore(
        self, snapshot: CommitSha, paths: Sequence[str], *, start: CommitSha, at: datetime
    ) -> Snapshot:
        """Make a commit with the snapshot's files, but some paths as they were at the start.

        Raises InvalidInput where there are more of them than can be put back.
        """
        ...

    async def save(
        self,
        place: KanbanPlace,
        *,
        start: CommitSha,
        snapshot: CommitSha,
        base: CommitSha,
        at: datetime,
    ) -> Saved | NotSaved:
        """Write what differs in the kanban's folder into its plain directory.

        A file is written only where it is as it was in `start`; one that is already as it is in
        `snapshot` is left alone, so that doing it again does nothing. All or nothing of it is
        checked before anything is written. The rest is `snapshot` with the folder as in `base`.
        """
        ...


class KanbanReader(Protocol):
    """Knows the format of kanban and task files: tolerant with what it reads."""

    def read(self, file: str, files: Files) -> Kanban | tuple[Mistake, ...]:
        """Return what the files say, or everything that is wrong with them."""
        ...

    def judge(
        self, obligation: Obligation, before: Files, after: Files, answer: str
    ) -> tuple[str, ...]:
        """Say in what way the files that a worker left do not have the required form.

        Looks at the form alone: whether the files can be read, whether the task's work log has a
        whole new entry that concludes with the word of the answer and nothing else of the task was
        changed, whether the Manager's answer and its kanban file say the same.
        """
        ...


class KanbanPorts(Struct, frozen=True, kw_only=True):
    """What the kanban driver's effects are performed with, besides the world."""

    files: KanbanFiles
    reader: KanbanReader


class WantedKanban(Struct, frozen=True, kw_only=True):
    """What a run on a kanban is to pin, as far as a person says so."""

    place: KanbanPlace
    instruction: str = ""
    """With it the Manager makes the kanban first, and the run ends with that."""
    cli: str | None = None
    manager: str | None = None
    """`model` or `builtin`; None: as configured."""
