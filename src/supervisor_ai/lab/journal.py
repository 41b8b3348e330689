"""What the server was asked: in memory, bounded, and in a file if one is wanted."""

import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.lab.shapes import DialectName
from supervisor_ai.tools.json_value import Json, json_line

_MAX_REQUESTS: Final = 2_000
_MAX_BYTES: Final = 64 * 1024 * 1024
_HIDDEN: Final = "[hidden]"
KEY_HEADERS: Final = ("x-api-key", "x-goog-api-key", "authorization", "api-key")
_SECRETS: Final = frozenset({*KEY_HEADERS, "proxy-authorization", "cookie"})
_KEY_IN_PATH: Final = re.compile(r"([?&](?:key|api_key|access_token)=)[^&]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request. The key that came with it is for tests only and is never written anywhere."""

    method: str
    path: str
    status: int
    at: float = field(default_factory=time.time)
    place: str | None = None
    fault: str | None = None
    dialect: DialectName | None = None
    model: str | None = None
    is_streamed: bool = False
    answered: int = 0
    size: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Json = None
    key: str | None = field(default=None, repr=False)

    def json(self) -> dict[str, Json]:
        """Return everything but the key."""
        return {
            "at": round(self.at, 3),
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "place": self.place,
            "fault": self.fault,
            "dialect": self.dialect,
            "model": self.model,
            "stream": self.is_streamed,
            "answered": self.answered,
            "bytes": self.size,
            "headers": self.headers,
            "body": self.body,
        }


class LabJournal:
    """Remembers the newest requests; safe for many threads."""

    def __init__(
        self, log: Path | None = None, on_seen: Callable[[Seen], None] | None = None
    ) -> None:
        self._lock = threading.Lock()
        self._seen: deque[Seen] = deque()
        self._bytes = 0
        self._log = _opened(log) if log is not None else None
        self._on_seen = on_seen

    def note(self, seen: Seen) -> None:
        """Remember one more."""
        with self._lock:
            self._seen.append(seen)
            self._bytes += seen.size
            while len(self._seen) > _MAX_REQUESTS or self._bytes > _MAX_BYTES:
                self._bytes -= self._seen.popleft().size
            if self._log is not None:
                self._log.write(json_line(seen.json()) + "\n")
            if self._on_seen is not None:
                self._on_seen(seen)

    def all(self) -> tuple[Seen, ...]:
        """List what is remembered, oldest first."""
        with self._lock:
            return tuple(self._seen)

    def clear(self) -> None:
        """Forget everything; what stands in the file stays."""
        with self._lock:
            self._seen.clear()
            self._bytes = 0

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None


def _opened(path: Path) -> TextIO:
    """Open the file for its owner only: prompts can hold what a repository keeps to itself."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    try:
        return os.fdopen(os.open(path, flags, 0o600), "a", buffering=1, encoding="utf-8")
    except OSError as error:
        raise Unavailable(f"The log {str(path)!r} cannot be written: {error.strerror}.") from error


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers by their small names, keys hidden."""
    small = {name.lower(): value for name, value in headers.items()}
    return {name: _HIDDEN if name in _SECRETS else value for name, value in small.items()}


def path_without_secrets(path: str) -> str:
    """Return a path with keys in its query hidden."""
    return _KEY_IN_PATH.sub(rf"\1{_HIDDEN}", path)


def key_of(headers: Mapping[str, str]) -> str | None:
    """Find the key that a request came with."""
    small = {name.lower(): value for name, value in headers.items()}
    return next(
        (small[name].removeprefix("Bearer ") for name in KEY_HEADERS if name in small), None
    )
