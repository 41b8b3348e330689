"""What a worker tried to write and may only read, as far as its own output tells."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.sandbox import Channel, OutputSink

_SIGN: Final = re.compile(
    rb"[^\r\n]{0,400}(?:[Rr]ead-only file system|\bEROFS\b)[^\r\n]{0,400}",
)
_TOKEN: Final = re.compile(r"""['"`]([^'"`]{1,300})['"`]|([^\s'"`:,;()]{1,300})""")
_CARRIED: Final = 800
"""So much of the last piece is looked at again, for a line that came in two."""
_MOST: Final = 20


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

        def pass_on(channel: Channel, chunk: bytes) -> None:
            self._look(channel, chunk)
            sink(channel, chunk)

        return pass_on

    def _look(self, channel: Channel, chunk: bytes) -> None:
        seen = self._tails.get(channel, b"") + chunk
        self._tails[channel] = seen[-_CARRIED:]
        for match in _SIGN.finditer(seen):
            for path in self._named(match[0].decode(errors="replace")):
                if len(self._paths) < _MOST:
                    self._paths[path] = None

    def _named(self, line: str) -> Iterator[str]:
        for quoted, bare in _TOKEN.findall(line):
            path = (quoted or bare).removeprefix(self._workspace).removeprefix("./")
            is_inside = not path.startswith("/") and ("/" in path or "." in path.strip("."))
            if is_inside and not self._writable.allows(path):
                yield path
