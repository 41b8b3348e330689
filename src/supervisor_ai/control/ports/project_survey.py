"""Port of project detection: languages, frameworks, gates and packs that a project's files show."""

from msgspec import Struct


class ManifestEvidence(Struct, frozen=True, kw_only=True):
    """A file of the project, and the line or the key in it."""

    file: str
    line: int | None = None
    key: str = ""

    @property
    def text(self) -> str:
        """Write the place as messages do."""
        line = f":{self.line}" if self.line is not None else ""
        return f"{self.file}{line}{f': {self.key}' if self.key else ''}"


class GateSuggestion(Struct, frozen=True, kw_only=True):
    """A command, and what speaks for it."""

    command: tuple[str, ...]
    directory: str
    evidence: ManifestEvidence


class DetectedGate(Struct, frozen=True, kw_only=True):
    """A gate as it is written into the config, and other commands that would do as well."""

    name: str
    command: tuple[str, ...]
    evidence: tuple[ManifestEvidence, ...]
    others: tuple[GateSuggestion, ...] = ()


class Detected(Struct, frozen=True, kw_only=True):
    """A language, a framework, a service or a package manager."""

    name: str
    evidence: tuple[ManifestEvidence, ...]
    files: int | None = None


class PackAdvice(Struct, frozen=True, kw_only=True):
    """A pack, whether it suits the project, and why or why not."""

    name: str
    title: str
    roles: tuple[str, ...]
    is_suggested: bool
    reason: str


class ProjectSurvey(Struct, frozen=True, kw_only=True):
    """Everything that was recognised."""

    languages: tuple[Detected, ...]
    frameworks: tuple[Detected, ...]
    services: tuple[Detected, ...]
    installers: tuple[Detected, ...]
    gates: tuple[DetectedGate, ...]
    packs: tuple[PackAdvice, ...]
    agents: tuple[str, ...]
    """The agents that are installed, the first choice first."""
    unread: tuple[str, ...]
    """Manifests that were too large, too many, or no plain files."""
