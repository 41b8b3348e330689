"""Following a process: pieces of output become lines, lines become observations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.engine.ports.workers import Observation, UsageSeen, WorkerStarted
from supervisor_ai.workers.output.causes import total
from supervisor_ai.workers.output.records import JsonRecord, parse

LONGEST_LINE: Final = 8 << 20
"""A line that is longer is passed over; nothing that must be known is so long."""

Observe = Callable[[JsonRecord], Iterator[Observation]]
Overhear = Callable[[str], Iterator[Observation]]


def deaf(line: str) -> Iterator[Observation]:
    """Make nothing of what goes to stderr."""
    del line
    yield from ()


class LineBuffer:
    """Puts pieces together to lines, wherever the pieces were cut."""

    def __init__(self, limit: int = LONGEST_LINE) -> None:
        self._limit = limit
        self._open = bytearray()
        self._is_too_long = False

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Take a piece; yield the lines that end in it."""
        *ends, rest = chunk.split(b"\n")
        for piece in ends:
            self._take(piece)
            if self._open and not self._is_too_long:
                yield self._open.decode(errors="replace")
            self._open.clear()
            self._is_too_long = False
        self._take(rest)

    def _take(self, piece: bytes) -> None:
        if self._is_too_long or len(self._open) + len(piece) > self._limit:
            self._is_too_long = True
            self._open.clear()
        else:
            self._open += piece


@dataclass
class Reader:
    """Follows the output of one process while it comes."""

    observe: Observe
    overhear: Overhear = deaf
    adds_usage: bool = False
    """Whether the command reports what each step took, not what all took so far."""
    _lines: dict[Channel, LineBuffer] = field(
        default_factory=lambda: {channel: LineBuffer() for channel in Channel}
    )
    _has_started: bool = False
    _usage: Usage = NO_USAGE

    def feed(self, channel: Channel, chunk: bytes) -> Iterator[Observation]:
        """Take a piece of output; return what it shows.

        The piece is taken in whole before this returns, whether or not the result is used.
        """
        return iter(tuple(self._seen(channel, chunk)))

    def _seen(self, channel: Channel, chunk: bytes) -> Iterator[Observation]:
        for line in self._lines[channel].feed(chunk):
            for observation in self._read(channel, line):
                match observation:
                    case WorkerStarted() if self._has_started:
                        continue
                    case UsageSeen(usage=usage) if self.adds_usage:
                        self._usage = total((self._usage, usage))
                        yield UsageSeen(usage=self._usage)
                    case _:
                        yield observation
                self._has_started |= isinstance(observation, WorkerStarted)

    def _read(self, channel: Channel, line: str) -> Iterator[Observation]:
        if channel is Channel.STDERR:
            yield from self.overhear(line)
        elif (record := parse(line)) is not None:
            yield from self.observe(record)
