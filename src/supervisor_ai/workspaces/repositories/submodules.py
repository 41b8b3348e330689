"""Submodules of a commit, and where this clone already has their objects.

What `.gitmodules` says is the repository's word: it chooses among the places in which git itself
keeps submodules here, and nothing of what lies there is run or believed but objects by their names.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.repositories.git import Git

_GITLINK: Final = b"160000"
_MODULES: Final = "modules"
MODULES_FILE: Final = ".gitmodules"
_MOST: Final = 500
DEEPEST: Final = 5
"""So many submodules may lie in one another."""


class SubmodulePlaces(Struct, frozen=True, kw_only=True):
    """Where git keeps the submodules of a checkout."""

    directories: tuple[Path, ...]
    """The git directories below which they may lie."""
    checkout: Path | None = None
    """The checkout in which they may have git directories of their own, as old ones do."""

    def find(self, name: str, path: str) -> Path | None:
        """Return the git directory of a submodule; None where this clone has none."""
        inner = [] if self.checkout is None else [(self.checkout, f"{path}/.git")]
        kept = [(it / _MODULES, name) for it in self.directories]
        return next((it for top, below in (*kept, *inner) if (it := _beneath(top, below))), None)


class Submodule(Struct, frozen=True, kw_only=True):
    """A directory of a commit that is a commit of another repository."""

    path: str
    commit: CommitSha
    store: Path | None
    """The git directory that may have its objects; None: this clone has none of it."""


def find_submodules(
    git: Git, commit: CommitSha, places: SubmodulePlaces, objects: Path | None = None
) -> Iterator[Submodule]:
    """Find the submodules of a commit, whose objects may lie elsewhere than git's own."""
    lent = lent_objects(objects)
    links = list(_links(git, commit, lent))
    names = _names(git, commit, lent) if links else {}
    for path, recorded in links[:_MOST]:
        store = places.find(names.get(path, path), path)
        yield Submodule(path=path, commit=recorded, store=store)


def lent_objects(place: Path | None) -> Mapping[str, str]:
    """Let git read the objects of another place, and nothing else of it."""
    return {} if place is None else {"GIT_OBJECT_DIRECTORY": os.fspath(place)}


def _links(git: Git, commit: CommitSha, lent: Mapping[str, str]) -> Iterator[tuple[str, CommitSha]]:
    listing = git.run("ls-tree", "-r", "-z", "--full-tree", commit, environment=lent).output
    for entry in listing.split(b"\0"):
        head, _, path = entry.partition(b"\t")
        if head.startswith(_GITLINK):
            yield os.fsdecode(path), CommitSha(head.split(b" ")[2].decode())


def _names(git: Git, commit: CommitSha, lent: Mapping[str, str]) -> Mapping[str, str]:
    """Read under which names `.gitmodules` keeps the paths; one that is broken says nothing."""
    wanted = ("--get-regexp", r"^submodule\..*\.path$")
    asked = ("config", "--no-includes", "-z", "--blob", f"{commit}:{MODULES_FILE}", *wanted)
    reply = git.ask(*asked, environment=lent)
    pairs = (os.fsdecode(it).partition("\n") for it in reply.output.split(b"\0") if it)
    return {path: key[len("submodule.") : -len(".path")] for key, _, path in pairs}


def _beneath(top: Path, below: str) -> Path | None:
    """Return a git directory that really lies below another one."""
    parts: Sequence[str] = PurePosixPath(below).parts
    if not parts or "\0" in below or below.startswith("/") or ".." in parts:
        return None
    try:
        place = top.joinpath(*parts).resolve()
        is_inside = top.resolve() in place.parents
        return place if is_inside and (place / "objects").is_dir() else None
    except OSError:
        return None
