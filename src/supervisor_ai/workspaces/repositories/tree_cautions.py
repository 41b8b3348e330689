"""What of a commit is not in a workspace as people expect it: submodules, LFS, large files."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.repositories.git import Git, printable
from supervisor_ai.workspaces.repositories.submodules import (
    DEEPEST,
    SubmodulePlaces,
    find_submodules,
    lent_objects,
)
from supervisor_ai.workspaces.repositories.tree_entries import list_tree

_LARGE: Final = 50 << 20
_NAMED: Final = 3
_SUBMODULE: Final = b"160000"
_BEFORE_NAME: Final = len("100644 blob ")
_BEHIND_NAME: Final = len(" 1234567")
"""Git makes room for so many digits: an entry that is longer is one of something large."""
_ATTRIBUTES: Final = b".gitattributes"
_LFS: Final = re.compile(rb"^[^#\n]*\bfilter=lfs\b", re.MULTILINE)
_MIB: Final = 1 << 20


def tree_cautions(git: Git, commit: CommitSha, places: SubmodulePlaces) -> tuple[str, ...]:
    """Say what is missing or slow, and what that means."""
    entries = list_tree(git, commit).split(b"\0")
    end = _BEFORE_NAME + len(commit) + _BEHIND_NAME
    odd = [it.partition(b"\t") for it in entries if it and it[end : end + 1] != b"\t"]
    settings = (it.partition(b"\t")[2] for it in entries if it.endswith(_ATTRIBUTES))
    return (
        *(_submodules(git, commit, places) if any(map(_is_link, odd)) else ()),
        *_large([(_size(head), path) for head, _, path in odd]),
        *_pointers(git, commit, [it for it in settings if it.rpartition(b"/")[2] == _ATTRIBUTES]),
    )


def _is_link(entry: tuple[bytes, bytes, bytes]) -> bool:
    return entry[0].startswith(_SUBMODULE)


def _submodules(git: Git, commit: CommitSha, places: SubmodulePlaces) -> Iterator[str]:
    missing = [os.fsencode(path) for path in _missing(git, commit, places, None)]
    if missing:
        yield (
            f"Submodules are empty directories in every workspace: {_named(missing)}. This clone"
            " does not have the commits that are recorded for them, so tests that need them fail:"
            " git submodule update --init --recursive"
        )


def _missing(
    git: Git, commit: CommitSha, places: SubmodulePlaces, objects: Path | None, depth: int = 1
) -> Iterator[str]:
    """Ask for every object that a workspace needs; nothing of a submodule's settings counts."""
    whole = ("rev-list", "--objects", "--no-walk", "--quiet", "--missing=error")
    for it in find_submodules(git, commit, places, objects):
        lent = None if it.store is None else it.store / "objects"
        is_here = git.ask(*whole, it.commit, environment=lent_objects(lent)).code == 0
        if it.store is None or not is_here or depth > DEEPEST:
            yield it.path
        else:
            inner = SubmodulePlaces(directories=(it.store,))
            below = _missing(git, it.commit, inner, lent, depth + 1)
            yield from (f"{it.path}/{path}" for path in below)


def _large(sizes: list[tuple[int, bytes]]) -> Iterator[str]:
    large = sorted((it for it in sizes if it[0] > _LARGE), reverse=True)
    if large:
        total = sum(size for size, _ in large) // _MIB
        yield (
            f"Large files are copied into every workspace, {total} MiB each time:"
            f" {_named([path for _, path in large])}. Each attempt and each gate takes longer."
        )


def _pointers(git: Git, commit: CommitSha, settings: list[bytes]) -> Iterator[str]:
    question = b"".join(b"%s:%s\n" % (commit.encode(), path) for path in settings[:20])
    if question and _LFS.search(git.run("cat-file", "--batch", stdin=question).output):
        yield (
            "Files that Git LFS keeps are only pointers in a workspace, a few lines of text instead"
            " of their content. Tests that read them fail there; let workspace.setup fetch them."
        )


def _size(head: bytes) -> int:
    size = head.rpartition(b" ")[2]
    return int(size) if size.isdigit() else 0


def _named(paths: list[bytes]) -> str:
    more = len(paths) - _NAMED
    shown = ", ".join(repr(printable(path)) for path in paths[:_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
