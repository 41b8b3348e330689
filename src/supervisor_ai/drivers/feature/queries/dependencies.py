"""What the code of a feature says about what depends on what."""

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.feature.plan.detection import (
    DetectedDependencies,
    FoundImport,
    claimed_files,
    detect,
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
    return detect(feature, owners, imports)
