"""Composes commits without a work tree: another commit's files, with other contents at some."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.workspaces.commits.admission import is_git_alias
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.repositories.bare_repository import PRIVATE, make_directory
from supervisor_ai.workspaces.repositories.git import OURS, Git, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository

Contents = Mapping[str, bytes | None]

_DRAFTS: Final = "drafts"
_MESSAGE: Final = b"Composition\n"
_ORDINARY: Final = b"100644"
_FILES: Final = (_ORDINARY, b"100755")
_PATHS: Final = 10_000
_PATH_LENGTH: Final = 4096
_TRANSPLANTED: Final = 200
"""So many paths fit into the arguments of a command, however long they are."""
_BYTES: Final = 256 * 1024 * 1024
_PUT: Final = ("update-index", "-z", "--replace", "--index-info")


class Composer:
    """Makes such commits in a git directory of its own, and brings them to the repository."""

    def __init__(self, repository: GitRepository, deposit: ObjectImport, state: Path) -> None:
        self._repository = repository
        self._deposit = deposit
        self._state = state

    def compose(
        self,
        base: CommitSha,
        contents: Contents,
        at: datetime,
        modes_of: CommitSha | None = None,
    ) -> Snapshot:
        """Make a commit with the base's files and other contents at some paths."""
        _check(contents)
        with self._scratch(base, modes_of or base) as scratch:
            modes = {**_modes(scratch, base), **(_modes(scratch, modes_of) if modes_of else {})}
            scratch.run("read-tree", base)
            scratch.run(*_PUT, stdin=b"".join(_entries(scratch, base, contents, modes)))
            return self._deliver(scratch, [base], sorted(contents), at)

    def transplant(
        self, commit: CommitSha, paths: Sequence[str], donor: CommitSha, at: datetime
    ) -> Snapshot:
        """Make a commit with the files of one, but some paths as they are in another."""
        if len(paths) > _TRANSPLANTED:
            raise InvalidInput(f"{len(paths)} paths are too many to be put back.")
        with self._scratch(commit, donor) as scratch:
            scratch.run("read-tree", commit)
            gone = (_removal(commit, path) for _, path in _list(scratch, commit, *paths))
            come = (b"%b\t%b\0" % entry for entry in _list(scratch, donor, *paths))
            scratch.run(*_PUT, stdin=b"".join((*gone, *come)))
            return self._deliver(scratch, [commit, donor], paths, at)

    @contextmanager
    def _scratch(self, *commits: CommitSha) -> Iterator[Git]:
        for commit in commits:
            if not self._repository.has_commit(commit):
                raise NotFound(f"No commit is called {commit!r}.")
        self._state.mkdir(parents=True, exist_ok=True)
        with self._repository.mold.lend(self._state, borrows=self._repository.objects) as scratch:
            yield scratch

    def _deliver(
        self, scratch: Git, known: Sequence[CommitSha], paths: Sequence[str], at: datetime
    ) -> Snapshot:
        tree = scratch.run("write-tree").text
        made = scratch.run(
            *("commit-tree", tree, "-p", known[0]), stdin=_MESSAGE, environment=signature(OURS, at)
        )
        commit = CommitSha(made.text)
        if self._deposit.bring(scratch, commit, known=known, size=len(paths)):
            raise InvalidInput(f"Git refuses the files {_some(paths)} on top of {known[0]!r}.")
        return Snapshot(commit=commit, tree=TreeSha(tree))


def _check(contents: Contents) -> None:
    if len(contents) > _PATHS or sum(map(len, filter(None, contents.values()))) > _BYTES:
        raise InvalidInput(f"{len(contents)} files are too many or too large for one commit.")
    files = {path for path, content in contents.items() if content is not None}
    directories = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    for path in contents:
        if not is_plain(path) or path in files & directories:
            raise InvalidInput(f"The path {path!r} cannot be one of a commit's files.")


def is_plain(path: str) -> bool:
    """Tell whether a path is a file's own below the top, however git would read it."""
    parts = path.split("/")
    return (
        len(path) <= _PATH_LENGTH
        and "\0" not in path
        and all(part not in {"", ".", ".."} and not is_git_alias(part) for part in parts)
    )


def _entries(
    scratch: Git, base: CommitSha, contents: Contents, modes: Mapping[bytes, bytes]
) -> Iterator[bytes]:
    """Write, for the index, what lies at each path; what goes comes first."""
    new = {_raw(path): content for path, content in contents.items() if content is not None}
    for path in contents:
        yield _removal(base, _raw(path))
    for raw, blob in zip(new, _blobs(scratch, new.values()), strict=True):
        yield b"%b %b\t%b\0" % (modes.get(raw, _ORDINARY), blob, raw)


def _blobs(scratch: Git, contents: Collection[bytes]) -> list[bytes]:
    """Put contents into the git directory by one process, however many there are."""
    place = scratch.directory / _DRAFTS
    make_directory(place, PRIVATE)
    names = [f"{_DRAFTS}/{number}" for number, _ in enumerate(contents)]
    for name, content in zip(names, contents, strict=True):
        (scratch.directory / name).write_bytes(content)
    asked = "".join(f"{name}\n" for name in names).encode()
    how = ("hash-object", "-w", "--no-filters", "--stdin-paths")
    return scratch.run(*how, stdin=asked).output.split()


def _modes(scratch: Git, base: CommitSha) -> Mapping[bytes, bytes]:
    entries = _list(scratch, base)
    return {path: mode for about, path in entries if (mode := about[:6]) in _FILES}


def _list(scratch: Git, commit: CommitSha, *folder: str) -> Iterator[tuple[bytes, bytes]]:
    """List the entries of a commit, or of one folder, whatever they are."""
    listing = ("ls-tree", "-r", "-z", "--full-tree", commit, "--", *folder)
    entries = scratch.run(*listing).output.split(b"\0")
    for about, _, path in (entry.partition(b"\t") for entry in entries if entry):
        yield about, path


def _removal(commit: CommitSha, path: bytes) -> bytes:
    """Say that nothing lies at a path; any object's name will do."""
    return b"0 %b\t%b\0" % (commit.encode(), path)


def _raw(path: str) -> bytes:
    return path.encode(errors="surrogateescape")


def _some(paths: Collection[str]) -> str:
    shown = sorted(paths)[:3]
    more = ", …" if len(paths) > len(shown) else ""
    return ", ".join(map(repr, shown)) + more
