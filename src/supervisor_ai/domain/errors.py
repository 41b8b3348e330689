"""The tree of errors; each kind maps to one exit code.

SupervisorError
├── InvalidInput       invalid      a definition, a flag or an answer that cannot be used
├── NotFound           not_found    no such run, step, workflow, artifact
├── Conflict           conflict     the world moved: another version, another tree
│   ├── StaleVersion                a stream has grown since it was read
│   └── BranchMoved                 a branch stands elsewhere since it was read
├── Denied             denied       the policy or the user's trust says no
│   └── Untrusted                   the user has not agreed to it yet
├── Busy               busy         somebody else owns it now
│   └── LeaseLost                   we owned it and do not any more
├── Unavailable        unavailable  the sandbox, the disk or the database does not work
│   ├── HostFailure                 the host's own disk, memory or a lock there is in the way
│   └── SignatureMissing            a commit is to be signed, and its user is not there to do so
└── InternalError      internal     a bug of ours
"""

from enum import StrEnum
from typing import ClassVar


class ErrorKind(StrEnum):
    """The closed list of reasons why a question could not be answered."""

    INVALID = "invalid"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    DENIED = "denied"
    BUSY = "busy"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


class SupervisorError(Exception):
    """An error with a full sentence and, where there is one, a way out."""

    kind: ClassVar[ErrorKind] = ErrorKind.INTERNAL

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidInput(SupervisorError):
    """A definition, a flag or an answer that cannot be used."""

    kind = ErrorKind.INVALID


class NotFound(SupervisorError):
    """Something was named that does not exist."""

    kind = ErrorKind.NOT_FOUND


class Conflict(SupervisorError):
    """The world moved on since the question was asked."""

    kind = ErrorKind.CONFLICT


class StaleVersion(Conflict):
    """A stream has grown since it was read."""


class BranchMoved(Conflict):
    """A branch stands elsewhere since it was read, and nothing was touched."""


class Denied(SupervisorError):
    """The policy or the user's trust says no."""

    kind = ErrorKind.DENIED


class Untrusted(Denied):
    """The user has not agreed to it yet, and could be asked."""


class Busy(SupervisorError):
    """Somebody else owns it now."""

    kind = ErrorKind.BUSY


class LeaseLost(Busy):
    """We owned the run and do not any more."""


class Unavailable(SupervisorError):
    """Something outside does not work: sandbox, disk, database."""

    kind = ErrorKind.UNAVAILABLE


class HostFailure(Unavailable):
    """The host's own disk, memory or a lock there is in the way: no worker's failure, and no end.

    Raised only where no worker chooses what the system complains about.
    """


class SignatureMissing(Unavailable):
    """A commit is to be signed, and nobody can do so without its user."""


class InternalError(SupervisorError):
    """A bug of ours."""

    kind = ErrorKind.INTERNAL
