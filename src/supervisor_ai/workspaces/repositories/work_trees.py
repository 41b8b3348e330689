"""Finds the work trees of a repository without starting git."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

_POINTER: Final = "gitdir:"
_LONGEST: Final = 1 << 16


def work_trees(start: Path) -> tuple[Path, ...]:
    """List the work trees and git directories of the repository around a directory.

    What only looks like a repository on the way up is listed, too: git would pass over it.
    """
    found: list[Path] = []
    try:
        top = start.resolve()
    except FileNotFoundError:
        # The directory in which we stand is gone, and nothing is around it.
        return ()
    for place in (top, *top.parents):
        if _is_git_directory(place):
            return (*found, place, *_of_git_directory(place))
        named = place / ".git"
        if not (named.exists() or named.is_symlink()):
            continue
        directory = _pointed(named) or named
        found += (place, directory)
        if _is_git_directory(directory):
            return (*found, *_of_git_directory(directory))
    return tuple(found)


def _of_git_directory(directory: Path) -> Iterator[Path]:
    shared = directory / (_line(directory / "commondir") or ".")
    yield shared
    if shared.resolve().name == ".git":
        yield shared.resolve().parent
    for linked in (shared / "worktrees").glob("*/gitdir"):
        if place := _line(linked):
            yield (linked.parent / place).parent


def _is_git_directory(place: Path) -> bool:
    has_head = (place / "HEAD").exists() or (place / "HEAD").is_symlink()
    return has_head and ((place / "objects").is_dir() or (place / "commondir").is_file())


def _pointed(named: Path) -> Path | None:
    """Follow the file that stands for the git directory of a linked work tree or a submodule."""
    line = _line(named)
    is_pointer = line.startswith(_POINTER)
    return named.parent / line.removeprefix(_POINTER).strip() if is_pointer else None


def _line(file: Path) -> str:
    if not file.is_file():
        return ""
    try:
        with file.open("rb") as opened:
            return opened.read(_LONGEST).decode(errors="surrogateescape").strip("\n")
    except OSError:
        return ""
