"""What was put in where, and what was there before: kept in the user's own directory."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from supervisor_ai.control.ports.agent_installation import InstallationScope
from supervisor_ai.domain.errors import Busy, InvalidInput, Unavailable
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.tools.file_lock import held

_FOLDER: Final = "agents"
_PATIENCE: Final = 30.0
_KEPT: Final = "kept"


class KeptEntry(Struct, frozen=True, kw_only=True):
    """The entry that is ours in a file that is not, and what stood in its place."""

    keys: tuple[str, str]
    value: object
    before: object | None = None


class KeptFile(Struct, frozen=True, kw_only=True):
    """A file that was written or changed; texts are named by their hashes."""

    path: str
    before: str | None
    written: tuple[str, ...]
    """What we wrote, the newest last; while files are written, also what we wrote the last time."""
    entry: KeptEntry | None = None
    more: tuple[KeptEntry, ...] = ()
    """Our other entries of the same file."""
    directories: tuple[str, ...] = ()
    """Those that were made for it, the outermost first."""

    @property
    def entries(self) -> tuple[KeptEntry, ...]:
        """Return our entries of a file that is not ours; none where it is."""
        return () if self.entry is None else (self.entry, *self.more)


class Receipt(Struct, frozen=True, kw_only=True):
    """One installation."""

    agent: str
    scope: InstallationScope
    directory: str
    role: MemberRole
    session: str | None
    files: tuple[KeptFile, ...]
    member: str | None = None

    def file(self, path: str) -> KeptFile | None:
        """Return what is known of a file."""
        return next((it for it in self.files if it.path == path), None)


def text_hash(text: str) -> str:
    """Name a text by its content."""
    return sha256(text.encode()).hexdigest()


class Receipts:
    """All receipts of a user."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / _FOLDER

    def find(self, agent: str, scope: InstallationScope, directory: Path) -> Receipt | None:
        """Return what was put in at a place, None where that is nothing."""
        path = self._path(agent, scope, str(directory))
        return _read(path) if path.exists() else None

    def all(self) -> Iterator[Receipt]:
        """Yield every receipt, in an order that stays."""
        yield from map(_read, sorted(self._directory.glob("*.json")))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only one of all processes that changes files of agents."""
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            directory = os.open(self._directory, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise _unkept(self._directory, error) from error
        with held(directory, patience=_PATIENCE) as is_mine:
            if not is_mine:
                raise Busy("Another process changes files of agents. Nothing was touched.")
            yield

    def keep_text(self, text: str) -> None:
        """Keep what was in a file, for this user alone: it may hold keys."""
        self._write(self.text_path(text_hash(text)), text.encode())

    def text(self, name: str) -> str:
        """Return a text that was kept."""
        try:
            return self.text_path(name).read_bytes().decode()
        except OSError as error:
            raise Unavailable(
                f"What was there before is not in {str(self.text_path(name))!r} any more.",
                hint="Take our entry, or our file, out by hand.",
            ) from error

    def text_path(self, name: str) -> Path:
        """Say where a text is kept."""
        return self._directory / _KEPT / name

    def keep(self, receipt: Receipt) -> None:
        """Keep a receipt in the place of an older one."""
        path = self._path(receipt.agent, receipt.scope, receipt.directory)
        self._write(path, msgspec.json.format(msgspec.json.encode(receipt)) + b"\n")

    def forget(self, receipt: Receipt) -> None:
        """Forget a receipt, and the texts that no other one names."""
        self._path(receipt.agent, receipt.scope, receipt.directory).unlink(missing_ok=True)
        needed = {file.before for other in self.all() for file in other.files}
        for file in receipt.files:
            if file.before is not None and file.before not in needed:
                self.text_path(file.before).unlink(missing_ok=True)

    def _path(self, agent: str, scope: InstallationScope, directory: str) -> Path:
        place = sha256(directory.encode(errors="surrogateescape")).hexdigest()[:16]
        return self._directory / f"{agent}-{scope.value}-{place}.json"

    def _write(self, path: Path, content: bytes) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(path)
            finally:
                Path(name).unlink(missing_ok=True)
        except OSError as error:
            raise _unkept(path, error) from error


def _unkept(path: Path, error: OSError) -> Unavailable:
    return Unavailable(
        f"What was there before cannot be kept in {str(path)!r}: {error.strerror}.",
        hint="Make the directory writable for you; nothing was changed.",
    )


def _read(path: Path) -> Receipt:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Receipt)
    except (OSError, msgspec.MsgspecError) as error:
        raise InvalidInput(
            f"The file {str(path)!r} cannot be read: {error}.",
            hint="It says what was put into an agent's files: take that out by hand, and remove "
            "this file.",
        ) from error
