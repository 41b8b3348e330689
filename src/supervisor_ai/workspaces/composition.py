"""Commits that nobody worked for: another commit's files with other contents at some paths."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.facts import Snapshot
from supervisor_ai.workspaces.admission import is_git_alias
from supervisor_ai.workspaces.deposit import Deposit
from supervisor_ai.workspaces.git import Git
from supervisor_ai.workspaces.identity import OURS, signature

Contents = Mapping[str, bytes | None]

_MESSAGE: Final = b"Composition\n"
_ORDINARY: Final = b"100644"
_FILES: Final = (_ORDINARY, b"100755")
_PATHS: Final = 10_000
_PATH_LENGTH: Final = 4096
_BYTES: Final = 256 * 1024 * 1024
_PUT: Final = ("update-index", "-z", "--replace", "--index-info")


def compose(
    scratch: Git, deposit: Deposit, base: CommitSha, contents: Contents, at: datetime
) -> Snapshot:
    """Make the commit in a git directory of its own and bring it to the user's repository."""
    _check(contents)
    scratch.run("read-tree", base)
    scratch.run(*_PUT, stdin=b"".join(_entries(scratch, base, contents)))
    tree = scratch.run("write-tree").text
    made = scratch.run(
        *("commit-tree", tree, "-p", base), stdin=_MESSAGE, environment=signature(OURS, at)
    )
    commit = CommitSha(made.text)
    if deposit.bring(scratch, commit, known=[base], size=len(contents)):
        raise InvalidInput(f"Git refuses the files {_some(contents)} on top of {base!r}.")
    return Snapshot(commit=commit, tree=TreeSha(tree))


def _check(contents: Contents) -> None:
    if len(contents) > _PATHS or sum(map(len, filter(None, contents.values()))) > _BYTES:
        raise InvalidInput(f"{len(contents)} files are too many or too large for one commit.")
    files = {path for path, content in contents.items() if content is not None}
    directories = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    for path in contents:
        if not _is_plain(path) or path in files & directories:
            raise InvalidInput(f"The path {path!r} cannot be one of a commit's files.")


def _is_plain(path: str) -> bool:
    """Tell whether a path is a file's own below the top, however git would read it."""
    parts = path.split("/")
    return (
        len(path) <= _PATH_LENGTH
        and "\0" not in path
        and all(part not in {"", ".", ".."} and not is_git_alias(part) for part in parts)
    )


def _entries(scratch: Git, base: CommitSha, contents: Contents) -> Iterator[bytes]:
    """Write, for the index, what lies at each path; what goes comes first."""
    modes = _modes(scratch, base)
    for path in contents:
        yield b"0 %b\t%b\0" % (base.encode(), _raw(path))
    for path, content in contents.items():
        if content is not None:
            blob = scratch.run("hash-object", "-w", "--stdin", stdin=content).text
            mode = modes.get(_raw(path), _ORDINARY)
            yield b"%b %b\t%b\0" % (mode, blob.encode(), _raw(path))


def _modes(scratch: Git, base: CommitSha) -> Mapping[bytes, bytes]:
    output = scratch.run("ls-tree", "-r", "-z", "--full-tree", base).output
    entries = (entry.partition(b"\t") for entry in output.split(b"\0") if entry)
    return {path: mode for about, _, path in entries if (mode := about[:6]) in _FILES}


def _raw(path: str) -> bytes:
    return path.encode(errors="surrogateescape")


def _some(paths: Collection[str]) -> str:
    shown = sorted(paths)[:3]
    more = ", …" if len(paths) > len(shown) else ""
    return ", ".join(map(repr, shown)) + more
