"""Ports of the knowledge store: what became of its uses, and its files in a directory.

A run that does one task settles its uses by its end. A driver whose runs do several adds the
statements below to the rules of its own facts.
"""
# ruff: noqa: S608 - the statements are made of this module's own words

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.project.knowledge.life import KnowledgeUse


def _settled(status: str) -> str:
    return f"UPDATE knowledge_uses SET status = '{status}' WHERE run = :run AND status = 'open'"


TASK_PASSED: Final = _settled("clean")
"""The task is done, and nothing of it was found wanting."""
QA_FAILED: Final = _settled("failed")
"""A check did not accept the task's work."""
TASK_DROPPED: Final = _settled("void")
"""The task ended for a reason that says nothing about what was known."""


class KnowledgeUses(Protocol):
    """Which tasks were told of which documents, and what became of them."""

    def knowledge_uses(self) -> tuple[KnowledgeUse, ...]:
        """Return all uses, the oldest first."""
        ...


class NoUses:
    """A ledger in which nobody was told of anything."""

    def knowledge_uses(self) -> tuple[KnowledgeUse, ...]:
        """Return nothing."""
        return ()


class StoreFile(Struct, frozen=True, kw_only=True):
    """A file of a store as it was found; None: it cannot be read, and why."""

    path: str
    """Its path in the store."""
    content: bytes | None
    trouble: str = ""


class KnowledgeFolder(Protocol):
    """A store in a plain directory: the checkout's or the user's own."""

    def stamp(self) -> str | None:
        """Name what is in it, as far as it can be told without reading; None: there is none."""
        ...

    def read(self) -> Sequence[StoreFile]:
        """Read its files; nothing that a link leads to is read."""
        ...

    def write(self, contents: Mapping[str, bytes]) -> None:
        """Write files by their paths in the store; nothing is written through a link."""
        ...
