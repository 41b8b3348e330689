"""One connection of a client: reads requests, and has the script answer them."""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socket import socket
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.lab.body import BadBody, read_body
from supervisor_ai.lab.cursor import Cue, Cursor
from supervisor_ai.lab.dialect import BadRequest, Dialect, LabQuestion
from supervisor_ai.lab.journal import (
    KEY_HEADERS,
    LabJournal,
    Seen,
    key_of,
    path_without_secrets,
    without_secrets,
)
from supervisor_ai.lab.playback import Play
from supervisor_ai.lab.routes import dialect_at, token_count
from supervisor_ai.lab.script import BadScript, read_script
from supervisor_ai.lab.shapes import Turn
from supervisor_ai.lab.wire import Wire
from supervisor_ai.tools.json_value import Json, parse_json

# The ignored code asks for typing.override, which Python 3.11 does not have.

_PATIENCE: Final = 600
_HERE: Final = frozenset({"127.0.0.1", "localhost"})
_MODELS: Final[Mapping[str, Json]] = {
    "object": "list",
    "data": [{"id": "scripted", "object": "model", "type": "model"}],
    "models": [],
}


@dataclass(slots=True)
class LabRoom:
    """What all connections of a server share."""

    cursor: Cursor
    journal: LabJournal
    stopped: threading.Event = field(default_factory=threading.Event)
    lines: set[socket] = field(default_factory=set)


class LabExchange(BaseHTTPRequestHandler):
    """Speaks HTTP with one client."""

    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE

    def __init__(self, room: LabRoom, *connection: object) -> None:
        self._room = room
        super().__init__(*connection)  # type: ignore[arg-type]

    def setup(self) -> None:  # type: ignore[explicit-override]
        """Take up the line."""
        super().setup()
        self._room.lines.add(self.connection)

    def finish(self) -> None:  # type: ignore[explicit-override]
        """Let the line go."""
        self._room.lines.discard(self.connection)
        super().finish()

    def handle_one_request(self) -> None:  # type: ignore[explicit-override]
        """Serve a request; a client that leaves in the middle is part of the play."""
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def version_string(self) -> str:  # type: ignore[explicit-override]
        """Name the server."""
        return "supervisor-lab"

    def log_message(self, format: str, *args: object) -> None:  # type: ignore[explicit-override] # noqa: A002
        """Keep quiet: the journal knows."""

    def send_error(  # type: ignore[explicit-override]
        self, code: int, message: str | None = None, explain: str | None = None
    ) -> None:
        """Answer what is no HTTP request."""
        del explain
        self.close_connection = True
        words = message or HTTPStatus(code).phrase
        self._wire.answer(code, {"error": {"message": words}}, {"connection": "close"})

    def do_HEAD(self) -> None:
        """Say that somebody is here."""
        self._reply(200, {})

    def do_GET(self) -> None:
        """Show the journal, or the models."""
        if self._is_stranger():
            return
        path = self._path
        if path == "/_log":
            self._wire.answer(200, [seen.json() for seen in self._room.journal.all()])
        elif path == "/_stats":
            self._wire.answer(200, {"requests": len(self._room.journal.all())})
        elif path.endswith("/models"):
            self._reply(200, _MODELS)
        elif (dialect := dialect_at(path)) is not None:
            status = int(HTTPStatus.METHOD_NOT_ALLOWED)
            self._reply(status, dialect.error(status, "Ask with POST."))
        else:
            self._refuse_path()

    def do_POST(self) -> None:
        """Play the next turn, or follow an order."""
        dialect = dialect_at(self._path)
        try:
            raw = read_body(self.headers, self.rfile)
        except BadBody as bad:
            self.close_connection = True
            self._reply(bad.status, _error(dialect, bad.status, bad.reason), size=0)
            return
        if self._is_stranger():
            return
        if (order := self._orders.get(self._path)) is not None:
            order(raw)
        elif (count := token_count(self._path, len(raw))) is not None:
            self._reply(200, count, size=len(raw))
        elif dialect is None:
            self._refuse_path()
        else:
            self._ask(dialect, raw)

    def _ask(self, dialect: Dialect, raw: bytes) -> None:
        try:
            body = _object(raw)
            question = dialect.read(body, self.path)
        except BadRequest as bad:
            status = int(HTTPStatus.BAD_REQUEST)
            self._reply(status, dialect.error(status, str(bad)), size=len(raw))
            return
        self._play(dialect, question, raw, body)

    def _play(self, dialect: Dialect, question: LabQuestion, raw: bytes, body: Json) -> None:
        request = raw.decode("utf-8", "replace")
        cue = self._unwelcome() or self._room.cursor.next(question, dialect.name, request)
        cue = replace(cue, turn=with_nonce(cue.turn, request))
        self._room.journal.note(
            Seen(
                method=self.command,
                path=path_without_secrets(self.path),
                status=cue.turn.status or 200,
                place=cue.place,
                fault=cue.turn.fault or (None if cue.turn.hang is None else "hang"),
                dialect=dialect.name,
                model=question.model,
                is_streamed=question.is_streamed,
                answered=question.answered,
                size=len(raw),
                headers=without_secrets(dict(self.headers.items())),
                body=body,
                key=key_of(dict(self.headers.items())),
            )
        )
        Play(cue=cue, dialect=dialect, question=question, wire=self._wire).run()

    def _unwelcome(self) -> Cue | None:
        """Refuse a key or a login that did not come where the script wants it."""
        wanted = self._room.cursor.key_header
        found = {name for name in KEY_HEADERS if self.headers.get(name)}
        if wanted is None or found == {wanted}:
            return None
        return Cue(turn=Turn(status=HTTPStatus.UNAUTHORIZED), place="key_header")

    @property
    def _orders(self) -> Mapping[str, Callable[[bytes], None]]:
        return {"/_script": self._load, "/_reset": self._reset}

    def _load(self, raw: bytes) -> None:
        try:
            self._room.cursor = Cursor(read_script(parse_json(raw)))
        except BadScript as bad:
            flaws: Json = [flaw.text for flaw in bad.flaws]
            self._wire.answer(400, {"error": {"message": bad.message, "flaws": flaws}})
        except ValueError:
            self._wire.answer(400, {"error": {"message": "The script is not valid JSON."}})
        else:
            self._wire.answer(200, {"ok": True})

    def _reset(self, raw: bytes) -> None:
        del raw
        self._room.journal.clear()
        self._room.cursor = self._room.cursor.rewound()
        self._wire.answer(200, {"ok": True})

    def _is_stranger(self) -> bool:
        """Refuse a web page that found this port: its host or its origin gives it away."""
        host = self.headers.get("Host", "127.0.0.1").rpartition(":")
        is_here = (host[0] if host[2].isdecimal() else host[2]) in _HERE
        is_page = self._path.startswith("/_") and self.headers.get("Origin") is not None
        if is_here and not is_page:
            return False
        self.close_connection = True
        self._reply(403, {"error": {"message": "This server answers programs on 127.0.0.1."}})
        return True

    def _refuse_path(self) -> None:
        words = f"The lab knows no path {self._path!r}."
        self._reply(404, {"error": {"message": words, "type": "not_found_error"}})

    def _reply(self, status: int, body: Json, size: int = 0) -> None:
        path = path_without_secrets(self.path)
        self._room.journal.note(Seen(method=self.command, path=path, status=status, size=size))
        self._wire.answer(status, body)

    @property
    def _path(self) -> str:
        return self.path.partition("?")[0]

    @property
    def _wire(self) -> Wire:
        return Wire(line=self, stopped=self._room.stopped)


def _object(raw: bytes) -> Mapping[str, Json]:
    try:
        body = parse_json(raw)
    except ValueError:
        raise BadRequest("The body is not valid JSON.") from None
    if not isinstance(body, Mapping):
        raise BadRequest("The body is not a JSON object.")
    return body


def _error(dialect: Dialect | None, status: int, words: str) -> Json:
    return dialect.error(status, words) if dialect else {"error": {"message": words}}


_TOLD: Final = re.compile(r"nonce of this attempt is `([a-z0-9-]{1,64})`")
_WANTED: Final = re.compile(r"\{\{ ?nonce ?\}\}")


def with_nonce(turn: Turn, request: str) -> Turn:
    """Put the nonce in place of `{{nonce}}`; what a prompt quotes stands before its own words."""
    written = turn.model_dump_json(by_alias=True, exclude_unset=True)
    told = _TOLD.findall(request)
    if not told or not _WANTED.search(written):
        return turn
    return Turn.model_validate_json(_WANTED.sub(told[-1], written))
