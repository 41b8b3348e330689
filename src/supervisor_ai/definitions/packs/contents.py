"""The files of a pack: plain, few, small, and called what a pack's files are called."""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.definitions.packs.archives import LARGEST_FILE, Archive, ArchiveEntry
from supervisor_ai.domain.errors import InvalidInput

MANIFEST: Final = "pack.yaml"
_NAMES: Final = re.compile(
    r"pack\.yaml|README\.md|CHANGELOG\.md|LICENSE(\.md|\.txt)?"
    r"|roles/[A-Za-z][A-Za-z0-9_-]{0,63}\.yaml"
)
"""No more than what is read of a pack: what nobody reads, nobody is asked about."""
_MOST_FILES: Final = 200
_LARGEST_PACK: Final = 2 * 1024 * 1024

Files = Mapping[str, str]


def pack_files(archive: Archive, folder: str) -> dict[str, str]:
    """Read a pack; refuse one that has anything else in it than a pack has."""
    entries = archive.entries(folder)
    problems = sorted(filter(None, (_problem(entry, folder) for entry in entries)))
    if len(entries) > _MOST_FILES:
        problems.append(f"it has {len(entries)} files; at most {_MOST_FILES} are allowed")
    if sum(entry.size for entry in entries) > _LARGEST_PACK:
        problems.append(f"it is larger than {_LARGEST_PACK} bytes")
    if problems:
        raise _refused(archive, folder, problems)
    return {_inner(entry, folder): _text(archive, folder, entry) for entry in entries}


def digest(files: Files) -> str:
    """Name exactly these files."""
    told = "".join(f"{path}\0{file_hash(text)}\n" for path, text in sorted(files.items()))
    return sha256(told.encode()).hexdigest()


def file_hash(text: str) -> str:
    """Name exactly this text."""
    return sha256(text.encode()).hexdigest()


def _inner(entry: ArchiveEntry, folder: str) -> str:
    return PurePosixPath(entry.path).relative_to(folder).as_posix()


def _problem(entry: ArchiveEntry, folder: str) -> str | None:
    name = _inner(entry, folder)
    if not entry.is_plain:
        return f"{name!r} is not a plain file"
    if not _NAMES.fullmatch(name):
        return f"{name!r} is no file of a pack"
    if entry.size > LARGEST_FILE:
        return f"{name!r} is larger than {LARGEST_FILE} bytes"
    return None


def _text(archive: Archive, folder: str, entry: ArchiveEntry) -> str:
    content = archive.read(entry.path)
    try:
        text = None if content is None else content.decode()
    except UnicodeDecodeError:
        text = None
    # A carriage return would be read as another character later, and the hash would differ.
    if text is None or "\0" in text or "\r" in text:
        raise _refused(archive, folder, [f"{_inner(entry, folder)!r} is not plain UTF-8 text"])
    return text


def _refused(archive: Archive, folder: str, problems: list[str]) -> InvalidInput:
    where = f"{folder!r} of {archive.source!r}" if folder != "." else f"{archive.source!r}"
    lines = [f"  {problem}" for problem in problems[:20]]
    return InvalidInput("\n".join([f"The pack in {where} is refused:", *lines]))
