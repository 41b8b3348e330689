"""From where a feature took the files of another repository."""

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha


class ProjectOrigin(Struct, frozen=True, kw_only=True):
    """Where another repository stood when a feature took its files."""

    project: str
    place: str
    """Where its files lie while the feature is built."""
    repository: str
    """Its top directory."""
    branch: str
    sha: CommitSha
