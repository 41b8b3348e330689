"""Ports that bind a ledger to one repository and one user."""

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct


class FoundLedger(Struct, frozen=True, kw_only=True):
    """A ledger's file as it lies there; nothing in it was read but its number."""

    path: Path
    number: int
    """What the file was stamped with; 0: nothing."""
    size: int
    changed_at: datetime


class LedgerFile(Protocol):
    """The file of a project's ledger and what lies beside it, before anybody believes a word."""

    def find(self) -> FoundLedger | None:
        """Return the ledger, or None where there is none yet.

        Raises Denied where something is in its place that leads elsewhere.
        """
        ...

    def leftovers(self) -> tuple[str, ...]:
        """Name what lies beside the place of a ledger and belongs to one."""
        ...

    def make(self, number: int) -> None:
        """Make an empty ledger with a number."""
        ...

    def adopt(self, number: int) -> None:
        """Take over a ledger that somebody else made, without what nobody here asked of it."""
        ...


class Home(Protocol):
    """The repository that a ledger belongs to."""

    @property
    def place(self) -> str:
        """Return where the git directory is that all work trees share, without any link."""
        ...

    def mark(self) -> str | None:
        """Return what the repository is known by, or None where nobody made a mark yet."""
        ...

    def make_mark(self) -> str:
        """Return what the repository is known by from now on."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one of all processes who does something with the repository's mark."""
        ...

    def tracked_state(self) -> tuple[str, ...]:
        """Name what the repository itself holds where our state is."""
        ...


class Bindings(Protocol):
    """The user's word on which ledger belongs to a repository."""

    def bound(self) -> int | None:
        """Return the number of the repository's ledger, or None."""
        ...

    def elsewhere(self) -> tuple[str, ...]:
        """Return where else the user met a repository with the same mark."""
        ...

    def bind(self, number: int | None) -> None:
        """Keep the number of the repository's ledger; None takes the word back."""
        ...
