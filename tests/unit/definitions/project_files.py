"""A project that exists as a few texts only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from supervisor_ai.domain.ids import CommitSha

NOWHERE = Path("/nonexistent")
COMMIT = CommitSha("0123456789abcdef0123456789abcdef01234567")
CONFIG = ".supervisor/config.yaml"


@dataclass
class ProjectFiles:
    """A project as the catalogue sees it."""

    files: Mapping[str, str]
    root: Path = field(default=NOWHERE)

    def read(self, commit: CommitSha, path: str) -> str | None:
        assert commit == COMMIT
        return self.files.get(path)

    def list(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        assert commit == COMMIT
        return tuple(path for path in self.files if path.startswith(f"{directory}/"))

    def links(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        assert commit == COMMIT
        del directory
        return ()
