"""The head of a request or of an answer: read strictly, since two readers must not disagree."""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.egress.refusal import Refused

END: Final = b"\r\n\r\n"

_WORD: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST: Final = re.compile(rf"({_WORD}) ([\x21-\x7e]+) HTTP/1\.([01])")
_STATUS: Final = re.compile(r"HTTP/1\.([01]) ([1-5][0-9][0-9])(?: [\x20-\x7e\x80-\xff]*)?")
# The blanks around a value are taken off afterwards: a pattern that finds them takes cubic time.
_FIELD: Final = re.compile(rf"({_WORD}):([\t\x20-\x7e\x80-\xff]*)")
_LENGTH: Final = re.compile(r"[0-9]{1,15}")

Field = tuple[str, str]


class Framing(Struct, frozen=True, kw_only=True):
    """How long a body is: so many bytes, or in chunks, or None for neither."""

    length: int | None = None
    is_chunked: bool = False


class RequestHead(Struct, frozen=True, kw_only=True):
    """What a client asks."""

    method: str
    target: str
    is_modern: bool
    """Whether the client knows chunks: it speaks HTTP/1.1."""
    fields: tuple[Field, ...]
    framing: Framing


class ResponseHead(Struct, frozen=True, kw_only=True):
    """What a server says before the body."""

    status: int
    fields: tuple[Field, ...]
    framing: Framing
    is_lasting: bool = False
    """Whether the server hears a further request over the same connection."""


def parse_request(head: bytes) -> RequestHead:
    """Read the head of a request, or refuse it as a bad one."""
    line, *rest = _lines(head)
    found = _REQUEST.fullmatch(line)
    if found is None:
        raise Refused("bad-request")
    fields = tuple(map(_field, rest))
    framing = _framing(fields)
    is_modern = found[3] == "1"
    if framing.is_chunked and not is_modern:
        raise Refused("bad-request")
    return RequestHead(
        method=found[1], target=found[2], is_modern=is_modern, fields=fields, framing=framing
    )


def parse_answer(head: bytes) -> ResponseHead:
    """Read the head of an answer, or refuse it as a bad one."""
    line, *rest = _lines(head)
    found = _STATUS.fullmatch(line)
    if found is None:
        raise Refused("bad-answer")
    fields = tuple(map(_field, rest))
    wishes = ",".join(values(fields, "connection")).lower().split(",")
    return ResponseHead(
        status=int(found[2]),
        fields=fields,
        framing=_framing(fields),
        is_lasting=found[1] == "1" and "close" not in (wish.strip() for wish in wishes),
    )


def values(fields: tuple[Field, ...], name: str) -> list[str]:
    """Return what the fields of one name say."""
    return [value for found, value in fields if found.lower() == name]


def _lines(head: bytes) -> list[str]:
    """Split at the one line end there is; a stray half of it is refused by what reads the line."""
    return head.removesuffix(END).decode("latin-1").split("\r\n")


def _field(line: str) -> Field:
    found = _FIELD.fullmatch(line)
    if found is None:
        raise Refused("bad-request")
    return found[1], found[2].strip(" \t")


def _framing(fields: tuple[Field, ...]) -> Framing:
    """Find how the body ends; more than one opinion about that is how requests are smuggled."""
    lengths = values(fields, "content-length")
    codings = values(fields, "transfer-encoding")
    if len(lengths) + len(codings) > 1:
        raise Refused("bad-request")
    if codings:
        if codings[0].lower() != "chunked":
            raise Refused("bad-request")
        return Framing(is_chunked=True)
    if not lengths:
        return Framing()
    if not _LENGTH.fullmatch(lengths[0]):
        raise Refused("bad-request")
    return Framing(length=int(lengths[0]))
