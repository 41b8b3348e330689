"""The files that a change touches, with their contents before and after, in bounds."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.ids import CommitSha

LARGEST: Final = 1024 * 1024
"""A larger file is not looked into."""
_FILES: Final = 2000
_BYTES: Final = 64 * 1024 * 1024


class FileSides(Struct, frozen=True, kw_only=True):
    """A file with its two sides; None where it is missing, or no regular file."""

    path: str
    before: bytes | None
    after: bytes | None
    is_retyped: bool = False


class ChangedFiles(Struct, frozen=True, kw_only=True):
    """What a change touches, and what was too much to look at."""

    files: tuple[FileSides, ...]
    unread: tuple[str, ...] = ()


def changed_files(
    commits: Commits, base: CommitSha, head: CommitSha, *, is_first: Callable[[str], bool]
) -> ChangedFiles:
    """Read both sides of every changed file; those that come first are read before the others."""
    old = {file.path: file for file in commits.list(base)}
    new = {file.path: file for file in commits.list(head)}
    changes = commits.changes(base, head)
    retyped = {change.path for change in changes if change.is_retyped}
    paths = [change.path for change in changes if change.before != change.after]
    paths.sort(key=lambda path: (not is_first(path), path))
    chosen, unread = _within_bounds(paths, old, new)
    before = _contents(commits, (old[path] for path in chosen if path in old))
    after = _contents(commits, (new[path] for path in chosen if path in new))
    files = [
        FileSides(
            path=path,
            before=before.get(path),
            after=after.get(path),
            is_retyped=path in retyped,
        )
        for path in chosen
    ]
    return ChangedFiles(files=tuple(files), unread=tuple(unread))


def _within_bounds(
    paths: Iterable[str], old: Mapping[str, CommitFile], new: Mapping[str, CommitFile]
) -> tuple[list[str], list[str]]:
    chosen: list[str] = []
    unread: list[str] = []
    total = 0
    for path in paths:
        sizes = [side[path].size for side in (old, new) if path in side]
        fits = max(sizes, default=0) <= LARGEST and total + sum(sizes) <= _BYTES
        if fits and len(chosen) < _FILES:
            total += sum(sizes)
            chosen.append(path)
        else:
            unread.append(path)
    return chosen, unread


def _contents(commits: Commits, files: Iterable[CommitFile]) -> dict[str, bytes]:
    return {file.path: source for file, source in commits.read(tuple(files))}
