"""Error messages of a call that failed: a sentence and a way out, never a traceback."""

import errno
import os
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from supervisor_ai.cli.interrupts import Interrupted
from supervisor_ai.cli.output import say, write_json
from supervisor_ai.cli.streams import is_hung_up
from supervisor_ai.control.exit_codes import ERROR_EXIT_CODES, INTERRUPTED
from supervisor_ai.domain.errors import (
    ErrorKind,
    InternalError,
    InvalidInput,
    SupervisorError,
    Unavailable,
)
from supervisor_ai.domain.terminal import plain

_RESOURCES: Final = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE),
        *(errno.ENOMEM, errno.EAGAIN, errno.EIO),
    }
)
"""What the kernel says where the machine lacks something, whoever asked."""


def report_failure(error: BaseException, *, as_json: bool) -> int:
    """Tell what went wrong; return the exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, Interrupted | KeyboardInterrupt | click.Abort) or is_hung_up(error):
        say("Interrupted.")
        return INTERRUPTED
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        # Whoever says nothing asks what there is to say.
        say(error.format_message())
        return ERROR_EXIT_CODES[ErrorKind.INVALID]
    told = _translate(error)
    if told.kind is ErrorKind.INTERNAL:
        told = InternalError(told.message, hint=keep_traceback(error))
    _tell(told, as_json=as_json)
    return ERROR_EXIT_CODES[told.kind]


def _translate(error: BaseException) -> SupervisorError:
    if isinstance(error, SupervisorError):
        return error
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        page = context.command_path if context is not None else "supervisor"
        return InvalidInput(error.format_message(), hint=f"See: {page} --help")
    words = str(error).strip() or "no further words"
    if _lacks_resource(error):
        return Unavailable(
            f"The machine ran out of something that supervisor needs: {words}.",
            hint="Free disk space, memory, or open files (ulimit -n), and try again: nothing that"
            " was recorded is lost.",
        )
    return InternalError(f"This is a bug in supervisor: {type(error).__name__}: {words}")


def _lacks_resource(error: BaseException) -> bool:
    """Tell whether a disk is full or read-only, or descriptors, processes or memory are used up."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_lacks_resource, error.exceptions))
    # Python has no type of its own for a thread that the kernel refuses.
    is_thread = isinstance(error, RuntimeError) and str(error).startswith("can't start new thread")
    is_refused = isinstance(error, OSError) and error.errno in _RESOURCES
    return is_thread or is_refused or isinstance(error, MemoryError)


def _tell(error: SupervisorError, *, as_json: bool) -> None:
    if as_json:
        write_json({"error": {"kind": error.kind, "message": error.message, "hint": error.hint}})
        return
    say(f"error: {plain(error.message)}")
    if error.hint:
        say(f"hint: {plain(error.hint)}")


def keep_traceback(error: BaseException) -> str:
    """Put the traceback where it can be found; return the hint that says where."""
    told = "".join(traceback.format_exception(error))
    if os.environ.get("SUPERVISOR_DEBUG"):
        sys.stderr.write(told)
        return "Please report it with the traceback above."
    from supervisor_ai.bootstrap.projects import read_settings

    try:
        place = _write_report(read_settings().state, told)
    except (OSError, SupervisorError):
        return "Please report it; SUPERVISOR_DEBUG=1 shows the traceback."
    return f"Please report it with {place}."


def _write_report(state: Path, told: str) -> Path:
    directory = state / "bugs"
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = directory / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
    place.write_text(told, encoding="utf-8")
    return place
