"""Processes of our own for work on what may be made to break whoever reads it.

A reader gets no environment, no directory of ours and no file but two pipes. It loads what does the
work once, and a fork of it does each task, confined: it opens no file, so that one that lacks a
module below `LATE_ROOTS` ends, and the next one has it.
"""

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from signal import SIGKILL, SIGXCPU, Signals
from typing import BinaryIO, Final, NoReturn, cast

from supervisor_ai.tools.confinement import LateModules, ProcessLimits, confine, leave_namespaces

_ROOT: Final = str(Path(__file__).resolve().parents[2])
_START: Final = (
    f"import sys; sys.path.insert(0, sys.argv[1]); from {__name__} import main; main(*sys.argv[2:])"
)
_ASK, _RESULT, _FAILED, _READY = b"?", b"=", b"!", b"+"
_LARGEST_TO_CHILD, _SIGNALLED, _LENGTH = 1 << 30, 128, 8

Ask = Callable[[bytes], bytes]  # Asks whoever started the reader.
Serve = Callable[[bytes, Ask], bytes]
Need = Callable[[int], bytes]  # What a reader has to load before a task, by its process.
_Reader = subprocess.Popen[bytes]


class ChildFailedError(Exception):
    """The child came to no result; the message goes on after "it"."""


class TooLongError(ValueError):
    """A message is longer than the reader will take."""


class ConfinedReaders:
    """Readers that wait for the next task; as many as there are tasks at a time."""

    def __init__(self, module: str, limits: ProcessLimits) -> None:
        self._module = module
        self._limits = limits
        self._idle: list[_Reader] = []
        weakref.finalize(self, _dismiss, self._idle)

    def get_ready(self) -> None:
        """Let a reader load what it needs before there is a task."""
        self._idle.append(self._hired())

    def converse(self, task: bytes, answer: Ask, need: Need = lambda _: b"") -> bytes:
        """Let a child do a piece of work, answer what it asks, and return its result."""
        reader = self._hired()
        watch = threading.Timer(self._limits.wall, reader.kill)
        watch.daemon = True
        watch.start()
        result = None
        try:
            result = _result(reader, (need(reader.pid), task), answer, self._limits.speech)
        finally:
            is_late = not watch.is_alive()
            watch.cancel()
            if result is not None and not is_late:
                self._idle.append(reader)
            else:
                _dismiss([reader])
        if result is None:
            raise ChildFailedError(_reason(reader.returncode, is_late=is_late))
        if result[:1] == _FAILED:
            raise ChildFailedError(result[1:200].decode("ascii", "replace"))
        return result[1:]

    def _hired(self) -> _Reader:
        """Return a reader that lives; one that was killed meanwhile is let go."""
        with suppress(IndexError):
            while True:
                reader = self._idle.pop()
                if reader.poll() is None:
                    return reader
                _dismiss([reader])
        return _start(self._module, self._limits)


def _start(module: str, limits: ProcessLimits) -> _Reader:
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _START, _ROOT, module, str(limits.memory), str(limits.cpu)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        # Ctrl-C is for who started us.
        start_new_session=True,
    )


def _result(reader: _Reader, orders: tuple[bytes, ...], answer: Ask, most: int) -> bytes | None:
    """Talk until there is a result; None where the child ended without one."""
    to_reader, from_reader = cast("BinaryIO", reader.stdin), cast("BinaryIO", reader.stdout)
    try:
        write_frame(to_reader, *orders)
        while (said := read_frame(from_reader, most=most)) is not None:
            if said[:1] != _ASK:
                return said if read_frame(from_reader, most=1) == _READY else None
            write_frame(to_reader, answer(said[1:]))
    except TooLongError:
        raise ChildFailedError("has too much to say") from None
    except BrokenPipeError:
        pass
    reader.wait()
    return None


def _dismiss(readers: list[_Reader]) -> None:
    for reader in readers:
        reader.kill()
        for stream in (reader.stdin, reader.stdout):
            with suppress(BrokenPipeError):
                cast("BinaryIO", stream).close()
        reader.wait()


def _reason(code: int, *, is_late: bool) -> str:
    if is_late:
        return "takes too long"
    if (number := code - _SIGNALLED) in (SIGXCPU, SIGKILL):
        return "takes too much work"
    return f"ended the reader ({Signals(number).name if number > 0 else f'exit code {code}'})"


def main(module: str, memory: str, cpu: str) -> None:
    """Be the reader: load what does the work, and let a fork do each task."""
    leave_namespaces()
    work = import_module(module)
    work.prepare()
    late = LateModules(work.LATE_ROOTS)
    while (need := read_frame(sys.stdin.buffer, most=_LARGEST_TO_CHILD)) is not None:
        if need:
            work.load(need)
        task = read_frame(sys.stdin.buffer, most=_LARGEST_TO_CHILD) or b""
        code = late.fork(partial(_work, work.serve, task, memory=int(memory), cpu=int(cpu)))
        if code != 0:
            # What it said last may be half a message: nobody can go on with these pipes.
            os._exit(code if code > 0 else _SIGNALLED - code)
        write_frame(sys.stdout.buffer, _READY)


def _work(serve: Serve, task: bytes, *, memory: int, cpu: int) -> NoReturn:
    """Be the child; whatever happens, the reader's loop is not run on by two."""
    try:
        write_frame(sys.stdout.buffer, _worked(serve, task, memory=memory, cpu=cpu))
        os._exit(0)
    finally:
        os._exit(1)


def _worked(serve: Serve, task: bytes, *, memory: int, cpu: int) -> bytes:
    try:
        confine(memory=memory, cpu=cpu, parent=os.getppid())
    except OSError as error:
        return _FAILED + f"needs a process that cannot be confined: {error.strerror}".encode()
    try:
        return _RESULT + serve(task, _ask)
    except MemoryError:
        return _FAILED + b"takes too much memory"
    except RecursionError:
        return _FAILED + b"is nested too deeply"
    except Exception as error:  # noqa: BLE001 - the one who started us is told, whatever it is
        return _FAILED + f"broke its reader ({type(error).__name__})".encode()


def _ask(question: bytes) -> bytes:
    write_frame(sys.stdout.buffer, _ASK + question)
    if (said := read_frame(sys.stdin.buffer, most=_LARGEST_TO_CHILD)) is None:
        raise SystemExit(1)
    return said


def write_frame(stream: BinaryIO, *payloads: bytes) -> None:
    """Write messages."""
    for it in payloads:
        stream.writelines((len(it).to_bytes(_LENGTH, "big"), it))
    stream.flush()


def read_frame(stream: BinaryIO, *, most: int) -> bytes | None:
    """Read a message; None at the end of the stream, also where it breaks off."""
    if len(head := stream.read(_LENGTH)) < _LENGTH:
        return None
    length = int.from_bytes(head, "big")
    if length > most:
        raise TooLongError(f"A message has {length} bytes; {most} are allowed.")
    payload = stream.read(length)
    return payload if len(payload) == length else None
