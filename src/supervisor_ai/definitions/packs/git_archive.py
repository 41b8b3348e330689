"""Packs in a git repository: its objects are fetched and read, and never checked out."""

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final

from supervisor_ai.definitions.packs.archives import LARGEST_FILE, ArchiveEntry
from supervisor_ai.domain.errors import InvalidInput

GitRunner = Callable[[Path, tuple[str, ...], bytes], bytes]
"""Runs git on a git directory with arguments and an input, and returns its output.

It must have hooks, filters, submodules, credentials and every protocol off; the arguments switch
on the one protocol that the source names.
"""

_REF: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,200}")
_PLAIN_MODES: Final = frozenset({b"100644", b"100755"})
_SCHEMES: Final = {"https": "https", "ssh": "ssh", "file": "file"}
_SHORT_SSH: Final = re.compile(r"[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^:].*")


class GitArchive:
    """One commit of a repository, fetched into a git directory of ours."""

    def __init__(self, source: str, directory: Path, commit: str, git: GitRunner) -> None:
        self.source = source
        self.commit: str | None = commit
        self._directory = directory
        self._git = git
        self._tree = commit

    def entries(self, folder: str) -> tuple[ArchiveEntry, ...]:
        """List everything below a folder."""
        below = PurePosixPath(folder)
        pathspec = ("--", f"{below}/") if below.parts else ()
        listing = ("ls-tree", "-r", "-z", "-l", "--full-tree", self._tree, *pathspec)
        output = self._git(self._directory, listing, b"")
        return tuple(_entry(line) for line in output.split(b"\0") if line)

    def read(self, path: str) -> bytes | None:
        """Return a plain file, or None."""
        if "\n" in path or ".." in PurePosixPath(path).parts:
            return None
        entry = next(
            (it for it in self.entries(str(PurePosixPath(path).parent)) if it.path == path), None
        )
        if entry is None or not entry.is_plain or entry.size > LARGEST_FILE:
            return None
        question = f"{self._tree}:{path}\n".encode()
        output = self._git(self._directory, ("cat-file", "--batch"), question)
        header, _, content = output.partition(b"\n")
        return content.removesuffix(b"\n") if b" blob " in header else None


def fetch_archive(source: str, ref: str | None, directory: Path, git: GitRunner) -> GitArchive:
    """Fetch one commit of a repository, without its history, into an empty directory."""
    if ref is not None and not _REF.fullmatch(ref):
        raise InvalidInput(f"A commit or branch of a pack's repository cannot be called {ref!r}.")
    allow = ("-c", f"protocol.{protocol(source)}.allow=always")
    git(directory, ("init", "--quiet", "--bare", "--template=", str(directory)), b"")
    options = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules")
    git(directory, (*allow, "fetch", *options, "--", source, ref or "HEAD"), b"")
    commit = git(directory, ("rev-parse", "--verify", "FETCH_HEAD^{commit}"), b"")
    return GitArchive(source, directory, commit.decode().strip(), git)


def protocol(source: str) -> str:
    """Return the protocol of a repository's address; refuse those that run or trust anything."""
    scheme, separator, _ = source.partition("://")
    if separator and scheme in _SCHEMES:
        return _SCHEMES[scheme]
    if not separator and _SHORT_SSH.fullmatch(source) and "::" not in source:
        return "ssh"
    if not separator and source.startswith("/"):
        return "file"
    raise InvalidInput(
        f"Packs cannot be fetched from {source!r}.",
        hint="Name a directory, or a git repository by https://, ssh:// or file://.",
    )


def _entry(line: bytes) -> ArchiveEntry:
    described, _, path = line.partition(b"\t")
    mode, _, _, size = described.split()
    plain = mode in _PLAIN_MODES
    return ArchiveEntry(
        path=path.decode(errors="surrogateescape"),
        size=int(size) if plain else 0,
        is_plain=plain,
    )
