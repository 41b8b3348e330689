"""Exit codes: what an error or a run's status means to whoever called a face."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.errors import ErrorKind
from supervisor_ai.domain.run.status import (
    BASELINE_REASON,
    SETUP_REASON,
    Outcome,
    OutcomeKind,
    RunStatus,
)

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


def run_exit_code(status: RunStatus, outcome: Outcome | None) -> int:
    """Say how a run stands; what is missing on this machine is no failure of the work."""
    is_blocked = outcome is not None and outcome.kind is OutcomeKind.BLOCKED
    lacks = (SETUP_REASON, BASELINE_REASON)
    if outcome is not None and is_blocked and outcome.reason.startswith(lacks):
        return ERROR_EXIT_CODES[ErrorKind.UNAVAILABLE]
    return RUN_EXIT_CODES[status]
