"""What the user agreed to, by repository: one file each in the user's own directory."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.control.ports.ledger_binding import Home
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.file_lock import held

_FOLDER: Final = "projects"


class Grant(Struct, frozen=True, kw_only=True):
    """What the user agreed to of a project's settings."""

    sha256: str
    powers: tuple[Power, ...]


class Agreement(Struct, frozen=True, kw_only=True):
    """The user's word on one repository at one place."""

    ledger: int | None = None
    """The number of the ledger that belongs to it."""
    grant: Grant | None = None
    pinned: tuple[str, ...] = ()
    """What runs were started with, by hash."""


NOTHING: Final = Agreement()
Places = dict[str, Agreement]


class Agreements:
    """The user's word on one repository, which is known by its mark and by its place.

    A mark alone is copied with its repository, and a place alone can get another repository.
    """

    def __init__(self, user_directory: Path, home: Home) -> None:
        self._directory = user_directory / _FOLDER
        self._home = home

    def read(self) -> Agreement:
        """Return what was agreed to; nothing where the repository is not known."""
        mark = self._home.mark()
        return NOTHING if mark is None else self._load(mark).get(self._home.place, NOTHING)

    def change(self, alter: Callable[[Agreement], Agreement]) -> None:
        """Keep another word than before."""
        mark = self._home.make_mark()
        file = self._file(mark)
        try:
            with self._alone():
                places = self._load(mark)
                before = places.get(self._home.place, NOTHING)
                after = alter(before)
                if after != before:
                    self._write(file, {**places, self._home.place: after})
        except OSError as error:
            raise Unavailable(
                f"The agreement could not be kept in {str(file)!r}: {error.strerror}."
            ) from error

    def bound(self) -> int | None:
        """Return the number of the repository's ledger, or None."""
        return self.read().ledger

    def elsewhere(self) -> tuple[str, ...]:
        """Return where else the user met a repository with the same mark."""
        mark = self._home.mark()
        places = {} if mark is None else self._load(mark)
        return tuple(sorted(set(places) - {self._home.place}))

    def bind(self, number: int | None) -> None:
        """Keep the number of the repository's ledger; None takes the word back."""
        self.change(lambda agreement: replace(agreement, ledger=number))

    def _file(self, mark: str) -> Path:
        return self._directory / f"{mark}.json"

    def _load(self, mark: str) -> Places:
        file = self._file(mark)
        try:
            return msgspec.json.decode(file.read_bytes(), type=Places)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise Unavailable(f"{str(file)!r} cannot be read: {error.strerror}.") from error
        except msgspec.MsgspecError as error:
            raise InvalidInput(
                f"{str(file)!r} does not hold what was trusted before: {error}.",
                hint="Remove the file and run `supervisor trust` again.",
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from writing: a word must not get lost between two of them."""
        for directory in (self._directory.parent, self._directory):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with held(os.open(self._directory, os.O_RDONLY | os.O_CLOEXEC)):
            yield

    def _write(self, path: Path, places: Places) -> None:
        handle, name = tempfile.mkstemp(dir=self._directory, prefix=f"{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(places)))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
