"""Retry logs as markdown files beside the ledger, one for each run that had a failed attempt."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.store.files.directory import private_directory

_ENDING: Final = "-retries.md"
_DRAFT: Final = ".draft-"
_IGNORED: Final = "*\n"
"""A project whose `.gitignore` is older than these files would see them as new ones."""


class RetryLogFiles:
    """Writes them whole or not at all, for nobody else to read; they can always be made again."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def path(self, run: RunId) -> Path:
        """Return where the log of a run is kept."""
        return self._directory / f"{quote(run, safe='')}{_ENDING}"

    def write(self, run: RunId, text: str) -> None:
        """Write the log of a run; one that says the same already stays as it is."""
        path = self.path(run)
        try:
            private_directory(self._directory)
            _replace(self._directory / ".gitignore", _IGNORED)
            _replace(path, text)
        except OSError as error:
            raise Unavailable(
                f"The retry log {str(path)!r} cannot be written: {error.strerror}.",
                hint="The run is not touched by that. Print the log: supervisor logs RUN --retries",
            ) from error

    def remove_all(self) -> None:
        """Remove the logs of all runs, and what a crash left of them."""
        try:
            if not self._directory.is_symlink():
                for pattern in (f"*{_ENDING}", f"{_DRAFT}*"):
                    for path in self._directory.glob(pattern):
                        path.unlink(missing_ok=True)
        except OSError as error:
            raise Unavailable(
                f"The retry logs in {str(self._directory)!r} cannot be removed: {error.strerror}.",
                hint="Remove them yourself: they may quote what was erased.",
            ) from error


def _replace(path: Path, text: str) -> None:
    content = text.encode(errors="replace")
    if _holds(path, content):
        return
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=_DRAFT)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(draft).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(draft).unlink()
        raise


def _holds(path: Path, content: bytes) -> bool:
    """Tell whether a file says that already; a link leads elsewhere, and is none."""
    try:
        return not path.is_symlink() and path.read_bytes() == content
    except OSError:
        return False
