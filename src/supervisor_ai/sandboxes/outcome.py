"""The ways in which a command's time in a sandbox ends, in words."""

import os
import signal
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult, SandboxSpec

_KILLED: Final = 128


def check_words(spec: SandboxSpec) -> None:
    """Refuse what no system call can take: no command at all, or a word that is no C string."""
    if not spec.argv:
        raise InvalidInput(f"The command {spec.label!r} has no words.")
    paths = (spec.cwd, *(path for mount in spec.mounts for path in (mount.source, mount.target)))
    words = (*spec.argv, *spec.environment, *spec.environment.values(), *map(str, paths))
    for word in words:
        if not _is_c_string(word):
            raise InvalidInput(f"The command {spec.label!r} cannot be given the word {word!r}.")


def _is_c_string(word: str) -> bool:
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


def describe(error: OSError) -> str:
    """Say what the system said, without its number."""
    place = f": {str(error.filename)!r}" if error.filename else ""
    return f"{error.strerror}{place}"


def ended(end: SandboxEnd, spec: SandboxSpec, code: int | None) -> SandboxResult:
    """Say how a command that had started ended."""
    if end is SandboxEnd.TIMED_OUT:
        why = f"was killed after {spec.timeout.total_seconds():g} s, all the time that it had"
    elif end is SandboxEnd.OUTPUT_CAPPED:
        why = f"was killed when it had written more than {spec.output_bytes} bytes"
    else:
        why = f"ended with exit code {code}{_signal(code or 0)}"
    exit_code = code if end is SandboxEnd.EXITED else None
    return SandboxResult(end=end, exit_code=exit_code, reason=f"The command {why}.")


def _signal(code: int) -> str:
    try:
        return f" ({signal.Signals(code - _KILLED).name})"
    except ValueError:
        return ""


def command_missing(spec: SandboxSpec, why: str, what_to_do: str = "") -> SandboxResult:
    """Say which command could not be started."""
    reason = f"The command {spec.argv[0]!r} cannot be started: {why}.{what_to_do}"
    return SandboxResult(end=SandboxEnd.COMMAND_MISSING, exit_code=None, reason=reason)


def sandbox_failed(why: str) -> SandboxResult:
    """Say that the sandbox did not work, so that nothing is known about the command."""
    reason = f"The sandbox could not run the command: {why}."
    return SandboxResult(end=SandboxEnd.SANDBOX_FAILED, exit_code=None, reason=reason)
