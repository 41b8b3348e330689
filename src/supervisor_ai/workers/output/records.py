"""The JSON that a command prints, read without believing in its shape."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from math import isfinite
from typing import Final

from msgspec import Struct

from supervisor_ai.tools.json_value import (
    BadJson,
    Json,
    JsonObject,
    inner,
    json_line,
    mapping,
    parse_json,
    parse_object,
    sequence,
)

_BROKEN: Final = (ValueError, RecursionError)
_LARGEST: Final = 10**15
_PLACES: Final = 10
_DOCUMENT: Final = re.compile(r"^(?:\[ERROR\] )?(?=\{)", re.MULTILINE)
_DOCUMENTS: Final = 40
_TAIL: Final = 256 << 10
_DECODER: Final = json.JSONDecoder()


class JsonRecord(Struct, frozen=True):
    """One JSON object; what is absent or of another kind reads as nothing."""

    fields: JsonObject

    def at(self, *path: str) -> Json:
        """Return what stands at a path, or None."""
        return inner(self.fields, *path)

    def text(self, *path: str) -> str:
        """Return the string at a path."""
        found = self.at(*path)
        return found if isinstance(found, str) else ""

    def count(self, *path: str) -> int:
        """Return the whole number at a path; what cannot be counted is 0."""
        return int(self.amount(*path))

    def amount(self, *path: str) -> Decimal:
        """Return the number at a path."""
        found = self.at(*path)
        if isinstance(found, bool) or not isinstance(found, int | float):
            return Decimal(0)
        sane = isfinite(found) if isinstance(found, float) else True
        return Decimal(repr(found)) if sane and 0 <= found <= _LARGEST else Decimal(0)

    def money(self, *path: str) -> Decimal:
        """Return the amount at a path without the noise of binary fractions."""
        return Decimal(f"{round(self.amount(*path), _PLACES).normalize():f}")

    def record(self, *path: str) -> "JsonRecord":
        """Return the object at a path."""
        return JsonRecord(mapping(self.at(*path)))

    def records(self, *path: str) -> Iterator["JsonRecord"]:
        """Yield the objects in the list at a path."""
        for item in sequence(self.at(*path)):
            if isinstance(item, dict):
                yield JsonRecord(item)

    def named(self, *path: str) -> Iterator[tuple[str, "JsonRecord"]]:
        """Yield the objects in the object at a path, each with its name."""
        for name, value in self.record(*path).fields.items():
            if isinstance(value, dict):
                yield name, JsonRecord(value)


def parse(line: str) -> JsonRecord | None:
    """Read one object, or return None."""
    line = line.strip()
    if not (line.startswith("{") and line.endswith("}")):
        return None
    found = parse_object(line)
    return None if found is None else JsonRecord(found)


def parse_all(output: str) -> tuple[JsonRecord, ...]:
    """Read every object that was printed: one a line, or all as one document."""
    lines = tuple(filter(None, map(parse, output.split("\n"))))
    return lines or _whole(output)


def last_document(output: str) -> JsonRecord | None:
    """Find the last object that begins a line, wherever its lines end."""
    output = output[-_TAIL:]
    starts = [match.end() for match in _DOCUMENT.finditer(output)]
    found = (_document_at(output, start) for start in reversed(starts[-_DOCUMENTS:]))
    return next((it for it in found if it is not None), None)


def first_document(text: str) -> JsonRecord | None:
    """Read the object that begins with the first brace."""
    return _document_at(text, start) if (start := text.find("{")) >= 0 else None


def _document_at(text: str, start: int) -> JsonRecord | None:
    try:
        found, _ = _DECODER.raw_decode(text, start)
    except _BROKEN:
        return None
    return JsonRecord(found)


def fenced(value: object) -> str:
    """Show a value as the fenced block in which answers are looked for."""
    return f"```json\n{json_line(value)}\n```"


def with_fence(text: str) -> str:
    """Put a fence around a text that is one JSON object and nothing else."""
    found = parse(text)
    return text if found is None else fenced(found.fields)


def _whole(output: str) -> tuple[JsonRecord, ...]:
    try:
        found = parse_json(output)
    except BadJson:
        return ()
    items = found if isinstance(found, list) else [found]
    return tuple(JsonRecord(item) for item in items if isinstance(item, dict))
