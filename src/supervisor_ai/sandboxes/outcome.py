"""Results of a sandboxed command: the ways in which it ends, in words."""

import errno
import os
import signal
from typing import Final

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.run.definition import GIB, MIB
from supervisor_ai.domain.run.spending.prices import dollars
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult, SandboxSpec

KILLED: Final = 128
"""What is added to the number of a signal to make an exit code of it."""

_KIB: Final = 1 << 10
_SCARCE: Final = (
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),
)
"""What the kernel says where the machine lacks something, whatever the command is."""
_COUNTS: Final = {"processes": "processes", "disk_files": "files"}


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


def ended(
    end: SandboxEnd, spec: SandboxSpec, code: int | None, *, usage: Usage = NO_USAGE
) -> SandboxResult:
    """Say how a command that had started ended; the usage is what it had spent by then."""
    exit_code = code if end is SandboxEnd.EXITED else None
    why = _cut_off(spec, usage) if end is SandboxEnd.CUT_OFF else _why(end, spec, code)
    reason = f"The command {why}."
    return SandboxResult(end=end, exit_code=exit_code, reason=reason)


def _why(end: SandboxEnd, spec: SandboxSpec, code: int | None) -> str:
    match end:
        case SandboxEnd.TIMED_OUT:
            return f"was killed after {spec.timeout.total_seconds():g} s, all the time that it had"
        case SandboxEnd.IDLE:
            silence = spec.limits.idle_timeout
            seconds = silence.total_seconds() if silence else 0
            key = limit_key(spec, "idle_timeout")
            return f"was killed after {seconds:g} s without a word; {key} allows more"
        case SandboxEnd.OUTPUT_CAPPED:
            return f"was killed when it had written more than {spec.output_bytes} bytes"
        case _:
            return f"ended with exit code {code}{_signal(code or 0)}"


def _cut_off(spec: SandboxSpec, usage: Usage) -> str:
    cap = spec.egress.cost_cap if spec.egress else None
    if cap is not None and cap.price.of(usage) >= cap.limit:
        spent = f"{dollars(cap.price.of(usage))} of the {dollars(cap.limit)}"
        return f"was cut off when it had spent {spent} that were reserved for it"
    tokens = spec.egress.tokens if spec.egress else None
    return f"was cut off when it had spent the {tokens} tokens that were reserved for it"


def limit_exceeded(spec: SandboxSpec, name: str) -> SandboxResult:
    """Say which limit ended a command, and which setting raises it."""
    if name in spec.limits.__struct_fields__:
        words = name.replace("_", " ").replace("disk files", "disk")
        value = _amount(name, getattr(spec.limits, name))
        why = f"reached its {words} limit of {value}; {limit_key(spec, name)} raises it"
    else:
        why = "was killed when the disk of its workspace was nearly full; make room there"
    reason = f"The command {why}."
    return SandboxResult(end=SandboxEnd.LIMIT_EXCEEDED, exit_code=None, reason=reason)


def limit_key(spec: SandboxSpec, name: str) -> str:
    """Name the setting of a limit."""
    return f"`sandbox.limits.{spec.profile.value}.{name}`"


def _amount(name: str, value: float) -> str:
    if name in _COUNTS:
        return f"{value} {_COUNTS[name]}"
    for unit, size in (("GiB", GIB), ("MiB", MIB), ("KiB", _KIB)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value} bytes"


def _signal(code: int) -> str:
    try:
        return f" ({signal.Signals(code - KILLED).name})"
    except ValueError:
        return ""


def command_missing(spec: SandboxSpec, why: str, what_to_do: str = "") -> SandboxResult:
    """Say which command could not be started."""
    reason = f"The command {spec.argv[0]!r} cannot be started: {why}.{what_to_do}"
    return SandboxResult(end=SandboxEnd.COMMAND_MISSING, exit_code=None, reason=reason)


def sandbox_failed(why: str) -> SandboxResult:
    """Say that the sandbox did not work, so that nothing is known about the command.

    Where the machine lacks something, nothing is known of the sandbox either: the run has to wait.
    """
    said = why.strip().rstrip(".")
    # In between stand paths, which a worker may have named.
    if any(said.startswith(it) or said.endswith(it) for it in map(os.strerror, _SCARCE)):
        raise Unavailable(
            f"The machine lacks something that a sandbox needs: {why}.",
            hint="Free disk space, memory, or open files (ulimit -n), and go on with the run.",
        )
    reason = f"The sandbox could not run the command: {why}."
    return SandboxResult(end=SandboxEnd.SANDBOX_FAILED, exit_code=None, reason=reason)
