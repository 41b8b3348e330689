"""The files of a commit, read from the trusted repository and never from a work tree."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, Protocol, TypeVar

from supervisor_ai.control.ports.commits import ChangedPath, CommitFile, LineCount, amended
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha, is_full_sha
from supervisor_ai.workspaces.repositories.git import NO_ATTRIBUTES, Git
from supervisor_ai.workspaces.repositories.tree_entries import list_tree

_BATCH: Final = 16 * 1024 * 1024
"""How many bytes are read at once."""
_PATHS_AT_ONCE: Final = 100
_HARMLESS: Final = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
_LINK: Final = b"120000"
_SUBMODULE: Final = b"160000"
_REGULAR: Final = ("100644", "100755")
_MOST_LISTED: Final = 4
"""Commits whose files are remembered: the base, what a run made of it, and both of another run.
So many pairs of commits are remembered as well."""
_LITTLE: Final = 1_000
"""So many changes are looked up one by one rather than all files again."""
_SIZES: Final = "--batch-check=%(objecttype) %(objectsize)"
_SECTION: Final = b"\ndiff --git "

K = TypeVar("K")
V = TypeVar("V")


class AskGit(Protocol):
    """Asks git about the trusted repository, deaf to foreign configuration."""

    def __call__(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what git wrote; raise Unavailable where it failed."""
        ...


class CommitFiles:
    """Lists and reads what commits hold; links and submodules are left out."""

    def __init__(self, ask: AskGit, listing: Callable[[CommitSha], bytes] | None = None) -> None:
        self._ask = ask
        self._listing = listing or partial(ask, "ls-tree", "-r", "-z", "-l", "--full-tree")
        self._listed: dict[CommitSha, tuple[CommitFile, ...]] = {}
        self._changed: dict[tuple[CommitSha, CommitSha], tuple[ChangedPath, ...]] = {}

    def list(self, commit: CommitSha) -> tuple[CommitFile, ...]:
        """Return the regular files of a commit, in git's order; it is never another one's."""
        found = self._listed.get(commit)
        if found is None:
            found = self._derived(commit)
            if found is None:
                found = _regular(self._listing(commit))
            if is_full_sha(commit):
                _remember(self._listed, commit, found)
        return found

    def _derived(self, commit: CommitSha) -> tuple[CommitFile, ...] | None:
        """Amend the list that was asked for last, where little differs."""
        near = next(reversed(tuple(self._listed.items())), None)
        if near is None or not is_full_sha(commit):
            return None
        changes = self.changes(near[0], commit)
        if len(changes) > _LITTLE:
            return None
        new = self._sized(changes)
        gone = frozenset(change.path for change in changes)
        return None if new is None else amended(near[1], gone, new)

    def _sized(self, changes: Sequence[ChangedPath]) -> tuple[CommitFile, ...] | None:
        """Find the regular files that changes lead to; None where one of them cannot be found."""
        there = [it for it in changes if not it.is_link and it.after.strip("0")]
        asked = "".join(f"{change.after}\n" for change in there).encode()
        told = self._ask("cat-file", _SIZES, stdin=asked).split() if there else []
        kinds = tuple(zip(there, told[::2], told[1::2], strict=True))
        if any(kind != b"blob" and not it.is_submodule for it, kind, _ in kinds):
            return None
        found = ((it, size) for it, kind, size in kinds if kind == b"blob")
        return tuple(CommitFile(it.path, it.after, int(size)) for it, size in found)

    def list_in(self, commit: CommitSha, folder: str) -> tuple[CommitFile, ...]:
        """Return the regular files right in a folder of a commit."""
        listing = ("ls-tree", "-z", "-l", "--full-tree", commit, "--", f"{folder}/")
        return _regular(self._ask(*listing))

    def list_below(self, commit: CommitSha, folder: str) -> tuple[CommitFile, ...]:
        """Return the regular files anywhere below a folder of a commit."""
        listing = ("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", f"{folder}/")
        return _regular(self._ask(*listing))

    def names(self, commit: CommitSha, folder: str) -> tuple[str, ...]:
        """Return the paths of everything right in a folder of a commit, whatever it is."""
        output = self._ask("ls-tree", "-z", "--full-tree", commit, "--", f"{folder}/")
        return tuple(_text(path) for _, path in _entries(output))

    def read(self, files: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, bytes]]:
        """Read files, a bounded number of bytes at a time."""
        for batch in _batches(files):
            stdin = b"".join(file.blob.encode() + b"\n" for file in batch)
            yield from _contents(batch, self._ask("cat-file", "--batch", stdin=stdin))

    def changes(self, base: CommitSha, commit: CommitSha) -> tuple[ChangedPath, ...]:
        """Return what differs between two commits."""
        found = () if base == commit else self._changed.get((base, commit))
        if found is None:
            form = ("--raw", "-z", "--no-abbrev", *_HARMLESS, "-r")
            found = tuple(_changes(self._ask("diff-tree", *form, base, commit)))
            if is_full_sha(base) and is_full_sha(commit):
                _remember(self._changed, (base, commit), found)
        return found

    def patches(
        self, base: CommitSha, commit: CommitSha, paths: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """Return each path's difference as text."""
        for start in range(0, len(paths), _PATHS_AT_ONCE):
            some = paths[start : start + _PATHS_AT_ONCE]
            form = ("--raw", "--patch", "-z", "--no-abbrev", *_HARMLESS)
            output = self._ask("diff-tree", *form, "-r", base, commit, "--", *some)
            yield from _patches(output, frozenset(some))

    def line_counts(self, base: CommitSha, commit: CommitSha) -> tuple[LineCount, ...]:
        """Count the lines of each path that differs."""
        output = self._ask("diff-tree", "--numstat", "-z", *_HARMLESS, "-r", base, commit)
        return tuple(_count(entry) for entry in output.split(b"\0") if entry)


def _remember(known: dict[K, V], key: K, value: V) -> None:
    # Threads may do so at once: each step holds for itself, a loss costs one more question.
    for oldest in tuple(known)[: 1 - _MOST_LISTED]:
        known.pop(oldest, None)
    known[key] = value


@lru_cache(maxsize=4)
def open_commit_files(git: Git) -> CommitFiles:
    """Read with git from its own directory, whatever attributes the user's index has.

    Whoever asks about one repository shares what is known of its commits, which never change.
    """

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        return git.run(*arguments, stdin=stdin, environment=NO_ATTRIBUTES).output

    return CommitFiles(ask, partial(list_tree, git))


def _entries(output: bytes) -> Iterator[tuple[bytes, bytes]]:
    for entry in output.split(b"\0"):
        described, _, path = entry.partition(b"\t")
        if entry:
            yield described, path


def _regular(output: bytes) -> tuple[CommitFile, ...]:
    """Read a list of entries with their sizes; there may be very many."""
    parted = [entry.partition("\t") for entry in _text(output).split("\0")]
    described = ((head.split(), path) for head, _, path in parted if head.startswith(_REGULAR))
    return tuple([CommitFile(path, words[2], int(words[3])) for words, path in described])


def _text(path: bytes) -> str:
    return path.decode(errors="surrogateescape")


def _batches(files: Sequence[CommitFile]) -> Iterator[list[CommitFile]]:
    batch: list[CommitFile] = []
    size = 0
    for file in files:
        if batch and size + file.size > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


def _contents(batch: list[CommitFile], output: bytes) -> Iterator[tuple[CommitFile, bytes]]:
    at = 0
    for file in batch:
        start = output.find(b"\n", at) + 1
        if output[at:start].split() != [file.blob.encode(), b"blob", str(file.size).encode()]:
            raise Unavailable(f"The file {file.path!r} could not be read from the repository.")
        at = start + file.size + 1
        yield file, output[start : at - 1]


def _changes(raw: bytes) -> Iterator[ChangedPath]:
    fields = iter(raw.split(b"\0"))
    for described in fields:
        if described.startswith(b":"):
            was, mode, before, after, status = described.removeprefix(b":").split()
            path, is_retyped = _text(next(fields)), status.startswith(b"T")
            is_link, is_submodule = mode == _LINK, _SUBMODULE in (was, mode)
            yield ChangedPath(
                path, before.decode(), after.decode(), is_retyped, is_link, is_submodule
            )


def _count(entry: bytes) -> LineCount:
    added, deleted, path = entry.split(b"\t", 2)
    numbers = (int(word) if word.isdigit() else None for word in (added, deleted))
    return LineCount(_text(path), *numbers)


def _patches(output: bytes, asked: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Split a patch: a line of content never begins with a letter, so sections are known by it."""
    raw, _, patch = output.partition(b"\0\0")
    # A file that becomes a link is shown as one that goes and one that comes.
    paths = [it.path for it in _changes(raw) for _ in range(2 if it.is_retyped else 1)]
    sections = (b"\n" + patch).split(_SECTION)[1:]
    if len(paths) != len(sections):
        raise Unavailable("What git says about the changes cannot be understood.")
    bodies: dict[str, list[str]] = {}
    for path, section in zip(paths, sections, strict=True):
        _, _, body = section.partition(b"\n")
        bodies.setdefault(path, []).append(body.decode(errors="replace"))
    yield from ((path, "\n".join(parts)) for path, parts in bodies.items() if path in asked)
