"""The texts beside the ledger: each that an event names is there as it was, or was erased."""

import os
import stat
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import file_digest
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from msgspec import Struct

from supervisor_ai.control.ports.queries import FaultKind, LedgerFault
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.store.checks.files import read_only
from supervisor_ai.store.files.artifacts import DRAFTS, artifact_path, tombstone

_RESTORE: Final = "Restore the file from a backup."
_SHOWN: Final = 20


class ArtifactCheck:
    """The directory of artifacts, beside the names that events and inbox commands have for them."""

    def __init__(
        self, directory: Path, named: Mapping[ArtifactHash, int | None], erased: set[ArtifactHash]
    ) -> None:
        self._directory = directory
        self._named = named
        self._erased = erased

    def faults(self) -> Iterator[LedgerFault]:
        """Name the artifacts that are not what their name says."""
        for artifact, seq in self._named.items():
            what = self._trouble(artifact)
            if what is not None:
                yield LedgerFault(
                    kind=FaultKind.ARTIFACT,
                    seq=seq,
                    where=f"artifact {artifact}",
                    message=f"Artifact {artifact!r} {what}.",
                    hint=_RESTORE,
                )

    def notes(self) -> Iterator[str]:
        """Tell of files that nothing in the ledger names."""
        known = {str(artifact_path(self._directory, it)) for it in self._named if _is_name(it)}
        strange = [path for path in _files(self._directory) if _owner(path) not in known]
        unnamed = [path for path in strange if _is_name(f"{path.parent.name}{path.name}")]
        if unnamed:
            yield (
                f"{len(unnamed)} artifacts are named by no event; "
                "a run that was killed leaves such, and so does an event that is gone."
            )
        for path in [path for path in strange if path not in unnamed][:_SHOWN]:
            yield f"The file {str(path)!r} is none of supervisor's."

    def _trouble(self, artifact: ArtifactHash) -> str | None:
        try:
            path = artifact_path(self._directory, artifact)
            return self._found(path, artifact)
        except (NotFound, FileNotFoundError):
            return None if artifact in self._erased else "is gone"
        except OSError as error:
            return f"cannot be read: {error.strerror}"

    def _found(self, path: Path, artifact: ArtifactHash) -> str | None:
        if any(place.is_symlink() for place in (self._directory, path.parent, path)):
            return "lies behind a symbolic link"
        if artifact not in self._erased and tombstone(path).exists():
            return "was erased, but no event says so"
        if not stat.S_ISREG(path.lstat().st_mode):
            return "is not a regular file"
        if artifact in self._erased:
            return "was erased, but is there again"
        with os.fdopen(read_only(path), "rb") as file:
            if file_digest(file, "sha256").hexdigest() == artifact:
                return None
        return f"is not what was stored: {str(path)!r} was changed"


def named_artifacts(value: object, hint: Any = None) -> Iterator[ArtifactHash]:  # noqa: ANN401
    """Find the names of artifacts in a fact or an inbox command, by the types of its fields."""
    members = [it for it in get_args(hint) if it is not NoneType]
    if hint is ArtifactHash or (ArtifactHash in members and isinstance(value, str)):
        yield ArtifactHash(str(value))
    elif isinstance(value, Struct):
        for name, inner in _hints(type(value)).items():
            yield from named_artifacts(getattr(value, name), inner)
    elif isinstance(value, tuple | list | frozenset):
        for it in value:
            yield from named_artifacts(it, members[0])
    elif isinstance(value, dict):
        for it in value.values():
            yield from named_artifacts(it, members[-1])


@cache
def _hints(kind: type[Struct]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__struct_fields__}


def _files(directory: Path) -> Iterator[Path]:
    for place, names, files in os.walk(directory):
        if DRAFTS in names and Path(place) == directory:
            names.remove(DRAFTS)
        yield from (Path(place, name) for name in files)


def _owner(path: Path) -> str:
    return str(path).removesuffix(".erased")


def _is_name(text: str) -> bool:
    try:
        artifact_path(Path(), ArtifactHash(text))
    except NotFound:
        return False
    return True
