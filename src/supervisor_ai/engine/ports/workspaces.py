"""Git: isolated workspaces, snapshots and integration."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct, field

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, TreeSha
from supervisor_ai.domain.run.values import Base, Hardness, Identity, Snapshot
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.sandbox import Mount


class Quota(Struct, frozen=True, kw_only=True):
    """How much the files of a workspace may take."""

    disk: int
    files: int


class WorkspacePlan(Struct, frozen=True, kw_only=True):
    """What is special about a workspace."""

    is_writable: bool = True
    hides: tuple[str, ...] = ()
    """Patterns of files that do not exist in it; nor does any history in which they would."""
    include: tuple[str, ...] = ()
    """Patterns of ignored files that are copied from the user's checkout."""
    quota: Quota | None = None
    keeps: Quota | None = None
    """How much of what was added or changed in it is kept at most; None: all of it."""
    writable: Writable | None = None
    """What may be written in it, path by path; None: all of it or nothing, as `is_writable` says.

    A directory that it names is there, empty where the commit has none.
    """
    has_reports: bool = False
    """Whether there is a directory for reports beside the files."""
    is_shared: bool = False
    """Whether nobody writes in it, not even a set-up: its files may be those that others read."""


PLAIN: Final = WorkspacePlan()


class SetupCache(Struct, frozen=True, kw_only=True):
    """What a set-up made, by everything that decides what it makes."""

    command: tuple[str, ...]
    key_files: tuple[str, ...]
    paths: tuple[str, ...]


class Workspace(Struct, frozen=True, kw_only=True):
    """A directory with the files of one commit, for one operation of one owner."""

    run: RunId
    key: EffectKey
    path: Path
    start: CommitSha
    mounts: tuple[Mount, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    distributions: tuple[str, ...] = ()
    """The names under which its Python projects are installed, also before the change."""
    quota: Hardness = Hardness.NONE
    """Whether the file system itself keeps the files within the quota."""
    reports: Path | None = None
    """An empty directory beside the files, for whom it is mounted; what is in it is no change."""
    desk: Path | None = None
    """What belongs to it alone, where others read the same files."""


class LeftOut(Struct, frozen=True, kw_only=True):
    """A file of a workspace, or a directory with all below it, that no commit of ours holds."""

    path: str
    reason: str


LeftOutSink = Callable[[LeftOut], None]
"""Is told what is left out, possibly in another thread."""


class Landing(Struct, frozen=True, kw_only=True):
    """A snapshot on its way to a branch; the same landing always makes the same commit."""

    run: RunId
    key: EffectKey
    snapshot: CommitSha
    base: CommitSha
    branch: str
    expected: CommitSha | None
    message: str
    identity: Identity
    at: datetime
    is_signed: bool = True
    """Whether it is signed where the user's git says so; a signature may differ each time."""


class Landed(Struct, frozen=True, kw_only=True):
    """The snapshot is on the branch."""

    commit: CommitSha
    tree: TreeSha
    """All files of the commit: others may have put some of them there."""


class NotLanded(Struct, frozen=True, kw_only=True):
    """The snapshot cannot be put on the branch."""

    reason: str
    lacks_signature: bool = False
    """Whether the user's git wants a signature that cannot be made without the user."""


class Workspaces(Protocol):
    """Where workers and gates find their files, and where their results become commits."""

    async def open(
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        """Make a fresh directory with the files of `start`; its path carries the fence."""
        ...

    async def keeps_quota(self) -> bool:
        """Tell whether the kernel would keep the quota of a plan here."""
        ...

    async def take_cached(self, workspace: Workspace, cache: SetupCache) -> bool:
        """Copy into the workspace what an equal set-up made before; tell whether there was any."""
        ...

    async def keep_cached(self, workspace: Workspace, cache: SetupCache) -> None:
        """Keep what the set-up made for later workspaces, if it ran on the run's base commit.

        On any other commit a worker may have had a hand in it.
        """
        ...

    async def snapshot(
        self,
        workspace: Workspace,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> Snapshot:
        """Turn the directory's files into a commit on top of its start, kept under the ref.

        What cannot be kept is left out and told to the sink: it never makes this fail.
        """
        ...

    async def changed(self, workspace: Workspace) -> tuple[str, ...]:
        """List the files of the start commit that are not as they were, or gone."""
        ...

    async def touched(self, workspace: Workspace) -> Mapping[str, int]:
        """List the files that differ from the start, are new or gone, while a worker is at them.

        Each has a stamp that changes with it; of very many, some. What git ignores is left out.
        """
        ...

    async def touched_by(self, run: RunId, key: EffectKey) -> Mapping[str, int]:
        """List the same of an operation that another owner may be at; nothing: nobody is."""
        ...

    async def read_file(self, workspace: Workspace, path: str, *, most: int) -> bytes | None:
        """Read a file of the directory, up to so many bytes and one more.

        None where there is none: nothing that a link leads to is read.
        """
        ...

    async def read_reports(self, workspace: Workspace, *, most: int) -> Mapping[str, bytes]:
        """Read the files that lie in the directory for reports, by their names.

        So many bytes in all: what does not fit is left out, and so is everything but plain files.
        """
        ...

    async def compose(
        self,
        base: CommitSha,
        contents: Mapping[str, bytes | None],
        *,
        at: datetime,
        modes_of: CommitSha | None = None,
    ) -> Snapshot:
        """Make a commit with the base's files and other contents at some paths; None: no file.

        It lies on top of the base and no ref keeps it. A file has the mode that it has in
        `modes_of`, or else in the base; a new one is an ordinary file.
        """
        ...

    async def keep(self, commit: CommitSha, *, ref: str) -> None:
        """Let a ref of ours keep a commit, so that it does not go."""
        ...

    async def close(self, workspace: Workspace) -> None:
        """Remove the directory."""
        ...

    async def keep_lost(
        self,
        run: RunId,
        key: EffectKey,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> str | None:
        """Keep what an operation without an end left behind, then remove its directories.

        Returns the ref, or None when there was no directory or nothing had changed.
        """
        ...

    async def program(self, run: RunId, base: CommitSha, *, hides: tuple[str, ...] = ()) -> Path:
        """Export the base commit, read-only, for programs that the definition names by a path."""
        ...

    async def diff(self, base: CommitSha, head: CommitSha, *, hides: tuple[str, ...] = ()) -> str:
        """Return the change between two commits as text."""
        ...

    async def changed_paths(self, base: CommitSha, head: CommitSha) -> tuple[str, ...]:
        """Name the files that differ between two commits, sorted."""
        ...

    async def land(self, landing: Landing) -> Landed | NotLanded:
        """Put the snapshot on the branch by compare-and-swap; a key that has landed is found."""
        ...

    async def find_landed(self, branch: str, key: EffectKey) -> Landed | None:
        """Find the commit on the branch that carries the operation's trailer."""
        ...

    async def forget(self, run: RunId) -> None:
        """Remove what an ended run needs no more; refs stay."""
        ...


class Repository(Protocol):
    """The user's repository, which is read and never disturbed."""

    @property
    def root(self) -> Path:
        """Return the top of the main work tree."""
        ...

    @property
    def state_directory(self) -> Path:
        """Return `.supervisor` of the main work tree."""
        ...

    def resolve(self, ref: str | None) -> Base:
        """Find a commit (None: where the checkout stands)."""
        ...

    def read(self, commit: CommitSha, path: str) -> str | None:
        """Return a file of a commit, or None."""
        ...

    def list(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        """Return the paths of the files below a directory of a commit."""
        ...

    def links(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        """Return the paths of the links below a directory of a commit, or its own if it is one."""
        ...

    def identity(self) -> Identity:
        """Return the name under which commits are made here."""
        ...

    def is_dirty(self) -> bool:
        """Tell whether the checkout has changes that no commit holds."""
        ...

    def distributions(self, commit: CommitSha) -> frozenset[str]:
        """Return the names under which a commit's Python projects are installed."""
        ...

    def cautions(self, commit: CommitSha) -> tuple[str, ...]:
        """Say what of a commit is not in a workspace as people expect it."""
        ...

    def diff_stat(self, base: CommitSha, head: CommitSha) -> str:
        """Return git's summary of the change between two commits."""
        ...

    def patch(self, base: CommitSha, head: CommitSha) -> str:
        """Return the change between two commits line by line."""
        ...

    def changed_lines(self, base: CommitSha, head: CommitSha) -> str:
        """Return how many lines of each file changed, as git's `--numstat -z` does."""
        ...

    def branch_tip(self, branch: str) -> CommitSha | None:
        """Return where a branch stands."""
        ...

    def has_commit(self, sha: CommitSha) -> bool:
        """Tell whether a commit exists; what no ref keeps may go at any time."""
        ...


class AnchorPoint(Struct, frozen=True, kw_only=True):
    """A link of the chain, kept outside the database."""

    seq: int
    hash: str


class Anchor(Protocol):
    """Where the head of the chain is kept outside the database, so that a cut tail is seen."""

    def write(self, point: AnchorPoint) -> None:
        """Keep the link."""
        ...

    def read(self) -> AnchorPoint | None:
        """Return the newest link that was kept."""
        ...
