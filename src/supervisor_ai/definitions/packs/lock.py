"""What was installed, file by file; a pack that differs from it is not read."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec
from msgspec import Struct, field

from supervisor_ai.definitions.packs.contents import file_hash
from supervisor_ai.definitions.roles.packs import pack_hint
from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.sources.files import DefinitionSource
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.domain.errors import InvalidInput

LOCK: Final = "packs.lock"
PACKS: Final = "packs"
_FOLDERS: Final = ("", "roles", "strategies", "workflows", "prompts")


class LockedPack(Struct, frozen=True, kw_only=True):
    """A pack as it was installed."""

    version: str
    source: str
    commit: str | None
    wanted: str
    """The range that was asked for; updates stay in it."""
    files: dict[str, str]
    """The hash of each file by its path in the pack."""
    needs: dict[str, str] = field(default_factory=dict)
    is_dependency: bool = False


class Lock(Struct, frozen=True, kw_only=True):
    """Every pack that was installed in one place."""

    packs: dict[str, LockedPack] = field(default_factory=dict)
    format: int = 1

    @property
    def text(self) -> str:
        """Write the lock so that every pack and file has a line of its own."""
        encoded = msgspec.json.encode(self, order="deterministic")
        return msgspec.json.format(encoded, indent=2).decode() + "\n"


def parse_lock(text: str, label: str) -> Lock:
    """Read a lock."""
    try:
        lock = msgspec.json.decode(text, type=Lock, strict=True)
        for name, pack in lock.packs.items():
            _check_names(name, pack)
    except (msgspec.MsgspecError, ValueError) as error:
        hint = "Restore it from git, or remove it and install the packs again."
        raise InvalidInput(f"{label} is no lock of packs: {error}.", hint=hint) from error
    return lock


def _check_names(name: str, pack: LockedPack) -> None:
    """Refuse names that could lead out of the place for packs."""
    scalars.name(name)
    for path in pack.files:
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or "\\" in path:
            raise ValueError(f"{path!r} is no name of a file in a pack")


def read_lock(directory: Path) -> Lock:
    """Read the lock of a place; where there is none, nothing is installed."""
    try:
        text = (directory / LOCK).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Lock()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(directory / LOCK)!r} cannot be read: {error}.") from error
    return parse_lock(text, str(directory / LOCK))


def installed_hint(role: str, shelves: Sequence[DefinitionSource]) -> str | None:
    """Say which pack of the package has a role, or which one that is installed on a shelf."""
    for shelf in shelves:
        # A lock that cannot be read is a mistake of its own.
        with suppress(InvalidInput):
            packs = parse_lock(shelf.read(LOCK, FileMistakes()) or Lock().text, "").packs
            for pack, locked in packs.items():
                if f"roles/{role}.yaml" in locked.files or role == pack:
                    is_in = f"the role {role!r} is in the installed pack {pack!r}"
                    return f"{is_in}; write `packs: [{pack}]` in the config and commit both"
    return pack_hint(role)


def check_lock(shelf: DefinitionSource, mistakes: FileMistakes) -> None:
    """Note every file of an installed pack that is not as it was installed."""
    text = shelf.read(LOCK, mistakes)
    if text is None:
        return
    label = shelf.label(LOCK)
    try:
        lock = parse_lock(text, label)
    except InvalidInput as error:
        mistakes.add(FilePlace(file=label), error.message)
        return
    for name, pack in lock.packs.items():
        for path in sorted({*pack.files, *_files(shelf, name)}):
            _check_file(shelf, f"{PACKS}/{name}/{path}", pack.files.get(path), mistakes)


def _check_file(
    shelf: DefinitionSource, path: str, wanted: str | None, mistakes: FileMistakes
) -> None:
    place = FilePlace(file=shelf.label(path))
    text = shelf.read(path, mistakes)
    if wanted is None:
        mistakes.add(place, f"does not belong to the pack as {LOCK} knows it")
    elif text is None:
        mistakes.add(place, f"is missing, but {LOCK} knows it")
    elif file_hash(text) != wanted:
        mistakes.add(place, f"was changed since the pack was installed; {LOCK} has another hash")


def _files(shelf: DefinitionSource, name: str) -> list[str]:
    found: list[str] = []
    for folder in _FOLDERS:
        inner = f"{PACKS}/{name}/{folder}".rstrip("/")
        found += [f"{folder}/{file}".lstrip("/") for file in shelf.names(inner)]
    return found
