"""Packs of roles that belong together, switched on by `packs:` in a config file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Self

from msgspec import Struct
from pydantic import AfterValidator, Field, model_validator

from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile, read_shape
from supervisor_ai.definitions.roles.files import (
    ROLES,
    RoleFile,
    RoleLevel,
    check_own_gates,
    read_level,
)
from supervisor_ai.definitions.roles.versions import fits, range_text, version_text
from supervisor_ai.definitions.schema.base import FileShape, Name, Text
from supervisor_ai.definitions.schema.roles import RoleFileShape
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY, DefinitionSource
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.domain.structs import replace

PACKS: Final = "packs"
_FILE: Final = "pack.yaml"
_FACT: Final = re.compile(r"[a-z]{1,20}:[^\s&][^&]{0,100}( & [a-z]{1,20}:[^\s&][^&]{0,100}){0,5}")


def fact_text(value: str) -> str:
    """Accept facts as the table of detection names them."""
    if not _FACT.fullmatch(value):
        raise ValueError(f"must be a fact such as framework:React, found {value!r}")
    return value


class DependencyShape(FileShape):
    """One of `dependencies`: another pack that must be there."""

    name: Name
    version: Annotated[str, AfterValidator(range_text)] = ">=0"


class PackShape(RoleFileShape):
    """`pack.yaml`: of a pack of roles, or of one role, which is then called as the pack is."""

    name: Name
    version: Annotated[str, AfterValidator(version_text)]
    author: Text = ""
    roles: Annotated[list[Name], Field(min_length=1)] | None = None
    dependencies: list[DependencyShape] = Field(default_factory=list)
    when: list[Annotated[str, AfterValidator(fact_text)]] = Field(default_factory=list)
    """What `supervisor init` may have found where it fits: `framework:React`, `file:go.mod`."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        own = self.model_fields_set & _OF_ROLES
        if self.roles is None and not own:
            raise ValueError("needs `roles`, or what makes it a role itself, such as `extends`")
        if self.roles is not None and own:
            raise ValueError(f"has `roles`, so {min(own)!r} belongs into the file of one of them")
        return self


_MOST_PACKS: Final = 100
_OF_ROLES: Final = frozenset(RoleFileShape.model_fields) - {"name", "description"}
"""What only roles have."""


class Pack(Struct, frozen=True, kw_only=True):
    """A pack that is switched on, and its role files."""

    written: WrittenFile[PackShape]
    level: RoleLevel
    directory: str
    """Where its files are on their shelf."""


class Wish(Struct, frozen=True, kw_only=True):
    """A pack that somebody wants, and where they say so."""

    name: str
    place: FilePlace
    version: str = ">=0"


@dataclass(slots=True, kw_only=True)
class _Reader:
    shelves: Sequence[DefinitionSource]
    mistakes: FileMistakes
    found: dict[str, Pack | None] = field(default_factory=dict)

    def read(self, wish: Wish) -> None:
        """Read a pack and those that it needs, those first."""
        if wish.name not in self.found:
            if len(self.found) >= _MOST_PACKS:
                self.mistakes.add(wish.place, f"is one pack too many: at most {_MOST_PACKS}")
                return
            self.found[wish.name] = None
            pack = self._find(wish.name)
            if pack is None:
                self._note_unknown(wish)
                return
            for needed in _needs(pack.written):
                self.read(needed)
            # The order of the packs is the order in which they were found to be whole.
            del self.found[wish.name]
            self.found[wish.name] = pack
        self._check_version(wish)

    def _find(self, name: str) -> Pack | None:
        for shelf in reversed(self.shelves):
            written = read_shape(shelf, f"{PACKS}/{name}/{_FILE}", PackShape, self.mistakes)
            if written is None:
                continue
            level = read_level(shelf, self.mistakes, pack=name)
            self._check(written, name, level)
            level = level if written.shape.roles else _of_one(written, name, self.mistakes)
            return Pack(written=written, level=level, directory=f"{PACKS}/{name}/")
        return None

    def _check(self, written: WrittenFile[PackShape], name: str, level: RoleLevel) -> None:
        if written.shape.name != name:
            problem = f"is {written.shape.name!r}, but the directory is called {name!r}"
            self.mistakes.add(written.place("name"), problem)
        if written.shape.roles is None:
            for role in level.names:
                problem = f"is a role itself, so the pack has no other one such as {role!r}"
                self.mistakes.add(written.place(), problem)
            return
        for number, role in enumerate(written.shape.roles):
            if role not in level.names:
                problem = f"has no file {ROLES}/{role}.yaml in the pack"
                self.mistakes.add(written.place("roles", number), problem)
        for role in level.names:
            if role not in written.shape.roles:
                self.mistakes.add(written.place("roles"), f"does not list the role {role!r}")

    def _check_version(self, wish: Wish) -> None:
        pack = self.found[wish.name]
        if pack is not None and not fits(wish.version, pack.written.shape.version):
            has = pack.written.shape.version
            problem = f"needs {wish.name} {wish.version}, but version {has} is there"
            self.mistakes.add(wish.place, problem)

    def _note_unknown(self, wish: Wish) -> None:
        files = {shelf.label(f"{PACKS}/{wish.name}/{_FILE}") for shelf in self.shelves}
        if not files & self.mistakes.files:
            self.mistakes.add(wish.place, unknown("pack", wish.name, builtin_packs()))


def _of_one(written: WrittenFile[PackShape], name: str, mistakes: FileMistakes) -> RoleLevel:
    """Return the level of a pack that is one role."""
    check_own_gates(written, mistakes)
    said = written.document.value if isinstance(written.document.value, dict) else {}
    value = {key: it for key, it in said.items() if key in RoleFileShape.model_fields}
    file = RoleFile(name=name, written=replace(written, value=value), pack=name)
    return RoleLevel(files={name: file}, names=(name,))


def read_packs(
    layers: Sequence[Layer], shelves: Sequence[DefinitionSource], mistakes: FileMistakes
) -> tuple[Pack, ...]:
    """Read the packs that the config files switch on, and what those need."""
    reader = _Reader(shelves=shelves, mistakes=mistakes)
    for layer in layers:
        for wish in _wishes(layer):
            reader.read(wish)
    return tuple(pack for pack in reader.found.values() if pack is not None)


@cache
def builtin_packs() -> tuple[str, ...]:
    """Name the packs that come with the package."""
    return tuple(sorted(file.parent.name for file in _pack_files()))


def pack_hint(role: str) -> str | None:
    """Say which pack of the package has a role."""
    for file in _pack_files():
        if (file.parent / ROLES / f"{role}.yaml").is_file():
            pack = file.parent.name
            return (
                f"the role {role!r} is in the pack {pack!r}; write `packs: [{pack}]` in the config"
            )
    return None


def _pack_files() -> Iterator[Path]:
    return (BUILTIN_DIRECTORY / PACKS).glob(f"*/{_FILE}")


def _wishes(layer: Layer) -> Iterator[Wish]:
    for config in layer.configs:
        for number, name in enumerate(config.shape.packs):
            yield Wish(name=name, place=config.place("packs", number))


def _needs(written: WrittenFile[PackShape]) -> Iterator[Wish]:
    for number, needed in enumerate(written.shape.dependencies):
        place = written.place("dependencies", number)
        yield Wish(name=needed.name, version=needed.version, place=place)
