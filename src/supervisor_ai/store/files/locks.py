"""Files that the kernel unlocks when their owner dies, however it dies."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.store.files.directory import is_of_one_kernel, private_directory
from supervisor_ai.tools.file_lock import held


class OwnerLocks:
    """One lock file per run and epoch."""

    def __init__(self, directory: Path, *, filesystem: str = "") -> None:
        self._directory = directory
        self.is_proof = is_of_one_kernel(filesystem)
        """Whether a lock that is free proves that no machine has a process that holds it."""
        self._held: dict[Path, int] = {}

    def hold(self, run: RunId, epoch: int) -> None:
        """Lock the file of an epoch that nobody else can have yet."""
        path = self._path(run, epoch)
        try:
            private_directory(self._directory)
            self._held[path] = _locked(path)
        except OSError as error:
            raise Unavailable(
                f"Run {run!r} cannot be locked with {str(path)!r}: {error.strerror}.",
                hint="Make the directory writable for you, on a disk that knows file locks.",
            ) from error

    def drop(self, run: RunId, epoch: int) -> None:
        """Unlock and remove the file, whoever held it."""
        path = self._path(run, epoch)
        with suppress(OSError):
            path.unlink()
        if path in self._held:
            os.close(self._held.pop(path))

    def is_held(self, run: RunId, epoch: int) -> bool | None:
        """Tell whether a living process holds the lock; None when there is no such file."""
        try:
            descriptor = os.open(self._path(run, epoch), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with held(descriptor, is_shared=True, patience=0) as is_free:
            return not is_free

    def close(self) -> None:
        """Unlock everything; the files stay, as they would after a crash."""
        while self._held:
            os.close(self._held.popitem()[1])

    def _path(self, run: RunId, epoch: int) -> Path:
        return self._directory / f"{quote(run, safe='')}.{epoch}"


def _locked(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
