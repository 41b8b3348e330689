"""Where words go: stdout is data, stderr is narration."""

import os
import sys
from typing import Final, TextIO

from supervisor_ai.domain.run.status import RunStatus

_COLOURS: Final = {
    RunStatus.COMPLETED: "green",
    RunStatus.FAILED: "red",
    RunStatus.CANCELLED: "red",
    RunStatus.WAITING: "yellow",
}
_GONE: Final = (BrokenPipeError, ValueError)


def write(text: str) -> bool:
    """Print a piece of data; False when the reader has gone away."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except _GONE:
        _silence(sys.stdout)
        return False
    return True


def write_json(value: object) -> bool:
    """Print a value as JSON for people and programs."""
    import msgspec

    return write(msgspec.json.format(encode(value), indent=2).decode())


def write_json_line(value: object) -> bool:
    """Print a value as JSON on one line."""
    return write(encode(value).decode())


def encode(value: object) -> bytes:
    """Return a value as JSON."""
    import msgspec

    return msgspec.json.Encoder(decimal_format="number").encode(value)


def say(text: str) -> None:
    """Tell the person something that is not data."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except _GONE:
        _silence(sys.stderr)


def can_ask() -> bool:
    """Tell whether there is a person who could answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def has_colour(stream: TextIO) -> bool:
    """Tell whether colours are wanted on a stream."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(status: RunStatus) -> str:
    """Show a status in its colour, where colours are wanted."""
    if not has_colour(sys.stdout):
        return status.value
    import click

    return click.style(status.value, fg=_COLOURS.get(status), bold=True)


def _silence(stream: TextIO) -> None:
    """Let what is still written to a closed stream vanish, also at the interpreter's end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
