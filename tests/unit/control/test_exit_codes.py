"""Every reason to stop has an exit code of its own."""

from supervisor_ai.control.exit_codes import ERROR_EXIT_CODES, RUN_EXIT_CODES
from supervisor_ai.domain.errors import ErrorKind
from supervisor_ai.domain.run.status import RunStatus


def test_every_kind_of_error_has_its_exit_code() -> None:
    assert ERROR_EXIT_CODES == {
        ErrorKind.INVALID: 2,
        ErrorKind.NOT_FOUND: 3,
        ErrorKind.CONFLICT: 4,
        ErrorKind.BUSY: 4,
        ErrorKind.UNAVAILABLE: 6,
        ErrorKind.DENIED: 7,
        ErrorKind.INTERNAL: 70,
    }
    assert set(ERROR_EXIT_CODES) == set(ErrorKind)


def test_every_status_of_a_run_has_its_exit_code() -> None:
    assert {status.value: code for status, code in RUN_EXIT_CODES.items()} == {
        "completed": 0,
        "failed": 1,
        "cancelled": 1,
        "queued": 5,
        "running": 5,
        "waiting": 5,
    }
    assert set(RUN_EXIT_CODES) == set(RunStatus)
