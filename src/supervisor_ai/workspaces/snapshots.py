"""Turning a workspace's files into a commit of ours."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.facts import Snapshot
from supervisor_ai.workspaces.admission import Change, clean, parse_changes, refused, restoration
from supervisor_ai.workspaces.blindness import put_back
from supervisor_ai.workspaces.deposit import Deposit
from supervisor_ai.workspaces.git import Git
from supervisor_ai.workspaces.identity import OURS, signature
from supervisor_ai.workspaces.inclusion import read_included
from supervisor_ai.workspaces.layout import Desk
from supervisor_ai.workspaces.scratch import PRIVATE, make_directory, write

_TRIES: Final = 3
_VERBATIM: Final = "* !text !eol !ident !filter !working-tree-encoding\n"
RAW: Final = ("--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A workspace's files in the index of our own git directory, and nowhere else yet."""

    git: Git
    start: CommitSha
    changes: tuple[Change, ...]
    lookalikes: tuple[bytes, ...]
    included: frozenset[bytes]

    def is_empty(self) -> bool:
        """Tell whether nothing that may enter history has changed."""
        return len(self._refused()) == len(self.changes)

    def deliver(self, deposit: Deposit, *, message: str, at: datetime) -> Snapshot:
        """Make the commit on top of the start and bring it to the user's repository."""
        offenders: frozenset[str] = frozenset()
        for _ in range(_TRIES):
            self._take_back(offenders)
            snapshot = self._commit(message, at)
            refusal = deposit.bring(
                self.git, snapshot.commit, known=[self.start], size=len(self.changes)
            )
            if not refusal:
                return snapshot
            offenders |= refusal
        raise InternalError(f"Git refuses the snapshot {message!r} because of {set(offenders)}.")

    def _take_back(self, offenders: Collection[str]) -> None:
        changes = self._refused(offenders)
        if changes:
            self.git.run("update-index", "-z", "--index-info", stdin=restoration(changes))

    def _refused(self, offenders: Collection[str] = ()) -> tuple[Change, ...]:
        return refused(
            self.changes,
            lookalikes=self.lookalikes,
            included=self.included,
            offenders=offenders,
        )

    def _commit(self, message: str, at: datetime) -> Snapshot:
        tree = self.git.run("write-tree").text
        made = self.git.run(
            *("commit-tree", tree, "-p", self.start),
            stdin=f"{message}\n".encode(),
            environment=signature(OURS, at),
        )
        return Snapshot(commit=CommitSha(made.text), tree=TreeSha(tree))


def draft(desk: Desk) -> Draft:
    """Put a workspace's files into the index, but for what may not enter history."""
    desk.restore()
    git = Git(directory=desk.trusted_git, work_tree=desk.tree, is_scratch=True)
    start = CommitSha(desk.start.read_text().strip())
    lookalikes = clean(desk.tree)
    if git.ask("add", "--all").code != 0:
        take_verbatim(git)
        git.run("add", "--all")
    if desk.hidden.exists():
        put_back(git, start, desk.hidden)
    raw = git.run("diff-index", "--cached", *RAW, start, "--").output
    return Draft(
        git=git,
        start=start,
        changes=parse_changes(raw),
        lookalikes=lookalikes,
        included=read_included(desk),
    )


def take_verbatim(git: Git) -> None:
    """Take bytes as they are: attributes can ask for conversions that fail, this never does."""
    make_directory(git.directory / "info", PRIVATE)
    write(git.directory / "info" / "attributes", _VERBATIM)
