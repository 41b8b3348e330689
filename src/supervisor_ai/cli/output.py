"""Output of a call: data on stdout as text or JSON, narration on stderr."""

import os
import sys
from typing import TYPE_CHECKING, Final, TextIO

from supervisor_ai.cli.streams import output_trouble
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.run.status import RunStatus

if TYPE_CHECKING:
    from supervisor_ai.control.run_views import MutationView

_COLOURS: Final = {
    RunStatus.COMPLETED: "green",
    RunStatus.FAILED: "red",
    RunStatus.CANCELLED: "red",
    RunStatus.WAITING: "yellow",
}


def write(text: str) -> bool:
    """Print a piece of data; False when nothing more can be printed."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    return output_trouble(sys.stdout) is None


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
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def can_ask() -> bool:
    """Tell whether there is a person who could answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def has_colour(stream: TextIO) -> bool:
    """Tell whether colours are wanted on a stream."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(words: str, status: RunStatus) -> str:
    """Show words about a status in its colour, where colours are wanted."""
    if not has_colour(sys.stdout):
        return words
    import click

    return click.style(words, fg=_COLOURS.get(status), bold=True)


def report_mutation(mutation: "MutationView", *, as_json: bool) -> int:
    """Print what was changed; return the exit code."""
    if as_json:
        write_json(mutation)
    else:
        from supervisor_ai.cli.tables import folded

        write("\n".join(folded([f"{mutation.target}: {one_line(mutation.detail)}"])))
    return DONE
