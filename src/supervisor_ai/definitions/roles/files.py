"""Role files as they are written, shelf by shelf and pack by pack."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from supervisor_ai.definitions.layers import SUFFIX, Written, fit, names_in, read_document
from supervisor_ai.definitions.mistakes import Mistakes
from supervisor_ai.definitions.role_shapes import RoleFileShape
from supervisor_ai.definitions.shelves import Origin, Shelf
from supervisor_ai.definitions.yaml_source import Value

ROLES: Final = "roles"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleFile:
    """What one file says about a role."""

    name: str
    written: Written[RoleFileShape]
    value: Mapping[str, Value]
    """That part of the file which has no mistakes."""
    pack: str | None = None

    @property
    def origin(self) -> Origin:
        """Say whose word it is."""
        return self.written.origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The role files of one shelf or one pack; a later level wins over an earlier one."""

    files: Mapping[str, RoleFile]
    names: tuple[str, ...]
    """The roles that have a file, also where nothing in it could be read."""


def read_level(shelf: Shelf, mistakes: Mistakes, *, pack: str | None = None) -> Level:
    """Read the role files of a shelf, or those of a pack that lies on it."""
    directory = ROLES if pack is None else f"packs/{pack}/{ROLES}"
    names = names_in(shelf, directory, mistakes)
    read = (_read(shelf, f"{directory}/{name}{SUFFIX}", mistakes, pack) for name in names)
    return Level(
        files={file.name: file for file in read if file is not None},
        names=tuple(names),
    )


def _read(shelf: Shelf, path: str, mistakes: Mistakes, pack: str | None) -> RoleFile | None:
    document = read_document(shelf, path, mistakes)
    if document is None:
        return None
    fitted = fit(document.value, RoleFileShape, document, mistakes)
    if fitted is None or not isinstance(fitted.value, dict):
        return None
    written = Written(shape=fitted.shape, document=document, shelf=shelf)
    _check_gates(written, mistakes)
    name = path.rpartition("/")[2].removesuffix(SUFFIX)
    if fitted.shape.name not in {None, name}:
        problem = f"is {fitted.shape.name!r}, but the file is called {name!r}"
        mistakes.add(written.place("name"), problem)
    return RoleFile(name=name, written=written, value=fitted.value, pack=pack)


def _check_gates(written: Written[RoleFileShape], mistakes: Mistakes) -> None:
    """Note a gate that the file names again: only one of the two could count."""
    seen: set[str] = set()
    for number, gate in enumerate(written.shape.gates):
        if gate.name in seen:
            problem = f"names the gate {gate.name!r} twice; write it once, with all its keys"
            mistakes.add(written.place("gates", number), problem)
        seen.add(gate.name)
