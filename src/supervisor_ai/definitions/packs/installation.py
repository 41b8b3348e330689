"""Putting packs where they are read from, and taking them away again."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from supervisor_ai.definitions.packs.contents import file_hash
from supervisor_ai.definitions.packs.lock import LOCK, PACKS, LockedPack
from supervisor_ai.definitions.packs.plans import LockChange
from supervisor_ai.domain.errors import Conflict, Denied, Unavailable


def carry_out(directory: Path, plan: LockChange) -> None:
    """Write and remove what a plan says; the lock comes last, so that a half is never accepted."""
    for place in (directory, directory / PACKS):
        if place.is_symlink():
            hint = "Packs are kept in real directories only: remove the link."
            raise Denied(f"The directory {str(place)!r} is a symbolic link.", hint=hint)
    for change in plan.changes:
        if (directory / PACKS / change.name).parent != directory / PACKS:
            raise Denied(f"{change.name!r} is no name of a pack.")
        known = (plan.before.packs.get(change.name), plan.lock.packs.get(change.name))
        _refuse_foreign(directory / PACKS / change.name, change.name, known)
    try:
        for change in plan.changes:
            place = directory / PACKS / change.name
            if change.after is None:
                shutil.rmtree(place, ignore_errors=False) if place.exists() else None
            else:
                _replace(place, plan.files[change.name])
        _write_whole(directory / LOCK, plan.lock.text)
    except OSError as error:
        message = f"The packs in {str(directory)!r} cannot be written: {error.strerror}."
        raise Unavailable(message, hint="Make the directory writable and try again.") from error


def _refuse_foreign(place: Path, name: str, known: tuple[LockedPack | None, ...]) -> None:
    """Never throw away what somebody wrote by hand."""
    if not os.path.lexists(place):
        return
    if place.is_symlink() or not place.is_dir():
        raise Conflict(f"{str(place)!r} is not a directory.", hint="Remove it and try again.")
    found = _hashes(place)
    if all(pack is None or found != pack.files for pack in known):
        raise Conflict(
            f"The files of the pack {name!r} in {str(place)!r} are not as they were installed.",
            hint="Keep your changes under another name, or remove the directory.",
        )


def _hashes(place: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder, _, names in os.walk(place):
        for name in names:
            file = Path(folder, name)
            is_plain = file.is_file() and not file.is_symlink()
            text = file.read_bytes().decode(errors="replace") if is_plain else "\0"
            found[file.relative_to(place).as_posix()] = file_hash(text)
    return found


def _replace(place: Path, files: Mapping[str, str]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as staging:
        fresh = Path(staging, "pack")
        for path, text in files.items():
            file = fresh / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        if place.exists():
            place.rename(Path(staging, "old"))
        fresh.rename(place)


def _write_whole(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).chmod(0o644)
    Path(name).replace(path)
