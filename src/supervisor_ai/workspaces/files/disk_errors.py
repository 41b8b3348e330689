"""Disk full and other I/O errors of the machine, as errors for people."""

from typing import Final

from supervisor_ai.domain.errors import Unavailable

_SPACE: Final = "Free some disk space and try again."
_OWNER: Final = "Check who owns these files."
TROUBLE: Final = {
    "No space left on device": _SPACE,
    "Disk quota exceeded": _SPACE,
    "unable to write file": _SPACE,
    "Read-only file system": "Make the file system writable and try again.",
    "Permission denied": _OWNER,
    "insufficient permission": _OWNER,
    "Input/output error": "Check the disk.",
    "Too many open files": "Raise the limit of open files and try again.",
    "Cannot allocate memory": "Free some memory and try again.",
    ".lock': File exists": "If no git runs here any more, remove the lock that is named.",
}
"""What the system says, and what to do about it."""


def disk_failure(error: OSError) -> Unavailable:
    """Translate what the system says about a file."""
    place = f" {error.filename!r}" if error.filename else ""
    reason = error.strerror or str(error)
    return Unavailable(f"The file{place} could not be used: {reason}.", hint=TROUBLE.get(reason))


def is_full(error: Unavailable) -> bool:
    """Tell whether something failed because there was no space for it."""
    return error.hint == _SPACE
