"""Hosts, addresses and routes as people write them in definition files."""

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

from supervisor_ai.definitions.schema.scalars import reference

_LABEL: Final = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})+")
_NUMERIC: Final = re.compile(r"0x[0-9a-f]*|[0-9]+")
_ROUTE: Final = re.compile(r"(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (/[A-Za-z0-9._~:*/-]*)")
_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,64}: [\x20-\x7e]+")
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS: Final = range(1, 65536)


def destination(value: str) -> str:
    """Accept a host by name with its port; an address proves nothing about who is there."""
    host, _, port = value.lower().rpartition(":")
    if not port.isdecimal() or int(port) not in _PORTS or not _HOST.fullmatch(host):
        raise ValueError(f"must be a host and a port such as example.com:443, found {value!r}")
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        raise ValueError(f"must name the host, not its address, found {value!r}")
    return f"{host}:{int(port)}"


def upstream(value: str) -> str:
    """Accept the address of a service: https, or http on this machine."""
    parts = _split(value)
    is_plain = parts is not None and parts.hostname and not (parts.query or parts.fragment)
    if parts is None or not is_plain or parts.username is not None:
        raise ValueError(f"must be an address such as https://api.example.com, found {value!r}")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(value)):
        raise ValueError(f"must begin with https://, found {value!r}")
    return value.rstrip("/")


def is_local(value: str) -> bool:
    """Tell whether a service is on this machine."""
    return urlsplit(value).hostname in _LOCAL


def route(value: str) -> str:
    """Accept a method and a path; `*` stands for one part of the path."""
    match = _ROUTE.fullmatch(value)
    if match is None or ".." in value or "//" in value:
        raise ValueError(f"must be a method and a path such as POST /v1/messages, found {value!r}")
    return value


def header(value: str) -> str:
    """Accept a header whose value comes from one variable of the user's."""
    if not _HEADER.fullmatch(value):
        raise ValueError(f"must be a header such as 'x-api-key: ${{API_KEY}}', found {value!r}")
    if reference(value) is None:
        raise ValueError("must take the key from a variable, as ${API_KEY}; no key belongs here")
    return value


def _split(value: str) -> SplitResult | None:
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return None
    return parts
