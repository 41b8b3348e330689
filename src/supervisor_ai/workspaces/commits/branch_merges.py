"""Merges two commits into a third that is on no branch, for whoever tests it before it lands."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import InternalError, InvalidInput
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.branch_merges import Conflicted
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.in_thread import perform
from supervisor_ai.workspaces.repositories.git import OURS, Git, failure, printable, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository

_FORM: Final = ("--write-tree", "--name-only", "--no-messages", "-z")
_CONFLICTS: Final = 1
_MESSAGE: Final = b"Merge\n"
_SHOWN: Final = 5
_CHARACTERS: Final = 8_000


def open_branch_merges(project: Callable[[], SliceProject]) -> "GitBranchMerges":
    """Open the merges of a project's repository."""
    opened = project()
    if not isinstance(opened.repository, GitRepository):
        raise InternalError("Only commits of git repositories can be merged.")
    return GitBranchMerges(opened.repository, opened.state)


class GitBranchMerges:
    """Merges in a git directory that is gone afterwards, and keeps what came of it."""

    def __init__(self, repository: GitRepository, state: Path) -> None:
        self._repository = repository
        self._deposit = ObjectImport(repository)
        self._state = state.resolve()

    async def merge(
        self, ours: CommitSha, theirs: CommitSha, *, at: datetime
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours with the merged files, or say where they conflict."""
        return await perform(self._merge, ours, theirs, at)

    def _merge(self, ours: CommitSha, theirs: CommitSha, at: datetime) -> Snapshot | Conflicted:
        self._state.mkdir(parents=True, exist_ok=True)
        with self._repository.mold.lend(self._state, borrows=self._repository.objects) as scratch:
            reply = scratch.ask("merge-tree", *_FORM, ours, theirs)
            tree, *paths = reply.output.split(b"\0")
            if reply.code == _CONFLICTS and tree:
                return _conflicted(scratch, tree.decode(), paths)
            if reply.code != 0:
                raise failure("merge-tree", scratch.directory, reply)
            made = scratch.run(
                *("commit-tree", tree.decode(), "-p", ours),
                stdin=_MESSAGE,
                environment=signature(OURS, at),
            )
            commit = CommitSha(made.text)
            if self._deposit.bring(scratch, commit, known=[ours, theirs], size=0):
                raise InvalidInput(f"Git refuses the merge of {theirs!r} with {ours!r}.")
            return Snapshot(commit=commit, tree=TreeSha(tree.decode()))


def _conflicted(scratch: Git, tree: str, paths: Sequence[bytes]) -> Conflicted:
    named = sorted({path for path in paths if path})
    return Conflicted(
        paths=tuple(map(printable, named)),
        report="\n\n".join(_sides(scratch, tree, named[:_SHOWN])),
    )


def _sides(scratch: Git, tree: str, paths: Sequence[bytes]) -> Iterator[str]:
    """Show the files with both sides in them, as git leaves them."""
    for path in paths:
        listed = scratch.run("ls-tree", "-z", "--full-tree", tree, "--", path.decode()).output
        about = listed.split(b"\t")[0].split()
        found = scratch.run("cat-file", "blob", about[2].decode()).output if about else b""
        text = found.decode(errors="replace")[:_CHARACTERS]
        yield f"{printable(path)}:\n{text}"
