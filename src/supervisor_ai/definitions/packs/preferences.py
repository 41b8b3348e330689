"""Which sources of packs the user knows, and whose signature an index must have."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct
from pydantic import Field

from supervisor_ai.definitions.overlay.layers import fit
from supervisor_ai.definitions.packs.git_archive import GitRunner
from supervisor_ai.definitions.packs.installer import REGISTRY, FilePackInstaller
from supervisor_ai.definitions.packs.sources import PackSources
from supervisor_ai.definitions.schema.base import FileShape, HostPath, Text
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import read_yaml
from supervisor_ai.domain.errors import InvalidInput

_FILE: Final = "packs.yaml"


class PreferencesShape(FileShape):
    """`packs.yaml` in the user's directory."""

    sources: list[Text] = Field(default_factory=list)
    registry: Text | None = None
    allowed_signers: HostPath | None = None


class Preferences(Struct, frozen=True, kw_only=True):
    """What the user says about packs."""

    sources: tuple[str, ...] = ()
    registry: str = REGISTRY
    signers: Path | None = None


def read_preferences(user_directory: Path) -> Preferences:
    """Read the user's file; where there is none, no source is known."""
    file, mistakes = user_directory / _FILE, FileMistakes()
    try:
        document = read_yaml(str(file), file.read_text(encoding="utf-8"), mistakes)
    except FileNotFoundError:
        return Preferences()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {error}.") from error
    value = None if document is None else document.value or {}
    fitted = None if document is None else fit(value, PreferencesShape, document, mistakes)
    if mistakes or fitted is None:
        raise mistakes.error()
    shape = fitted.shape
    signers = None if shape.allowed_signers is None else Path(shape.allowed_signers)
    registry = shape.registry or REGISTRY
    return Preferences(sources=tuple(shape.sources), registry=registry, signers=signers)


@contextmanager
def open_shop(directory: Path, git: GitRunner, *, own: Path) -> Iterator[FilePackInstaller]:
    """Open a place for packs as the user prefers it; what is fetched meanwhile goes at the end."""
    preferences = read_preferences(own)
    with TemporaryDirectory(prefix="supervisor-") as fetched:
        yield FilePackInstaller(
            directory=directory,
            sources=PackSources(place=Path(fetched), git=git, signers=preferences.signers),
            known=preferences.sources,
            registry=preferences.registry,
        )
