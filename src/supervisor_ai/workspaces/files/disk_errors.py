"""Disk full and other I/O errors of the machine, as errors for people."""

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import HostFailure, Unavailable

_SPACE: Final = "Free some disk space and try again."
_OWNER: Final = "Check who owns these files."
TROUBLE: Final = {
    "No space left on device": _SPACE,
    "Disk quota exceeded": _SPACE,
    "Read-only file system": "Make the file system writable and try again.",
    "Permission denied": _OWNER,
    "insufficient permission": _OWNER,
    "Input/output error": "Check the disk.",
    "unable to write file": _SPACE,
    "Too many open files": "Raise the limit of open files and try again.",
    "Cannot allocate memory": "Free some memory and try again.",
    ".lock': File exists": "If no git runs here any more, remove the lock that is named.",
}
"""What the system says, and what to do about it."""
_OF_A_WORKER: Final = (errno.EACCES, errno.EPERM)
"""What the modes of a worker's files can bring about as well."""
_PROBE: Final = bytes(1 << 16)
_LEAST_ROOM: Final = 1 << 30
"""So much is kept of one attempt at most: where there is less room, nobody else can be blamed."""


def disk_failure(error: OSError) -> Unavailable:
    """Translate what the system says about a file."""
    place = f" {error.filename!r}" if error.filename else ""
    reason = error.strerror or str(error)
    kind = Unavailable if error.errno in _OF_A_WORKER or reason not in TROUBLE else HostFailure
    return kind(f"The file{place} could not be used: {reason}.", hint=TROUBLE.get(reason))


def is_full(error: Unavailable) -> bool:
    """Tell whether something failed because there was no space for it."""
    return error.hint == _SPACE


def require_writable(directory: Path) -> None:
    """Raise HostFailure where little or nothing can be written, whatever a worker left there."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(_PROBE)
            file.flush()
            os.fsync(file.fileno())
        code = errno.ENOSPC if shutil.disk_usage(directory).free < _LEAST_ROOM else 0
    except OSError as error:
        code = error.errno or errno.EIO
    if code:
        reason = os.strerror(code)
        what = f"Too little can be written in {str(directory)!r}: {reason}."
        raise HostFailure(what, hint=TROUBLE.get(reason, _OWNER))
