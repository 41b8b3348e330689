"""Role files as they are written, shelf by shelf and pack by pack."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.overlay.layers import (
    SUFFIX,
    WrittenFile,
    fit,
    names_in,
    read_document,
    read_shape,
)
from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.schema.roles import RoleFileShape
from supervisor_ai.definitions.sources.files import DefinitionSource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath
from supervisor_ai.definitions.sources.yaml_document import Document, Value
from supervisor_ai.domain.structs import replace

ROLES: Final = "roles"
ROLES_FILE: Final = "roles.yaml"


class RolesFileShape(FileShape):
    """`roles.yaml`: role files under one key."""

    roles: dict[Name, object]


class RoleFile(Struct, frozen=True, kw_only=True):
    """What one file says about a role."""

    name: str
    written: WrittenFile[RoleFileShape]
    pack: str | None = None

    @property
    def origin(self) -> Origin:
        """Say whose word it is."""
        return self.written.origin


class RoleLevel(Struct, frozen=True, kw_only=True):
    """The role files of one shelf or one pack; a later level wins over an earlier one."""

    files: Mapping[str, RoleFile]
    names: tuple[str, ...]
    """The roles that have a file, also where nothing in it could be read."""


class RolePosition(Struct, frozen=True, kw_only=True):
    """Where a role stands: in a file of its own, or under a key of a file of many."""

    shelf: DefinitionSource
    path: str
    document: Document | None = None
    key: KeyPath = ()
    pack: str | None = None

    @property
    def name(self) -> str:
        """Name the role."""
        own = self.path.rpartition("/")[2].removesuffix(SUFFIX)
        return str(self.key[-1]) if self.key else own

    @property
    def value(self) -> Value:
        """Return what is written about the role."""
        value = None if self.document is None else self.document.value
        for key in self.key:
            value = value.get(str(key)) if isinstance(value, dict) else None
        return value


def read_level(
    shelf: DefinitionSource, mistakes: FileMistakes, *, pack: str | None = None
) -> RoleLevel:
    """Read the role files of a shelf, or those of a pack that lies on it."""
    directory = ROLES if pack is None else f"packs/{pack}/{ROLES}"
    names = names_in(shelf, directory, mistakes)
    paths = (f"{directory}/{name}{SUFFIX}" for name in names)
    listed = _listed(shelf, names, mistakes) if pack is None else ()
    read = [
        *(_read(RolePosition(shelf=shelf, path=path, pack=pack), mistakes) for path in paths),
        *(_of_document(standing, mistakes) for standing in listed),
    ]
    files = {file.name: file for file in read if file is not None}
    return RoleLevel(files=files, names=tuple(dict.fromkeys((*names, *files))))


def _listed(
    shelf: DefinitionSource, others: Sequence[str], mistakes: FileMistakes
) -> Iterator[RolePosition]:
    """Find the roles of `roles.yaml`, each of which could be a file of its own."""
    written = read_shape(shelf, ROLES_FILE, RolesFileShape, mistakes)
    if written is None:
        return
    for name in written.shape.roles:
        place = written.place(ROLES, name)
        if name in others:
            problem = f"stands in {shelf.label(f'{ROLES}/{name}{SUFFIX}')} as well; keep one"
            mistakes.add(place, problem)
            continue
        yield RolePosition(
            shelf=shelf, path=ROLES_FILE, document=written.document, key=(ROLES, name)
        )


def _read(standing: RolePosition, mistakes: FileMistakes) -> RoleFile | None:
    document = read_document(standing.shelf, standing.path, mistakes)
    return (
        None if document is None else _of_document(replace(standing, document=document), mistakes)
    )


def _of_document(standing: RolePosition, mistakes: FileMistakes) -> RoleFile | None:
    document = standing.document
    if document is None:
        return None
    fitted = fit(standing.value, RoleFileShape, document, mistakes, standing.key)
    if fitted is None or not isinstance(fitted.value, dict):
        return None
    written = WrittenFile(
        shape=fitted.shape,
        value=fitted.value,
        document=document,
        shelf=standing.shelf,
        path=standing.key,
    )
    check_own_gates(written, mistakes)
    name = standing.name
    if fitted.shape.name not in {None, name}:
        problem = f"is {fitted.shape.name!r}, but the file is called {name!r}"
        mistakes.add(written.place("name"), problem)
    return RoleFile(name=name, written=written, pack=standing.pack)


def check_own_gates(written: WrittenFile[RoleFileShape], mistakes: FileMistakes) -> None:
    """Note a gate that the file names again: only one of the two could count."""
    seen: set[str] = set()
    for number, gate in enumerate(written.shape.gates):
        if gate.name in seen:
            problem = f"names the gate {gate.name!r} twice; write it once, with all its keys"
            mistakes.add(written.place("gates", number), problem)
        seen.add(gate.name)
