"""What would change, before it is changed."""

from collections.abc import Mapping

from msgspec import Struct

from supervisor_ai.control.ports.packs import PackChange
from supervisor_ai.definitions.packs.contents import digest, file_hash
from supervisor_ai.definitions.packs.lock import Lock, LockedPack
from supervisor_ai.definitions.packs.resolution import Chosen


class LockChange(Struct, frozen=True, kw_only=True):
    """What becomes of the lock and of the files of packs."""

    changes: tuple[PackChange, ...]
    before: Lock
    """What the change was made for."""
    lock: Lock
    files: Mapping[str, Mapping[str, str]]
    """The files of the packs that are written, by the pack's name."""


def locked(chosen: Chosen, wanted: str, *, is_dependency: bool) -> LockedPack:
    """Describe a pack as the lock does."""
    taken = chosen.taken
    return LockedPack(
        version=chosen.manifest.version,
        source=taken.offer.source,
        commit=taken.commit,
        wanted=wanted,
        files={path: file_hash(text) for path, text in sorted(taken.files.items())},
        needs={needed.name: needed.version for needed in chosen.manifest.dependencies},
        is_dependency=is_dependency,
    )


def change(name: str, before: LockedPack | None, after: LockedPack, chosen: Chosen) -> PackChange:
    """Say what becomes of a pack."""
    return PackChange(
        name=name,
        before=before.version if before else None,
        after=after.version,
        source=after.source,
        commit=after.commit,
        digest=digest(chosen.taken.files),
        is_dependency=after.is_dependency,
    )


def departure(name: str, before: LockedPack) -> PackChange:
    """Say that a pack goes."""
    return PackChange(
        name=name,
        before=before.version,
        after=None,
        source=before.source,
        commit=before.commit,
        is_dependency=before.is_dependency,
    )
