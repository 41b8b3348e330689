"""What a worker tried to write and may only read, as far as its own output tells."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import WriteRefused
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.sandbox import Channel, OutputSink
from supervisor_ai.engine.world import Operation

_SIGN: Final = re.compile(rb"[Rr]ead-only file system|EROFS")
_AROUND: Final = 400
"""So much of the line before and after the sign may name the file."""
_TOKEN: Final = re.compile(r"""['"`]([^'"`]{1,300})['"`]|([^\s'"`:,;()]{1,300})""")
_MOST: Final = 20
_SHOWN: Final = 10


class RefusedWrites:
    """Watches what a command prints for complaints that something is read-only.

    The kernel refuses such a write and tells nobody but the worker.
    """

    def __init__(self, workspace: Path, writable: Writable) -> None:
        self._workspace = f"{workspace}/"
        self._writable = writable
        self._tails: dict[Channel, bytes] = {}
        self._paths: dict[str, None] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """Name the files that were not written, relative to the workspace."""
        return tuple(self._paths)

    def watching(self, sink: OutputSink) -> OutputSink:
        """Look at every piece of output on its way."""

        def pass_on(channel: Channel, chunk: bytes) -> "asyncio.Future[None] | None":
            self._look(channel, chunk)
            return sink(channel, chunk)

        return pass_on

    def _look(self, channel: Channel, chunk: bytes) -> None:
        """Look at what is new, and at as much before it as a complaint may have begun in."""
        seen = self._tails.get(channel, b"") + chunk
        # Most output says nothing of the kind, and a worker may print a lot of it in tiny pieces.
        for sign in _SIGN.finditer(seen):
            for path in self._named(_line_around(seen, sign.start(), sign.end())):
                if len(self._paths) < _MOST:
                    self._paths[path] = None
        self._tails[channel] = seen[-2 * _AROUND :]

    def _named(self, line: str) -> Iterator[str]:
        for quoted, bare in _TOKEN.findall(line):
            path = (quoted or bare).removeprefix(self._workspace).removeprefix("./")
            is_inside = not path.startswith("/") and ("/" in path or "." in path.strip("."))
            if is_inside and not self._writable.allows(path):
                yield path


def _line_around(text: bytes, start: int, end: int) -> str:
    """Return the line that a sign stands in, as far as it may name a file."""
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    line = before.replace(b"\r", b"\n").rpartition(b"\n")[2] + text[start:end]
    return (line + after.replace(b"\r", b"\n").partition(b"\n")[0]).decode(errors="replace")


def report_refused(effect: RunWorker, operation: Operation, paths: Sequence[str]) -> None:
    """Record what a worker may not write and tried to."""
    redact = operation.world.redactor.redact
    operation.record(
        WriteRefused(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.attempt,
            paths=tuple(redact(plain(path)).text for path in paths[:_SHOWN]),
        )
    )
