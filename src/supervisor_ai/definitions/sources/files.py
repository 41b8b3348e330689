"""Where definition files stand: in the package, in the user's directory, in a commit."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.definitions.sources.slice_words import slice_directories
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.workspaces import Repository

PROJECT_DIRECTORY: Final = ".supervisor"
BUILTIN_DIRECTORY: Final = Path(__file__).parent.parent / "builtin"


class Origin(StrEnum):
    """Whose word a definition is."""

    BUILT_IN = "built-in"
    USER = "user"
    PROJECT = "project"


class DefinitionSource(Protocol):
    """Definition files of one origin."""

    @property
    def origin(self) -> Origin:
        """Say whose files these are."""
        ...

    def label(self, path: str) -> str:
        """Name a file as messages do."""
        ...

    def read(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return a file's text, or None."""
        ...

    def read_script(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return the text of a file that a definition names, or None."""
        ...

    def names(self, directory: str) -> tuple[str, ...]:
        """List the files of a directory."""
        ...

    def paths(self) -> tuple[str, ...]:
        """List the files that somebody may have written as definitions."""
        ...

    def links(self) -> tuple[str, ...]:
        """List the links that stand among them and are not followed."""
        ...


class DirectorySource:
    """Definition files in a directory of the machine, or in several as if they were one."""

    def __init__(self, origin: Origin, directory: Path, *others: Path) -> None:
        self._origin = origin
        self._directory = directory
        self._others = others

    @property
    def origin(self) -> Origin:
        """Say whose files these are."""
        return self._origin

    def label(self, path: str) -> str:
        """Name a file by its full path; a file of the package by its place in there."""
        if self._origin is Origin.BUILT_IN:
            return f"{BUILTIN_DIRECTORY.name}/{path}"
        return str(self._directory / path)

    def read(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return a file's text, or None."""
        place = FilePlace(file=self.label(path))
        try:
            return self._file(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            mistakes.add(place, f"is not UTF-8 text: {error.reason} at byte {error.start}")
        except OSError as error:
            mistakes.add(place, f"cannot be read: {error.strerror}")
        return None

    def read_script(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return a file that is named relative to the directory or absolutely."""
        return self.read(path, mistakes)

    def names(self, directory: str) -> tuple[str, ...]:
        """List the files of a directory."""
        places = (place / directory for place in (self._directory, *self._others))
        return tuple(sorted({name for place in places for name in _files(place)}))

    def paths(self) -> tuple[str, ...]:
        """List the YAML files at the top; other programs keep other files beside them."""
        return tuple(name for name in self.names("") if name.endswith((".yaml", ".yml")))

    def links(self) -> tuple[str, ...]:
        """List none: on the machine itself links are followed."""
        return ()

    def _file(self, path: str) -> Path:
        """Find a file; one that is nowhere is missing in the first directory."""
        places = (place / path for place in (self._directory, *self._others))
        return next(filter(Path.exists, places), self._directory / path)


def package_source() -> DirectorySource:
    """Return the definitions that come with the package, those of its slices included."""
    return DirectorySource(Origin.BUILT_IN, BUILTIN_DIRECTORY, *slice_directories())


def _files(directory: Path) -> Iterator[str]:
    try:
        yield from (entry.name for entry in directory.iterdir() if entry.is_file())
    except FileNotFoundError:
        return
    except OSError as error:
        raise Unavailable(f"{str(directory)!r} cannot be read: {error.strerror}.") from error


class CommitSource:
    """Definition files of the project at one commit."""

    def __init__(self, repository: Repository, commit: CommitSha) -> None:
        self._repository = repository
        self._commit = commit
        self._listed: tuple[str, ...] | None = None

    @property
    def origin(self) -> Origin:
        """Say whose files these are."""
        return Origin.PROJECT

    def label(self, path: str) -> str:
        """Name a file by its path in the repository."""
        return f"{PROJECT_DIRECTORY}/{path}" if path else PROJECT_DIRECTORY

    def read(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return a file's text, or None; a link, which is not listed, is read as what it says."""
        return self._read(self.label(path), mistakes)

    def read_script(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return a file that is named relative to the top of the repository."""
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts:
            return None
        return self._read(str(pure), mistakes)

    def names(self, directory: str) -> tuple[str, ...]:
        """List the files of a directory."""
        prefix = f"{directory}/"
        below = (path.removeprefix(prefix) for path in self.paths() if path.startswith(prefix))
        return tuple(sorted(name for name in below if "/" not in name))

    def paths(self) -> tuple[str, ...]:
        """List all files of the project's directory; a commit is asked once."""
        if self._listed is None:
            below = self._repository.list(self._commit, PROJECT_DIRECTORY)
            start = f"{PROJECT_DIRECTORY}/"
            self._listed = tuple(sorted(path.removeprefix(start) for path in below))
        return self._listed

    def links(self) -> tuple[str, ...]:
        """List the links of the project's directory; the directory itself is an empty name."""
        found = self._repository.links(self._commit, PROJECT_DIRECTORY)
        return tuple(sorted(path.removeprefix(PROJECT_DIRECTORY).lstrip("/") for path in found))

    def _read(self, path: str, mistakes: FileMistakes) -> str | None:
        try:
            return self._repository.read(self._commit, path)
        except InvalidInput as error:
            mistakes.add(FilePlace(file=path), f"cannot be read: {error.message}")
            return None
