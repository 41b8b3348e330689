"""Merges two commits into a third that is on no branch, for whoever tests it before it lands."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import InternalError, InvalidInput
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.branch_merges import Conflicted, ConflictedFile
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.in_thread import perform
from supervisor_ai.workspaces.repositories.git import OURS, Git, failure, printable, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository

_FORM: Final = ("--write-tree", "--no-messages", "-z")
_CONFLICTS: Final = 1
_MESSAGE: Final = b"Merge\n"
_SHOWN: Final = 5
_CHARACTERS: Final = 8_000
_TOOL_FILES: Final = 20
_TOOL_BYTES: Final = 1 << 20
"""More than that is for people, or for whoever wrote it."""
_PLAIN: Final = frozenset({b"100644", b"100755"})


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
        self,
        ours: CommitSha,
        theirs: CommitSha,
        *,
        at: datetime,
        merged: Mapping[str, bytes] | None = None,
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours with the merged files, or say where they conflict."""
        return await perform(self._merge, ours, theirs, at, merged or {})

    async def revert(
        self, ours: CommitSha, commit: CommitSha, *, at: datetime
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours that takes a commit back, or say where it conflicts."""
        return await perform(self._revert, ours, commit, at)

    def _revert(self, ours: CommitSha, commit: CommitSha, at: datetime) -> Snapshot | Conflicted:
        """Merge with a commit behind it that has the files from before it."""
        with self._scratch() as scratch:
            made = scratch.run(
                *("commit-tree", f"{commit}^1^{{tree}}", "-p", commit),
                stdin=_MESSAGE,
                environment=signature(OURS, at),
            )
            # What is made is this very commit where nothing has come after it.
            return self._merged(scratch, (ours, CommitSha(made.text)), at, known=(ours,))

    def _merge(
        self, ours: CommitSha, theirs: CommitSha, at: datetime, merged: Mapping[str, bytes]
    ) -> Snapshot | Conflicted:
        with self._scratch() as scratch:
            return self._merged(scratch, (ours, theirs), at, known=(ours, theirs), merged=merged)

    def _scratch(self) -> AbstractContextManager[Git]:
        self._state.mkdir(parents=True, exist_ok=True)
        return self._repository.mold.lend(self._state, borrows=self._repository.objects)

    def _merged(
        self,
        scratch: Git,
        sides: tuple[CommitSha, CommitSha],
        at: datetime,
        *,
        known: Sequence[CommitSha],
        merged: Mapping[str, bytes] = MappingProxyType({}),
    ) -> Snapshot | Conflicted:
        """Merge both sides; what the repository knows already is not brought into it."""
        ours, theirs = sides
        reply = scratch.ask("merge-tree", *_FORM, ours, theirs)
        first, *entries = reply.output.split(b"\0")
        tree, stages = first.decode(), _stages(entries)
        if reply.code == _CONFLICTS and first:
            if merged.keys() != {printable(path) for path in stages}:
                return _conflicted(scratch, tree, stages)
            tree = _with_files(scratch, tree, stages, merged)
        elif reply.code != 0:
            raise failure("merge-tree", scratch.directory, reply)
        made = scratch.run(
            *("commit-tree", tree, "-p", ours),
            stdin=_MESSAGE,
            environment=signature(OURS, at),
        )
        commit = CommitSha(made.text)
        if self._deposit.bring(scratch, commit, known=known, size=0):
            raise InvalidInput(f"Git refuses the merge of {theirs!r} with {ours!r}.")
        return Snapshot(commit=commit, tree=TreeSha(tree))


_Stages = dict[bytes, dict[bytes, tuple[bytes, str]]]
"""The mode and the object of each side of each file that conflicts."""


def _stages(entries: Sequence[bytes]) -> _Stages:
    found: _Stages = {}
    for entry in filter(None, entries):
        about, _, path = entry.partition(b"\t")
        mode, blob, stage = about.split()
        found.setdefault(path, {})[stage] = (mode, blob.decode())
    return found


def _conflicted(scratch: Git, tree: str, stages: _Stages) -> Conflicted:
    named = sorted(stages)
    return Conflicted(
        paths=tuple(map(printable, named)),
        report="\n\n".join(_sides(scratch, tree, named[:_SHOWN])),
        files=_for_tools(scratch, stages),
    )


def _for_tools(scratch: Git, stages: _Stages) -> tuple[ConflictedFile, ...]:
    """Return every file with its sides, if all of them are plain, few and small."""
    if len(stages) > _TOOL_FILES or not all(map(_is_plain, stages.items())):
        return ()
    found = tuple(_file(scratch, path, sides) for path, sides in sorted(stages.items()))
    is_small = all(len(it.base + it.ours + it.theirs) <= _TOOL_BYTES for it in found)
    return found if is_small else ()


def _is_plain(entry: tuple[bytes, dict[bytes, tuple[bytes, str]]]) -> bool:
    path, sides = entry
    has_both = {b"2", b"3"} <= sides.keys()
    return has_both and path.isascii() and all(mode in _PLAIN for mode, _ in sides.values())


def _file(scratch: Git, path: bytes, sides: Mapping[bytes, tuple[bytes, str]]) -> ConflictedFile:
    base, ours, theirs = (
        scratch.run("cat-file", "blob", sides[stage][1]).output if stage in sides else b""
        for stage in (b"1", b"2", b"3")
    )
    return ConflictedFile(path=printable(path), base=base, ours=ours, theirs=theirs)


def _with_files(scratch: Git, tree: str, stages: _Stages, merged: Mapping[str, bytes]) -> str:
    """Put files that were merged in the place of those with both sides in them."""
    scratch.run("read-tree", tree)
    for path, sides in stages.items():
        blob = scratch.run("hash-object", "-w", "--stdin", stdin=merged[printable(path)]).text
        entry = f"{sides[b'2'][0].decode()},{blob},{path.decode()}"
        scratch.run("update-index", "--add", "--cacheinfo", entry)
    return scratch.run("write-tree").text


def _sides(scratch: Git, tree: str, paths: Sequence[bytes]) -> Iterator[str]:
    """Show the files with both sides in them, as git leaves them."""
    for path in paths:
        listed = scratch.run("ls-tree", "-z", "--full-tree", tree, "--", path.decode()).output
        about = listed.split(b"\t")[0].split()
        found = scratch.run("cat-file", "blob", about[2].decode()).output if about else b""
        text = found.decode(errors="replace")[:_CHARACTERS]
        yield f"{printable(path)}:\n{text}"
