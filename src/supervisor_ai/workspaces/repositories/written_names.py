"""What was written over files that are shared, directory by directory, as the kernel keeps it.

A worker can write none of these marks: inside its sandbox it sees both layers as one.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Final

from msgspec import Struct

_OPAQUE: Final = "trusted.overlay.opaque"
_REDIRECT: Final = "trusted.overlay.redirect"
_UNMARKED: Final = {errno.ENODATA, errno.ENOTSUP}
_ABSENT: Final = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}


class WrittenNames(Struct, frozen=True, kw_only=True):
    """Two directories that are seen as one."""

    upper: Path
    lower: Path

    def inside(self, path: str) -> frozenset[str] | None:
        """Name what was written, changed or removed right in a directory that was written to.

        None where it does not show what it hides: it is another than the one that was there.
        """
        written = self.upper / path
        if self._is_replaced(written, path):
            return None
        return frozenset(os.listdir(written))  # noqa: PTH208 - names, of which there may be many

    def is_retyped(self, path: str, *, is_directory: bool) -> bool:
        """Tell whether a directory came or went where something else was, or is now."""
        below = self._mode_below(path)
        return below is not None and stat.S_ISDIR(below) is not is_directory

    def _is_replaced(self, written: Path, path: str) -> bool:
        if not path:
            return False
        if _is_marked(written, _REDIRECT):
            return True
        return _is_marked(written, _OPAQUE) and self._mode_below(path) is not None

    def _mode_below(self, path: str) -> int | None:
        try:
            return (self.lower / path).lstat().st_mode
        except OSError as error:
            if error.errno in _ABSENT:
                return None
            raise


def _is_marked(directory: Path, mark: str) -> bool:
    try:
        os.getxattr(directory, mark, follow_symlinks=False)
    except OSError as error:
        if error.errno in _UNMARKED:
            return False
        raise
    return True
