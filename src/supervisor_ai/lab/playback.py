"""Plays one turn of a script to whoever asked."""

from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import islice
from typing import Final

from msgspec import Struct

from supervisor_ai.lab.cursor import Cue
from supervisor_ai.lab.dialect import Dialect, LabQuestion
from supervisor_ai.lab.limits import limit
from supervisor_ai.lab.shapes import Turn
from supervisor_ai.lab.wire import Wire
from supervisor_ai.tools.json_value import Json, json_line

_UNFINISHED: Final = "These words will not come to their end. " * 4
_GARBAGE: Final = (
    b'event: content_block_delta\ndata: {"type": "content_block_delta", "ind\n\n'
    b"data: {not json at all\n\n\x00\xff garbage\n\n"
)
_HTML: Final = b"<html><body>Please log in to this network.</body></html>"
_BEFORE_SILENCE: Final = 2


class Play(Struct, frozen=True, kw_only=True):
    """One turn, one client."""

    cue: Cue
    dialect: Dialect
    question: LabQuestion
    wire: Wire

    def run(self) -> None:
        """Answer, or go wrong, as the script says."""
        turn = self.cue.turn
        if turn.delay and not self.wire.pause(turn.delay):
            return
        if turn.status is not None:
            self._refuse(turn.status)
        elif turn.fault is not None:
            self._fail(turn.fault)
        elif turn.hang is not None:
            self._stall(turn.hang)
        elif self.question.is_streamed:
            self._stream(turn)
        else:
            self.wire.answer(200, self.dialect.whole(turn, self.question), turn.headers)

    def _refuse(self, status: int) -> None:
        turn = self.cue.turn
        headers: Mapping[str, str] = {}
        body: Json = self.dialect.error(status)
        if self.cue.remaining is not None:
            headers, body = limit(self.dialect.name, self.cue.remaining, datetime.now(UTC))
        self.wire.answer(
            status, body if turn.body is None else turn.body, {**headers, **turn.headers}
        )

    def _fail(self, fault: str) -> None:
        match fault:
            case "reset":
                self.wire.drop()
            case "empty_200":
                self.wire.plain(200, b"", {"content-type": "application/json"})
            case "html_200":
                self.wire.plain(200, _HTML, {"content-type": "text/html"})
            case _ if self.question.is_streamed:
                self._break_stream(fault)
            case _:
                self._break_answer(fault)

    def _break_answer(self, fault: str) -> None:
        """Give the same fault to a client that asks for one piece, as some do after a fault."""
        if fault == "sse_error":
            status = int(HTTPStatus.SERVICE_UNAVAILABLE)
            self.wire.answer(status, self.dialect.error(status))
            return
        whole = json_line(self.dialect.whole(self._unfinished(), self.question)).encode()
        self.wire.plain(200, whole[: len(whole) // 2], {"content-type": "application/json"})

    def _break_stream(self, fault: str) -> None:
        self.wire.stream(self.cue.turn.headers)
        frames = list(self.dialect.frames(self._unfinished(), self.question))
        for frame in frames[: max(1, len(frames) // 2)]:
            self.wire.frame(frame)
        if fault == "malformed_sse":
            self.wire.raw(_GARBAGE)
        elif fault == "sse_error":
            self.wire.frame(self.dialect.breakdown)

    def _stall(self, seconds: float) -> None:
        self.wire.stream(self.cue.turn.headers)
        frames = self.dialect.frames(self._unfinished(), self.question)
        for frame in islice(frames, _BEFORE_SILENCE):
            self.wire.frame(frame)
        self.wire.pause(seconds)

    def _stream(self, turn: Turn) -> None:
        self.wire.stream(turn.headers)
        for frame in self.dialect.frames(turn, self.question):
            self.wire.frame(frame)
            if turn.drip and not self.wire.pause(turn.drip):
                return

    def _unfinished(self) -> Turn:
        return Turn(text=self.cue.turn.text or _UNFINISHED, model=self.cue.turn.model)
