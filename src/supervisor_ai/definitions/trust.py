"""The user's word on what a project may do, kept in the user's directory."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.engine.ports.definitions import Power, TrustCheck

_FILE: Final = "trust.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What the user agreed to for one project."""

    sha256: str
    powers: tuple[Power, ...]


class FileTrustStore:
    """Keeps, per project, a hash of what the user agreed to; any change makes it void."""

    def __init__(self, user_directory: Path) -> None:
        self._file = user_directory / _FILE

    def check(self, project: Path, powers: tuple[Power, ...]) -> TrustCheck:
        """Compare what the project asks with what the user agreed to."""
        if not powers:
            return TrustCheck(is_trusted=True, added=(), removed=())
        grant = self._read().get(str(project))
        before = _by_identity(grant.powers if grant else ())
        now = _by_identity(powers)
        return TrustCheck(
            is_trusted=grant is not None and grant.sha256 == _digest(powers),
            added=tuple(power for key, power in now.items() if key not in before),
            removed=tuple(power for key, power in before.items() if key not in now),
        )

    def grant(self, project: Path, powers: tuple[Power, ...]) -> None:
        """Keep the user's agreement to exactly these."""
        grants = {**self._read(), str(project): Grant(sha256=_digest(powers), powers=powers)}
        try:
            self._write(msgspec.json.format(msgspec.json.encode(grants)))
        except OSError as error:
            raise Unavailable(
                f"The agreement could not be kept in {str(self._file)!r}: {error.strerror}."
            ) from error

    def _read(self) -> dict[str, Grant]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, Grant])
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise Unavailable(f"{str(self._file)!r} cannot be read: {error.strerror}.") from error
        except msgspec.MsgspecError as error:
            raise InvalidInput(
                f"{str(self._file)!r} does not hold what was trusted before: {error}.",
                hint="Remove the file and run `supervisor trust` again.",
            ) from error

    def _write(self, content: bytes) -> None:
        directory = self._file.parent
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=directory, prefix=_FILE)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._file)
        finally:
            temporary.unlink(missing_ok=True)


def _identity(power: Power) -> tuple[str, str, str]:
    """Tell powers apart; a line that moved is no other power."""
    return (power.file, power.key, power.value)


def _by_identity(powers: Iterable[Power]) -> dict[tuple[str, str, str], Power]:
    return {_identity(power): power for power in powers}


def _digest(powers: Iterable[Power]) -> str:
    canonical = json.dumps(sorted(_by_identity(powers)))
    return hashlib.sha256(canonical.encode()).hexdigest()
