"""Installed copies of a project: what an import could find in place of the checkout."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct


class ProjectCopy(Protocol):
    """A distribution of the project's own name that is installed in a visible environment."""

    @property
    def name(self) -> str:
        """Return the distribution's name."""
        ...

    @property
    def words(self) -> str:
        """Name it with its version and its place."""
        ...

    @property
    def target(self) -> str | None:
        """Return the directory that an editable install leads to."""
        ...


FindCopies = Callable[[Collection[str]], Sequence[ProjectCopy]]
"""Finds what is installed under one of the names where a command could import it."""


class ForeignCopy(Struct, frozen=True, kw_only=True):
    """A copy that is not the checkout, in one sentence, and what to do."""

    told: str
    remedy: str


def foreign_copies(copies: Sequence[ProjectCopy], checkout: Path) -> Iterator[ForeignCopy]:
    """Tell of the copies whose files are not the checkout's."""
    for copy in copies:
        told = _told(copy, checkout)
        if told is not None:
            remedy = (
                f"Uninstall it (pip uninstall {copy.name}), or let it be this checkout:"
                " pip install -e ."
            )
            yield ForeignCopy(told=told, remedy=remedy)


def _told(copy: ProjectCopy, checkout: Path) -> str | None:
    if copy.target is None:
        return (
            f"{copy.words} is an installed copy of this project: gates do not see it,"
            " but what you run yourself may import it in place of the checkout."
        )
    target, top = Path(copy.target), checkout.resolve()
    if target.resolve() == top or top in target.resolve().parents:
        return None
    what = "another directory" if target.is_dir() else "a directory that is not there any more"
    return f"{copy.words} is an editable install of {copy.target!r}, {what}, not of this checkout."
