"""Values of a graph as texts beside our ledger: readable where they can be, and without secrets."""

import base64
import math
from typing import Final

import msgspec
from msgspec.msgpack import Ext

from supervisor_ai.domain.redaction.trees import Redact, redact_tree

Blob = tuple[str, bytes]
"""What LangGraph's serialiser makes of a value: its form, and bytes."""

_MSGPACK: Final = "msgpack"
_TEXTS: Final = ("bytes", "bytearray", "json")
_JSON: Final = "json"
_BASE: Final = "base64"


def write_blob(blob: Blob, redact: Redact) -> str:
    """Write a value as text: its form, how it is written, and what it is."""
    form, content = blob
    if form in _TEXTS:
        content = _redacted_bytes(content, redact)
    if form != _MSGPACK:
        return _in_base(form, content)
    tree = _redacted(msgspec.msgpack.decode(content), redact)
    if _is_plain(tree):
        return f"{form} {_JSON}\n{msgspec.json.encode(tree).decode()}"
    return _in_base(form, msgspec.msgpack.encode(tree))


def read_blob(text: str) -> Blob:
    """Return what a text was made of."""
    head, _, body = text.partition("\n")
    form, _, way = head.partition(" ")
    if way == _JSON:
        return form, msgspec.msgpack.encode(msgspec.json.decode(body))
    return form, base64.b64decode(body)


def _in_base(form: str, content: bytes) -> str:
    return f"{form} {_BASE}\n{base64.b64encode(content).decode()}"


def _redacted(value: object, redact: Redact, name: str = "") -> object:
    """Take the secrets out of a tree, also out of those inside values of other types."""

    def other(it: object, called: str) -> object:
        match it:
            case bytes():
                return _redacted_bytes(it, redact)
            case Ext():
                return Ext(it.code, _redacted_inside(bytes(it.data), redact, called))
            case _:
                return it

    return redact_tree(value, redact, name, other=other)


def _redacted_inside(content: bytes, redact: Redact, name: str) -> bytes:
    """Redact what a value of another type is packed from; what is no such pack stays as it is."""
    try:
        tree = msgspec.msgpack.decode(content)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return content
    cleaned = _redacted(tree, redact, name)
    return content if cleaned == tree else msgspec.msgpack.encode(cleaned)


def _redacted_bytes(content: bytes, redact: Redact) -> bytes:
    try:
        return redact(content.decode()).encode()
    except UnicodeDecodeError:
        return content


def _is_plain(value: object) -> bool:
    """Tell whether JSON can hold a value and give it back as it was."""
    match value:
        case dict():
            return all(isinstance(key, str) and _is_plain(it) for key, it in value.items())
        case list():
            return all(map(_is_plain, value))
        case float():
            return math.isfinite(value)
        case _:
            return value is None or isinstance(value, str | int)
