"""Where logins are kept: one file for each CLI, in the user's own directory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.tools.file_lock import held, open_lock_file
from supervisor_ai.tools.json_value import JsonObject
from supervisor_ai.workers.launch.login_form import BadLogin
from supervisor_ai.workers.logins.login_file import Put, read_document, replaced

_FOLDER: Final = "logins"
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PATIENCE: Final = 60.0
"""Seconds to wait for another process that renews the same login."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLogin:
    """A login as it was handed over: its document, or the CLI's own file that holds it."""

    source: Path | None = None
    document: JsonObject = field(default_factory=dict, repr=False)
    upstream: str | None = None
    token_url: str | None = None
    given_at: datetime | None = None


class LoginFiles:
    """The files of all logins."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / _FOLDER

    def path(self, cli: str) -> Path:
        """Name the file of a CLI's login."""
        return self._directory / f"{cli}.json"

    def find(self, cli: str) -> KeptLogin | None:
        """Read what is kept, None where that is nothing; raises BadLogin."""
        kept = read_document(self.path(cli))
        return None if kept is None else _kept(kept)

    def document(self, cli: str, kept: KeptLogin) -> JsonObject:
        """Read the login itself, as it is now; raises BadLogin."""
        if kept.source is None:
            again = self.find(cli)
            return kept.document if again is None else again.document
        found = read_document(kept.source)
        if found is None:
            raise BadLogin("the file is gone")
        return found

    def write(self, cli: str, kept: KeptLogin) -> None:
        """Keep a login for this user alone."""
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._directory.chmod(0o700)
            # Whoever keeps their own files in a repository does not want these there.
            (self._directory / ".gitignore").write_text("*\n", encoding="utf-8")
            with replaced(self.path(cli)) as put:
                put(_record(kept))
        except OSError as error:
            raise _unwritable(self._directory, error) from error

    def remove(self, cli: str) -> None:
        """Forget a login; the CLI's own store stays as it is."""
        for path in (self.path(cli), _lock_of(self.path(cli))):
            path.unlink(missing_ok=True)

    @contextmanager
    def alone(self, cli: str, kept: KeptLogin) -> Iterator[Path]:
        """Keep everybody else from renewing a login, and name the file that holds it."""
        place = self.path(cli) if kept.source is None else kept.source.resolve()
        try:
            descriptor = open_lock_file(_lock_of(place))
        except OSError as error:
            raise _unwritable(place.parent, error) from error
        with held(descriptor, patience=_PATIENCE) as is_ours:
            if not is_ours:
                raise Unavailable(f"Somebody else has renewed the login of {cli!r} for too long.")
            yield place

    @contextmanager
    def successor(self, kept: KeptLogin, place: Path) -> Iterator[Put]:
        """Open what will stand in the place of a login; raises Unavailable."""
        try:
            with replaced(place) as put:
                yield lambda document: put(
                    document if kept.source else _record(replace(kept, document=document))
                )
        except OSError as error:
            raise _unwritable(place.parent, error) from error


def checked_address(url: str | None) -> str | None:
    """Accept the address of a service: https, or http on this machine; raises BadLogin."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise BadLogin("its address is none") from None
    is_plain = parts.hostname and not (parts.query or parts.fragment or parts.username)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_here(url))
    if not is_plain or not is_safe or not url.isascii():
        raise BadLogin("its address does not begin with https:// and a host")
    return url.rstrip("/")


def is_here(url: str) -> bool:
    """Tell whether a service is on this machine."""
    return urlsplit(url).hostname in _HERE


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _record(kept: KeptLogin) -> JsonObject:
    given_at = kept.given_at or datetime.now(UTC)
    return {
        "source": str(kept.source) if kept.source else None,
        "document": kept.document,
        "upstream": kept.upstream,
        "token_url": kept.token_url,
        "given_at": given_at.isoformat(),
    }


def _kept(record: JsonObject) -> KeptLogin:
    source, given_at = _text(record, "source"), _text(record, "given_at")
    document = record.get("document")
    if not isinstance(document, dict):
        raise BadLogin("its 'document' is no JSON object")
    return KeptLogin(
        source=Path(source) if source else None,
        document=document,
        upstream=checked_address(_text(record, "upstream")),
        token_url=checked_address(_text(record, "token_url")),
        given_at=_moment(given_at),
    )


def _text(record: JsonObject, key: str) -> str | None:
    found = record.get(key)
    if found is not None and not isinstance(found, str):
        raise BadLogin(f"its {key!r} is no text")
    return found


def _moment(written: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(written) if written else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo else None


def _unwritable(place: Path, error: OSError) -> Unavailable:
    return Unavailable(
        f"The login cannot be kept in {str(place)!r}: {error.strerror}.",
        hint="Make the directory writable for you.",
    )
