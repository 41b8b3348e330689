"""Counts the tokens of one exchange as its answer streams by."""

import json
from typing import Final

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.egress.model_access.usage_report import (
    NOTHING,
    read_report,
    word_bytes,
)

_BYTES_PER_TOKEN: Final = 4
_MOST_HELD: Final = 1 << 22


class Meter:
    """Reads the body of an answer and knows at any moment what the exchange has cost.

    What the upstream says counts; as long as it says nothing, the words themselves do. It holds at
    most one event, or one answer of a usual size: of anything larger it counts the bytes.
    """

    def __init__(self, kind: str) -> None:
        self._is_stream = kind == "text/event-stream"
        self._is_read = self._is_stream or kind.endswith("json")
        self._held = bytearray()
        self._seen = NOTHING
        self._words = 0
        self._unread = 0
        self._reported = 0

    def read(self, piece: bytes) -> None:
        """Take the next piece of the body; pieces may break anywhere."""
        if not self._is_read:
            self._unread += len(piece)
            return
        self._held += piece
        if self._is_stream and b"\n" in piece:
            *lines, rest = self._held.split(b"\n")
            self._held = rest
            for line in lines:
                self._read_line(line)
        if len(self._held) > _MOST_HELD:
            self._unread += len(self._held)
            self._held.clear()
            self._is_read = self._is_stream

    def end(self) -> None:
        """Take note that the body is over."""
        if self._held and not self._is_stream:
            self._unread += 0 if self._read_json(self._held) else len(self._held)
        elif self._held:
            self._read_line(self._held)
        self._held.clear()

    def usage(self, request_bytes: int = 0) -> Usage:
        """Return what is known so far; a request's size stands in for what nobody said."""
        spent = self._seen.counts.usage()
        if not self._seen.is_total:
            return replace(
                spent,
                tokens_in=spent.tokens_in or request_bytes // _BYTES_PER_TOKEN,
                tokens_out=max(spent.tokens_out, self._bytes // _BYTES_PER_TOKEN),
                estimated=True,
            )
        # Who goes on after the last report has to be counted on.
        late = (self._bytes - self._reported) // _BYTES_PER_TOKEN
        return replace(spent, tokens_out=spent.tokens_out + late, estimated=late > 0)

    @property
    def _bytes(self) -> int:
        return self._words + self._unread

    def _read_line(self, line: bytes | bytearray) -> None:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._read_json(value)

    def _read_json(self, text: bytes | bytearray) -> bool:
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            return False
        report = read_report(said)
        self._seen = self._seen.joined(report)
        if self._is_stream:
            self._words += word_bytes(said)
        if report.is_total:
            self._reported = self._bytes
        return bool(report.counts.by_name)
