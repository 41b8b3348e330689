"""Which files make up a role.

A file without `extends` is laid over the role of the same name on the levels below, where there is
one; so is a file that extends its own name. A file that extends another role is laid over that
role, as all levels together describe it, and the levels below are not asked.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.roles.files import RoleFile, RoleLevel
from supervisor_ai.definitions.sources.mistakes import FileMistakes, unknown

DEEPEST: Final = 20
Chain = tuple[RoleFile, ...]
"""The files of a role, the one that is laid over all others last."""


class Lineage(Struct, frozen=True, kw_only=True):
    """All levels, the lowest first, and where mistakes in them are noted."""

    levels: Sequence[RoleLevel]
    mistakes: FileMistakes
    hint: Callable[[str], str | None]
    """Says where else a role could be had."""

    @property
    def names(self) -> list[str]:
        """Name all roles that have a file."""
        return sorted({name for level in self.levels for name in level.names})

    def chains(self) -> Mapping[str, Chain]:
        """Find the files of every role whose parents exist."""
        found = {name: self._chain(name, len(self.levels), ()) for name in self.names}
        return {name: chain for name, chain in found.items() if chain}

    def _chain(self, name: str, below: int, before: tuple[RoleFile, ...]) -> Chain | None:
        number = self._highest(name, below)
        if number is None:
            return None
        file = self.levels[number].files[name]
        at = next((place for place, one in enumerate(before) if one is file), None)
        if at is not None:
            self._note_circle(before[at:])
            return None
        if len(before) == DEEPEST:
            problem = f"is one of more than {DEEPEST} roles that extend each other"
            self.mistakes.add(file.written.place("extends"), problem)
            return None
        parent, seen = file.written.shape.extends, (*before, file)
        if parent is None or parent == name:
            return self._over_itself(file, number, seen)
        chain = self._chain(parent, len(self.levels), seen)
        if chain is None:
            self._note_unknown(file, parent)
            return None
        return (*chain, file)

    def _over_itself(self, file: RoleFile, number: int, seen: tuple[RoleFile, ...]) -> Chain | None:
        if self._highest(file.name, number) is not None:
            chain = self._chain(file.name, number, seen)
            return None if chain is None else (*chain, file)
        if file.written.shape.extends is not None:
            problem = f"is the role itself, and no level below has a role {file.name!r}"
            self.mistakes.add(file.written.place("extends"), problem)
            return None
        return (file,)

    def _highest(self, name: str, below: int) -> int | None:
        numbers = range(below - 1, -1, -1)
        return next((number for number in numbers if name in self.levels[number].files), None)

    def _note_unknown(self, file: RoleFile, parent: str) -> None:
        if parent in self.names:
            return
        hint = self.hint(parent)
        problem = unknown("role", parent, self.names) if hint is None else hint
        self.mistakes.add(file.written.place("extends"), problem)

    def _note_circle(self, circle: tuple[RoleFile, ...]) -> None:
        names = [file.name for file in circle]
        for number, file in enumerate(circle):
            around = " -> ".join([*names[number:], *names[: number + 1]])
            if file.written.shape.extends is not None:
                problem = f"goes round in a circle: {around}"
                self.mistakes.add(file.written.place("extends"), problem)
