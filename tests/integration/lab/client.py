"""Clients of the lab: one that speaks HTTP, and one that sees every byte."""

import http.client
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from tests.support.processes import PATIENCE

TOOLS: Final = [{"name": "Write", "input_schema": {"type": "object"}}]
DECLARED: Final = [{"functionDeclarations": [{"name": "write_file"}]}]
ASKED: Final = "Say hello."

Json = dict[str, Any]


@dataclass(frozen=True)
class Speech:
    """How one dialect asks: where, and with which body."""

    whole: str
    streamed: str
    body: Json
    stream_key: Json


SPEECHES: Final = {
    "anthropic": Speech(
        "/v1/messages?beta=true",
        "/v1/messages?beta=true",
        {"model": "m", "messages": [{"role": "user", "content": ASKED}], "tools": TOOLS},
        {"stream": True},
    ),
    "responses": Speech(
        "/v1/responses",
        "/v1/responses",
        {"model": "m", "input": [{"role": "user", "content": ASKED}], "tools": TOOLS},
        {"stream": True},
    ),
    "chat": Speech(
        "/v1/chat/completions",
        "/v1/chat/completions",
        {"model": "m", "messages": [{"role": "user", "content": ASKED}], "tools": TOOLS},
        {"stream": True},
    ),
    "gemini": Speech(
        "/v1beta/models/m:generateContent",
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        {"contents": [{"role": "user", "parts": [{"text": ASKED}]}], "tools": DECLARED},
        {},
    ),
}


@dataclass(frozen=True)
class Reply:
    """What came back over HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[tuple[str | None, str]]:
        """Read server-sent events as clients do: blocks that end with an empty line."""
        return [_event(block) for block in self.body.decode().split("\n\n") if block]

    @property
    def frames(self) -> list[Any]:
        return [json.loads(data) for _, data in self.events if data != "[DONE]"]


def _event(block: str) -> tuple[str | None, str]:
    lines = [line.partition(": ") for line in block.split("\n")]
    kinds = [value for name, _, value in lines if name == "event"]
    return (kinds[0] if kinds else None), "".join(it for name, _, it in lines if name == "data")


def request(
    url: str, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
) -> Reply:
    """Send a request and read the whole answer."""
    parts = urlsplit(url)
    line = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE)
    payload = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    try:
        line.request(method, path, payload, dict(headers or {}))
        answer = line.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, found, answer.read())
    finally:
        line.close()


def ask(
    url: str,
    dialect: str,
    *,
    streamed: bool = False,
    more: Mapping[str, object] | None = None,
) -> Reply:
    """Ask in a dialect, with some keys of the body changed."""
    speech = SPEECHES[dialect]
    body = {**speech.body, **(more or {}), **(speech.stream_key if streamed else {})}
    return request(url, "POST", speech.streamed if streamed else speech.whole, body)


def open_line(url: str) -> socket.socket:
    """Connect without any protocol."""
    parts = urlsplit(url)
    return socket.create_connection((str(parts.hostname), parts.port or 0), timeout=PATIENCE)


def raw_request(dialect: str, *, streamed: bool) -> bytes:
    """Write a request as bytes."""
    speech = SPEECHES[dialect]
    body = json.dumps({**speech.body, **(speech.stream_key if streamed else {})}).encode()
    path = speech.streamed if streamed else speech.whole
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def until_end(line: socket.socket) -> bytes:
    """Read until the other side hangs up."""
    received = b""
    while piece := line.recv(65536):
        received += piece
    return received


def until_mark(line: socket.socket, mark: bytes) -> None:
    """Read until something was said."""
    received = b""
    while mark not in received:
        piece = line.recv(65536)
        assert piece, f"{mark!r} was not said, only {received!r}"
        received += piece
