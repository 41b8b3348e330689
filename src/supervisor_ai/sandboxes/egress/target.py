"""The target of a connection: exact host names and ports, never addresses."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.sandboxes.egress.refusal import Refused

_TARGET: Final = re.compile(r"(\[[^\]]*\]|[^:\[\]]+):([1-9][0-9]{0,4})", re.ASCII)
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME: Final = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*", re.ASCII)
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)
_ADDRESS: Final = re.compile(r"[0-9A-Fa-f:.]+", re.ASCII)
_HIGHEST: Final = 65_535


class Target(Struct, frozen=True, kw_only=True):
    """A host by its canonical name, and a port."""

    host: str
    port: int


def parse_target(text: str) -> Target:
    """Read `host:port` as a CONNECT request has it, or refuse it."""
    found = _TARGET.fullmatch(text)
    if found is None:
        # An address without its brackets, or nonsense.
        is_address = text.count(":") > 1 and _ADDRESS.fullmatch(text)
        raise Refused("ip-literal" if is_address else "bad-target", text.rpartition(":")[0] or text)
    host, port = found[1], int(found[2])
    if port > _HIGHEST:
        raise Refused("bad-target", host)
    if host.startswith("["):
        raise Refused("ip-literal", host, port)
    try:
        return Target(host=canonical(host), port=port)
    except Refused as refused:
        raise refused.toward(host, port) from None


def canonical(host: str) -> str:
    """Return the one spelling of a host's name; an address in any spelling is refused."""
    name = host.lower().removesuffix(".") if host.isascii() else ""
    if not _NAME.fullmatch(name):
        raise Refused("bad-target", host)
    # Whatever ends in a number is an address to some resolver: 2130706433, 0x7f.1, 127.1.
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        raise Refused("ip-literal", host)
    return name


def parse_allowed(entries: Iterable[str]) -> frozenset[Target]:
    """Read the entries of an allow-list; the first that can never be reached is an error."""
    return frozenset(_allowed(entry) for entry in entries)


def _allowed(entry: str) -> Target:
    try:
        return parse_target(entry)
    except Refused as refused:
        raise InvalidInput(
            f"{entry!r} cannot be on the list of hosts that a sandbox may reach: {refused.reason}.",
            hint="Write a host's full name and a port, like `api.example.com:443`.",
        ) from None
