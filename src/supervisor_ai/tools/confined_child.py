"""A process of our own for one piece of work on what may be made to break whoever reads it.

The child gets no environment, no working directory of ours and no file but two pipes. It limits
itself before it loads the module that does the work; that module's `serve` is given the task and a
way to ask, and returns the result.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from signal import SIGKILL, SIGXCPU, Signals
from typing import BinaryIO, Final, cast

from supervisor_ai.tools.confinement import Limits, confine
from supervisor_ai.tools.frames import TooLongError, read_frame, write_frame

_ROOT: Final = str(Path(__file__).resolve().parents[2])
_START: Final = (
    f"import sys; sys.path.insert(0, sys.argv[1]); from {__name__} import main; main(*sys.argv[2:])"
)
_ASK, _RESULT, _FAILED = b"?", b"=", b"!"
_LARGEST_TO_CHILD: Final = 1 << 30

Ask = Callable[[bytes], bytes]
"""Asks whoever started the child."""
Serve = Callable[[bytes, Ask], bytes]
"""Does a piece of work."""


class ChildFailedError(Exception):
    """The child came to no result; the message goes on after "it"."""


def converse(module: str, task: bytes, answer: Ask, *, limits: Limits) -> bytes:
    """Let a child do a piece of work, answer what it asks, and return its result."""
    command = [sys.executable, "-I", "-c", _START, _ROOT, module]
    command += [str(limits.memory), str(limits.cpu), str(os.getpid())]
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
    )
    watch = threading.Timer(limits.wall, child.kill)
    watch.daemon = True
    watch.start()
    try:
        result = _result(child, task, answer, limits.speech)
    finally:
        is_late = not watch.is_alive()
        watch.cancel()
        child.kill()
        _hang_up(child)
    if result is None:
        raise ChildFailedError(_reason(child.returncode, is_late=is_late))
    return result


def _result(child: "subprocess.Popen[bytes]", task: bytes, answer: Ask, most: int) -> bytes | None:
    """Talk until there is a result; None where the child ended without one."""
    to_child, from_child = cast("BinaryIO", child.stdin), cast("BinaryIO", child.stdout)
    try:
        write_frame(to_child, task)
        while (said := read_frame(from_child, most=most)) is not None:
            sign, rest = said[:1], said[1:]
            if sign == _RESULT:
                return rest
            if sign == _FAILED:
                raise ChildFailedError(rest[:200].decode("ascii", "replace"))
            write_frame(to_child, answer(rest))
    except TooLongError:
        raise ChildFailedError("has too much to say") from None
    except BrokenPipeError:
        pass
    child.wait()
    return None


def _hang_up(child: "subprocess.Popen[bytes]") -> None:
    for stream in (child.stdin, child.stdout):
        try:
            cast("BinaryIO", stream).close()
        except BrokenPipeError:
            continue
    child.wait()


def _reason(code: int, *, is_late: bool) -> str:
    if is_late:
        return "takes too long"
    if code in (-SIGXCPU, -SIGKILL):
        return "takes too much work"
    return f"ended the reader ({Signals(-code).name if code < 0 else f'exit code {code}'})"


def main(module: str, memory: str, cpu: str, parent: str) -> None:
    """Be the child."""
    confine(memory=int(memory), cpu=int(cpu), parent=int(parent))
    write_frame(sys.stdout.buffer, _worked(module))


def _worked(module: str) -> bytes:
    try:
        serve = cast("Serve", import_module(module).serve)
        return _RESULT + serve(_heard(), _ask)
    except MemoryError:
        return _FAILED + b"takes too much memory"
    except RecursionError:
        return _FAILED + b"is nested too deeply"
    except Exception as error:  # noqa: BLE001 - the one who started us is told, whatever it is
        return _FAILED + f"broke its reader ({type(error).__name__})".encode()


def _ask(question: bytes) -> bytes:
    write_frame(sys.stdout.buffer, _ASK + question)
    return _heard()


def _heard() -> bytes:
    said = read_frame(sys.stdin.buffer, most=_LARGEST_TO_CHILD)
    if said is None:
        raise SystemExit(1)
    return said
