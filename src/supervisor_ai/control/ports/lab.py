"""Port of the lab: a scripted model server for rehearsals, and the files that it reads."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.errors import SupervisorError

KeyPath = tuple[str | int, ...]


class CliPointer(Struct, frozen=True, kw_only=True):
    """What one CLI needs to find the lab: variables, arguments, a file of settings."""

    environment: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    settings: Mapping[str, str] | None = None


class ScriptFile(Protocol):
    """A script as a file says it."""

    @property
    def value(self) -> object:
        """Return what the file says, without a meaning."""
        ...

    def refuse(self, flaws: Iterable[tuple[KeyPath, str]], hint: str | None) -> SupervisorError:
        """Tell what is wrong with it, each with its file, line and key."""
        ...


class LabSession(Protocol):
    """The lab while it listens."""

    @property
    def url(self) -> str:
        """Tell where it is."""
        ...

    @property
    def requests(self) -> Sequence[object]:
        """List what was asked, oldest first."""
        ...


class Lab(Protocol):
    """Plays the part of a model as a script says."""

    def serve(
        self, script: Path, *, port: int, log: Path | None, tell: Callable[[str], None]
    ) -> AbstractContextManager[LabSession]:
        """Listen on this machine only; every request is told in one line, and added to the log."""
        ...

    def pointers(self, url: str) -> Mapping[str, CliPointer]:
        """Tell how each CLI is pointed at the lab."""
        ...

    def broker(self, url: str) -> str:
        """Write the part of the user's config that sends sandboxed workers to the lab."""
        ...

    def examples(self) -> Mapping[str, str]:
        """Name the scripts that are ready to be played, and what each is for."""
        ...

    def example(self, name: str) -> str:
        """Return the text of one; raises NotFound."""
        ...
