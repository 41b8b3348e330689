"""Standard streams of a call, guarded so that neither a closed nor a full one breaks the work."""

import errno
import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from supervisor_ai.domain.errors import Unavailable

_CHUNK: Final = 1 << 16


class Outlet(io.FileIO):
    """A stream that swallows what cannot be written, and remembers why."""

    trouble: OSError | None = None

    def write(self, piece: "ReadableBuffer", /) -> int:  # type: ignore[explicit-override]
        """Write, and wait where whoever started us made the stream non-blocking."""
        if self.trouble is None:
            try:
                while (written := super().write(piece)) is None:
                    select.select((), (self,), ())
            except OSError as error:
                self.trouble = error
            else:
                return written
        return memoryview(piece).nbytes


def prepare_streams() -> None:
    """Put streams in place that can always be used, whatever we were started with.

    A stream that is closed at the start is one that nobody wants. Its number is taken at once:
    the next file that is opened would get it, and our words would go there.
    """
    for number in range(3):
        _occupy(number)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = _outgoing(1, sys.stdout)
    sys.stderr = _outgoing(2, sys.stderr)


def output_trouble(stream: TextIO) -> OSError | None:
    """Return why a stream takes nothing any more, if so."""
    outlet = getattr(getattr(stream, "buffer", None), "raw", None)
    return outlet.trouble if isinstance(outlet, Outlet) else None


def read_stdin() -> str:
    """Return the text that we are given on stdin."""
    from supervisor_ai.domain.errors import InvalidInput

    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"The text on stdin is not UTF-8: byte {error.start} is {error.object[error.start]:#x}."
        ) from None
    except OSError as error:
        raise _unreadable(error) from error


def is_hung_up(error: BaseException) -> bool:
    """Tell whether a question got no answer because the terminal that had asked it is gone."""
    if not isinstance(error, OSError) or error.errno != errno.EIO:
        return False
    try:
        found = os.fstat(sys.stdin.fileno())
    except (OSError, ValueError):
        return True
    is_device = stat.S_ISCHR(found.st_mode) and found.st_rdev != Path(os.devnull).stat().st_rdev
    # Of a terminal only its device is left: nobody can ask it what it is any more.
    return is_device and not sys.stdin.isatty()


def stdin_pieces() -> Iterator[bytes]:
    """Return what is there at once, so that a text can be followed while it is written."""
    try:
        while piece := os.read(sys.stdin.fileno(), _CHUNK):
            yield piece
    except OSError as error:
        raise _unreadable(error) from error


def _unreadable(error: OSError) -> "Unavailable":
    from supervisor_ai.domain.errors import Unavailable

    return Unavailable(
        f"Stdin cannot be read: {error.strerror}.", hint="Give the text on a stdin that is open."
    )


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        os.open(os.devnull, os.O_RDWR)


def _outgoing(number: int, stream: TextIO | None) -> TextIO:
    # A character that a terminal cannot show is no reason to say nothing.
    return io.TextIOWrapper(
        io.BufferedWriter(Outlet(number, "w", closefd=False)),
        encoding=stream.encoding if stream else "utf-8",
        errors="replace",
        line_buffering=bool(stream and stream.line_buffering),
    )
