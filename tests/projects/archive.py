"""Releases from the registries, kept outside of the repository once they were fetched."""

import os
import tarfile
import urllib.request
from hashlib import sha256
from pathlib import Path

from tests.projects.table import ForeignProject


def cache() -> Path:
    """Name where downloads are kept, also those of pip and npm."""
    above = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(above) / "supervisor-projects"


def unpack(project: ForeignProject, place: Path) -> None:
    """Lay the files of a release into a directory, without the one that holds them all."""
    with tarfile.open(fetched(project.url, project.sha256)) as archive:
        members = [it for it in archive.getmembers() if it.isfile() or it.isdir() or it.issym()]
        tops = {it.name.removeprefix("./").split("/")[0] for it in members} - {"", "."}
        archive.extractall(place, members=members, filter="data")
    if len(tops) == 1 and (place / tops.copy().pop()).is_dir():
        top = (place / tops.pop()).rename(place / ".unpacked")
        for entry in top.iterdir():
            entry.rename(place / entry.name)
        top.rmdir()


def fetched(url: str, digest: str) -> Path:
    """Return the file that an address names, fetched once and only as it is pinned."""
    file = cache() / "archives" / f"{digest}-{url.rpartition('/')[2]}"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - our own table
            content = answer.read()
        assert sha256(content).hexdigest() == digest, url
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(content)
        part.replace(file)
    return file
