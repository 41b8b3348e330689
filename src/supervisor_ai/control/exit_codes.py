"""Exit codes: what an error or a run's status means to whoever called a face."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.errors import ErrorKind
from supervisor_ai.domain.run.status import RunStatus

DONE: Final = 0
FAILED: Final = 1
WAITS: Final = 5
INTERRUPTED: Final = 130

ERROR_EXIT_CODES: Final[Mapping[ErrorKind, int]] = {
    ErrorKind.INVALID: 2,
    ErrorKind.NOT_FOUND: 3,
    ErrorKind.CONFLICT: 4,
    ErrorKind.BUSY: 4,
    ErrorKind.UNAVAILABLE: 6,
    ErrorKind.DENIED: 7,
    ErrorKind.INTERNAL: 70,
}

RUN_EXIT_CODES: Final[Mapping[RunStatus, int]] = {
    RunStatus.COMPLETED: DONE,
    RunStatus.FAILED: FAILED,
    RunStatus.CANCELLED: FAILED,
    RunStatus.QUEUED: WAITS,
    RunStatus.RUNNING: WAITS,
    RunStatus.WAITING: WAITS,
}
