"""Whose word a document is: what it may mean depends on who wrote it, not on what it says."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import STORE, KnowledgeArea, area_of
from supervisor_ai.domain.structs import replace

Version = TypeVar("Version")


class LookCommit(Struct, frozen=True, kw_only=True):
    """What a supervisor's look has put on a branch."""

    before: CommitSha
    """Where the branch stood."""
    commit: CommitSha


class KnowledgeOrigin(Struct, frozen=True, kw_only=True):
    """The commits whose documents count: those of people, and those of supervisors' looks."""

    base: CommitSha
    """Where the run began, or the run that started it."""
    looks: tuple[LookCommit, ...] = ()
    """The oldest first."""

    def looked(self, before: CommitSha | None, commit: CommitSha) -> "KnowledgeOrigin":
        """Add what a look has landed; nothing before it: the branch stood at the base."""
        look = LookCommit(before=before or self.base, commit=commit)
        return replace(self, looks=(*self.looks, look))


def standing(
    base: Mapping[str, Version],
    looks: Iterable[tuple[Mapping[str, Version], Mapping[str, Version]]],
) -> dict[str, Version]:
    """Return the version that counts of each file of the store.

    A file counts as the base has it. A look, given as the files before it and after it, changes
    that only where it builds on the version that counts: what somebody else has written in between
    is nobody's rule, also where a look goes on with it. No look writes what people ask for.
    """
    found = dict(base)
    for before, after in looks:
        for path, version in after.items():
            is_people = area_of(path.removeprefix(f"{STORE}/")) == KnowledgeArea.DIRECTIVES
            if before.get(path) == found.get(path) and not is_people:
                found[path] = version
    return found
