"""What the code of a feature says about what depends on what."""

from typing import TypeVar

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.detection import (
    DetectedDependencies,
    DetectedEdge,
    FoundImport,
    UnconfirmedImport,
    claimed_files,
    detect,
    module_of,
    quoted,
)
from supervisor_ai.drivers.feature.plan.model import Feature
from supervisor_ai.drivers.feature.ports import ImportReader


def detected(reader: ImportReader, feature: Feature, commit: CommitSha) -> DetectedDependencies:
    """Read what the files of components import in a commit, and hold it against the plan."""
    present = reader.paths(commit)
    owners = claimed_files(feature, present)
    wanted = [path for path in present if path in owners]
    imports = {
        file: [
            FoundImport(name=name, files=files, is_external=external)
            for name, files, external in found
        ]
        for file, found in reader.imports(commit, wanted, tuple(owners)).items()
    }
    found = detect(feature, owners, imports)
    return DetectedDependencies(
        edges=tuple(_as_it_stands(reader, commit, it) for it in found.edges),
        unconfirmed=tuple(_as_it_stands(reader, commit, it) for it in found.unconfirmed),
    )


_Found = TypeVar("_Found", DetectedEdge, UnconfirmedImport)


def _as_it_stands(reader: ImportReader, commit: CommitSha, found: _Found) -> _Found:
    """Quote an import as its file has it, where its language leaves that to who writes it."""
    name = module_of(found.statement)
    said = None if name is None else quoted(reader.text(commit, found.file), name)
    return found if said is None else replace(found, statement=said)
