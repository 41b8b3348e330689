"""The scripted model server.

with LabServer([{"text": "Done."}]) as lab:
    ...  # point a client at lab.url
    lab.requests
"""

import socket
import threading
from collections.abc import Callable
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.lab.cursor import Cursor
from supervisor_ai.lab.exchange import LabExchange, LabRoom
from supervisor_ai.lab.journal import LabJournal, Seen
from supervisor_ai.lab.script import read_script
from supervisor_ai.lab.shapes import Script

LOOPBACK: Final = "127.0.0.1"
_LOOK: Final = 0.05


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class LabServer:
    """A model that says what a script says; it listens on this machine only."""

    def __init__(
        self,
        script: object,
        *,
        port: int = 0,
        log: Path | None = None,
        on_seen: Callable[[Seen], None] | None = None,
    ) -> None:
        cursor = Cursor(_read(script))
        self._room = LabRoom(cursor=cursor, journal=LabJournal(log, on_seen))
        try:
            self._http = _Http((LOOPBACK, port), partial(LabExchange, self._room))
        except OSError as error:
            self._room.journal.close()
            raise Unavailable(
                f"The port {port} of {LOOPBACK} cannot be taken: {error.strerror}.",
                hint="Take another one, or 0 for any that is free.",
            ) from error
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(_LOOK,), name="lab", daemon=True
        )

    @property
    def port(self) -> int:
        """Tell the port."""
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """Tell where the server is."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def requests(self) -> tuple[Seen, ...]:
        """List what was asked, oldest first."""
        return self._room.journal.all()

    def load(self, script: object) -> None:
        """Go on with another script, from its beginning."""
        self._room.cursor = Cursor(_read(script))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up on everybody and stop; once is enough, twice does no harm."""
        if self._room.stopped.is_set():
            return
        self._room.stopped.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        for line in tuple(self._room.lines):
            _hang_up(line)
        self._room.journal.close()


def _read(script: object) -> Script:
    return script if isinstance(script, Script) else read_script(script)


def _hang_up(line: socket.socket) -> None:
    try:
        line.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # The client was faster.
