"""A directory for each container, with the few files that it is shown besides the host's."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.containers.image import own_directories
from supervisor_ai.sandboxes.containers.init_process import CONTROL
from supervisor_ai.sandboxes.standard_files import FILES, SETTINGS
from supervisor_ai.tools.file_lock import held, open_lock_file

_LOCK: Final = ".lock"
_USER: Final = b"1000"
_ACCOUNTS: Final = frozenset({"/etc/passwd", "/etc/group"})


class ContainerDirectory(Struct, frozen=True, kw_only=True):
    """One container's directory."""

    place: Path

    @property
    def way(self) -> Path:
        """The directory through which the first process is reached."""
        return self.place / "way"

    def furnish(self, user: int) -> tuple[Mount, ...]:
        """Write the files for this user; return all that every command is shown."""
        self.way.mkdir()
        shown = [Mount(source=self.way, target=Path(CONTROL).parent)]
        for number, (name, content) in enumerate(FILES.items()):
            file = self.place / str(number)
            text = content.replace(_USER, str(user).encode()) if name in _ACCOUNTS else content
            file.write_bytes(text)
            file.chmod(0o644)
            shown.append(Mount(source=file, target=Path(name)))
        return (*_system(), *shown)


class ContainerDirectories:
    """The rooms of living containers; a lock tells them from those that a dead owner left."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @contextmanager
    def take(self) -> Iterator[ContainerDirectory]:
        """Have a room for as long as the context lasts; its name is the container's too."""
        name = f"supervisor-{secrets.token_hex(12)}"
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = self._directory / f"{name}{_LOCK}"
        with held(open_lock_file(lock)):
            try:
                place = self._directory / name
                place.mkdir(mode=0o755)
                yield ContainerDirectory(place=place)
            finally:
                _clear(lock)

    def clear(self) -> None:
        """Remove the rooms whose owner is dead."""
        for lock in self._directory.glob(f"*{_LOCK}"):
            try:
                fd = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            with held(fd, patience=0) as is_deserted:
                if is_deserted:
                    _clear(lock)


def _clear(lock: Path) -> None:
    shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
    lock.unlink(missing_ok=True)


def _system() -> Iterator[Mount]:
    for place in own_directories():
        yield Mount(source=place, target=place)
    for name in SETTINGS:
        if os.access(name, os.R_OK):
            yield Mount(source=Path(name), target=Path(name))
