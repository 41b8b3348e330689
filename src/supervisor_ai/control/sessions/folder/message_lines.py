"""The lines of `.msg/messages.jsonl`, read tolerantly: one that is broken is told, and passed over.

A line is a record of the bus. Only `from` must be there; what else is missing is as the bus has it.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from msgspec import Struct

from supervisor_ai.control.sessions.bus import SUMMARY_LENGTH, Data
from supervisor_ai.domain.errors import Denied, InvalidInput
from supervisor_ai.domain.session.imports import check_imported
from supervisor_ai.domain.session.members import COORDINATOR
from supervisor_ai.domain.session.session import LINE_KEY
from supervisor_ai.tools.json_value import BadJson, JsonObject, JsonValue, read_json

LINE_BYTES: Final = 512 << 10
MOST_LINES: Final = 100_000
"""How many lines are looked at in one import; the next one goes on behind them."""
_TYPE: Final = "message"


class MessageLine(Struct, frozen=True, kw_only=True):
    """What a line says."""

    number: int
    """Which line of the file it is, from 1."""
    text: str
    key: str
    record: "LineRecord"


class LineRecord(Struct, frozen=True, kw_only=True):
    """A record of the bus as a file has it."""

    id: str
    sender: str
    to: str
    kind: str
    summary: str
    data: Data | None
    ts: str | None


class LineFlaw(Struct, frozen=True, kw_only=True):
    """Why a line is not taken."""

    number: int
    reason: str
    sender: str = ""
    """Whose word it would be, where it is refused and not broken."""


class FileSpan(Struct, frozen=True, kw_only=True):
    """A part of a file that ends with a line, or with the file."""

    lines: tuple[tuple[int, bytes], ...]
    """Lines with their numbers, blank ones left out."""
    end: int
    """How many bytes of the file were looked at."""


def spans(content: bytes, start: int, size: int) -> Iterator[FileSpan]:
    """Take a file apart into so many lines each, from a place on."""
    number = content.count(b"\n", 0, start)
    left, end = MOST_LINES, start
    while end < len(content) and left > 0:
        lines: list[tuple[int, bytes]] = []
        while end < len(content) and len(lines) < min(size, left):
            stop = content.find(b"\n", end)
            stop = len(content) if stop < 0 else stop
            number += 1
            if content[end:stop].strip():
                lines.append((number, content[end:stop]))
            end = min(stop + 1, len(content))
        left -= len(lines)
        yield FileSpan(lines=tuple(lines), end=end)


def whole_lines(content: bytes) -> bytes:
    """Leave out a last line that somebody is still writing."""
    end = content.rfind(b"\n") + 1
    tail = content[end:]
    is_whole = not tail.strip() or isinstance(read_line(1, tail), MessageLine)
    return content if is_whole else content[:end]


def line_key(line: bytes) -> str:
    """Name a line by what it says."""
    return f"{LINE_KEY}{sha256(line.strip()).hexdigest()}"


def read_line(number: int, line: bytes) -> MessageLine | LineFlaw:
    """Read one line."""
    try:
        text = _text(line)
        record = _record(read_json(text))
    except (BadJson, UnicodeDecodeError) as error:
        return LineFlaw(number=number, reason=f"it is no JSON: {error}")
    except InvalidInput as error:
        return LineFlaw(number=number, reason=error.message)
    return MessageLine(number=number, text=text, key=line_key(line), record=record)


def check_line(line: MessageLine) -> LineFlaw | None:
    """Say why a line is not taken that could be read."""
    record = line.record
    try:
        check_imported(record.sender, record.to, record.kind)
    except Denied as error:
        return LineFlaw(number=line.number, reason=error.message, sender=record.sender)
    except InvalidInput as error:
        return LineFlaw(number=line.number, reason=error.message)
    return None


def _text(line: bytes) -> str:
    if len(line) > LINE_BYTES:
        raise InvalidInput(f"It has {len(line)} bytes; {LINE_BYTES} are the most.")
    return line.decode().strip()


def _record(value: JsonValue) -> LineRecord:
    if not isinstance(value, dict):
        raise InvalidInput("It is no JSON object.")
    known: JsonObject = dict(value)
    summary = _word(known, "summary", "")
    if len(summary) > SUMMARY_LENGTH:
        summary = f"{summary[: SUMMARY_LENGTH - 1]}…"
    return LineRecord(
        id=_word(known, "id", ""),
        sender=_word(known, "from", None),
        to=_word(known, "to", COORDINATOR),
        kind=_word(known, "type", _TYPE),
        summary=summary,
        data=_object(value.get("data")),
        ts=_moment(known.get("ts")),
    )


def _word(record: JsonObject, key: str, otherwise: str | None) -> str:
    value = record.get(key)
    if value is None and otherwise is not None:
        return otherwise
    if not isinstance(value, str):
        raise InvalidInput(f"Its {key!r} is {'missing' if value is None else 'no text'}.")
    return value


def _object(value: JsonValue) -> Data | None:
    """Take an object for what it is, and put anything else into one."""
    return value if isinstance(value, dict) or value is None else {"value": value}


def _moment(value: object) -> str | None:
    """Return a moment in our own form; None: it is none."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        if moment is None:
            return None
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return None
