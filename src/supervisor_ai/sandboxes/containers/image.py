"""An image that is nearly empty: places for what the host shows, and the first process."""

import hashlib
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.containers import init_process
from supervisor_ai.sandboxes.standard_files import HOME, TEMPORARY, TOP_LEVEL

KEEPER: Final = "/run/init_process.py"
"""Where the first process finds its text."""

_REPOSITORY: Final = "localhost/supervisor-hostroot"
_DIRECTORIES: Final = ("dev", "etc", "home", "proc", "run", "sys", "usr", "var")
_SHORT: Final = 20


class Image(Struct, frozen=True, kw_only=True):
    """An archive that an engine imports, named after its content."""

    tag: str
    archive: bytes


def build_image() -> Image:
    """Make the image; the same host and the same version of us give the same one."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for member in _members():
            archive.addfile(member)
        text = Path(init_process.__file__).read_bytes()
        member = tarfile.TarInfo(KEEPER.lstrip("/"))
        member.size, member.mode = len(text), 0o644
        archive.addfile(member, io.BytesIO(text))
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()[:_SHORT]
    return Image(tag=f"{_REPOSITORY}:{digest}", archive=content)


def own_directories() -> tuple[Path, ...]:
    """Name the system directories of the host that are no links into /usr."""
    places = (Path("/", name) for name in TOP_LEVEL)
    return (
        Path("/usr"),
        *(place for place in places if place.is_dir() and not place.is_symlink()),
    )


def _members() -> Iterator[tarfile.TarInfo]:
    for name in _DIRECTORIES:
        yield _directory(name, 0o755)
    # An engine gives a file system in memory the mode that the image has there.
    for name in (TEMPORARY, HOME):
        yield _directory(name.lstrip("/"), 0o1777)
    for name in TOP_LEVEL:
        place = Path("/", name)
        if place.is_symlink():
            yield _link(name, str(place.readlink()))


def _directory(name: str, mode: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode = tarfile.DIRTYPE, mode
    return member


def _link(name: str, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, target
    return member
