"""A service on loopback that answers as a test says, and remembers what it was asked."""

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from typing_extensions import override

LONG = 30.0

Answering = Callable[["Attendant"], None]


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Attendant(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"

    def __init__(self, service: "Service", *args: Any) -> None:
        self.service = service
        super().__init__(*args)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.service.take(Asked(path=self.path, headers=headers, body=json.loads(body)))
        self.close_connection = True
        answer(self)

    @override
    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def wait_for_leave(self) -> None:
        """Notice that the client is gone."""
        self.service.waiting.set()
        self.connection.settimeout(LONG)
        with suppress(ConnectionError):
            assert self.connection.recv(1) == b""
        self.service.left.set()


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent: clients leave as they like."""


class Service:
    """Answers with one reply after the other; the last one is repeated."""

    def __init__(self, *answers: Answering, tls: ssl.SSLContext | None = None) -> None:
        self._answers = list(answers)
        self._lock = threading.Lock()
        self.asked: list[Asked] = []
        self.waiting = threading.Event()
        self.left = threading.Event()
        self._http = _Http(("127.0.0.1", 0), partial(Attendant, self))
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._scheme = "https" if tls else "http"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def take(self, asked: Asked) -> Answering:
        with self._lock:
            self.asked.append(asked)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(LONG)


def whole(
    value: object, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answering:
    """Answer with one JSON document."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()

    def answer(attendant: Attendant) -> None:
        attendant.send_response(status)
        attendant.send_header("Content-Type", "application/json; charset=utf-8")
        attendant.send_header("Content-Length", str(len(body)))
        for name, text in (headers or {}).items():
            attendant.send_header(name, text)
        attendant.end_headers()
        attendant.wfile.write(body)

    return answer


def chunked(kind: str, pieces: Iterable[bytes], *, is_complete: bool = True) -> Answering:
    """Answer in chunks; an incomplete answer just stops."""
    pieces = list(pieces)

    def answer(attendant: Attendant) -> None:
        attendant.send_response(200)
        attendant.send_header("Content-Type", kind)
        attendant.send_header("Transfer-Encoding", "chunked")
        attendant.end_headers()
        for piece in pieces:
            attendant.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            attendant.wfile.flush()
        if is_complete:
            attendant.wfile.write(b"0\r\n\r\n")

    return answer


def events(*records: object, is_complete: bool = True) -> Answering:
    """Answer with server-sent events, cut where nobody expects it."""
    text = b"".join(b": hello\nevent: e\ndata: %s\n\n" % _line(record) for record in records)
    pieces = [text[start : start + 37] for start in range(0, len(text), 37)]
    return chunked("text/event-stream", pieces, is_complete=is_complete)


def lines(*records: object) -> Answering:
    """Answer with one record per line."""
    return chunked("application/x-ndjson", [_line(record) + b"\n" for record in records])


def raw(words: bytes) -> Answering:
    """Answer with these bytes and nothing else."""

    def answer(attendant: Attendant) -> None:
        attendant.wfile.write(words)

    return answer


def reset(attendant: Attendant) -> None:
    """Break the connection without a word."""
    linger = struct.pack("ii", 1, 0)
    attendant.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    # The last descriptor must go, or the connection lives on.
    attendant.rfile.close()
    attendant.wfile.close()
    attendant.connection.close()


def silence(attendant: Attendant) -> None:
    """Say nothing until the client leaves."""
    attendant.wait_for_leave()


def begin_and_stall(*records: object) -> Answering:
    """Begin an answer, then say nothing until the client leaves."""

    def answer(attendant: Attendant) -> None:
        with suppress(ConnectionError):
            events(*records, is_complete=False)(attendant)
        attendant.wait_for_leave()

    return answer


def _line(record: object) -> bytes:
    return record.encode() if isinstance(record, str) else json.dumps(record).encode()
