"""The server's end of one connection: answers, streams, silence, and a line that goes dead."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Final

from msgspec import Struct

from supervisor_ai.lab.dialect import Frame
from supervisor_ai.tools.json_value import Json, json_line

_LOOK: Final = 0.1
_DROP_AT_ONCE: Final = struct.pack("ii", 1, 0)
_JSON: Final[Mapping[str, str]] = {"content-type": "application/json"}
_STREAM: Final[Mapping[str, str]] = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "connection": "close",
}


class Wire(Struct, frozen=True, kw_only=True):
    """Writes to whoever asked."""

    line: BaseHTTPRequestHandler
    stopped: threading.Event

    def answer(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        """Send JSON."""
        self.plain(status, json_line(body).encode(), {**_JSON, **(headers or {})})

    def plain(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """Send bytes."""
        self._head(status, {**headers, "content-length": str(len(body))})
        if self.line.command != "HEAD":
            self.line.wfile.write(body)

    def stream(self, headers: Mapping[str, str]) -> None:
        """Begin a stream, which ends with the connection."""
        self._head(200, {**_STREAM, **headers})
        self.line.close_connection = True

    def frame(self, frame: Frame) -> None:
        """Send one event of a stream."""
        name = f"event: {frame.event}\n" if frame.event else ""
        data = frame.payload if isinstance(frame.payload, str) else json_line(frame.payload)
        self.raw(f"{data}\n".encode() if frame.bare else f"{name}data: {data}\n\n".encode())

    def raw(self, data: bytes) -> None:
        """Send what no client expects."""
        self.line.wfile.write(data)

    def drop(self) -> None:
        """Reset the connection, as a dying machine or a strict firewall does."""
        self.line.close_connection = True
        connection = self.line.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _DROP_AT_ONCE)
        connection.close()

    def pause(self, seconds: float) -> bool:
        """Say nothing for a while; False when the client has left or the server stops."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.stopped.wait(min(left, _LOOK)) or self._is_alone():
                self.line.close_connection = True
                return False
        return True

    def _is_alone(self) -> bool:
        connection, patience = self.line.connection, self.line.connection.gettimeout()
        connection.settimeout(0)
        try:
            return not connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            connection.settimeout(patience)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        send: Callable[[str, str], None] = self.line.send_header
        self.line.send_response(status)
        for name, value in headers.items():
            send(name, value)
        self.line.end_headers()
