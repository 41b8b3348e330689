"""Port of project detection: languages, frameworks, gates and packs that a project's files show."""

import shlex
from typing import Final

from msgspec import Struct, field

_IMPORTED: Final = "PYTHONPATH"
_SEPARATOR: Final = ":"


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
    environment: dict[str, str] = field(default_factory=dict)


class DetectedGate(Struct, frozen=True, kw_only=True):
    """A gate as it is written into the config, and other commands that would do as well."""

    name: str
    command: tuple[str, ...]
    evidence: tuple[ManifestEvidence, ...]
    environment: dict[str, str] = field(default_factory=dict)
    others: tuple[GateSuggestion, ...] = ()
    parts: tuple[str, ...] = ()
    """The gates that it stands for, where the parts of a project have their own."""


class WorkspaceWay(Struct, frozen=True, kw_only=True):
    """One way in which a workspace gets what the project needs, and the gates as they are there."""

    gates: tuple[DetectedGate, ...]
    setup: tuple[str, ...] = ()
    egress: tuple[str, ...] = ()
    cache_key: tuple[str, ...] = ()
    cache_paths: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    """The package caches of the machine that are shown."""
    include: tuple[str, ...] = ()
    """Ignored files of the checkout that every workspace gets a copy of."""
    needs: tuple[str, ...] = ()
    """Programs without which it cannot work, and directories of the checkout (`./NAME`)."""


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
    """The gates of the first way."""
    ways: tuple[WorkspaceWay, ...]
    """The ways in which they may work, the simplest first."""
    packs: tuple[PackAdvice, ...]
    agents: tuple[str, ...]
    """The agents that are installed, the first choice first."""
    cautions: tuple[str, ...]
    """What is not in a workspace as people expect it."""
    unread: tuple[str, ...]
    """Manifests that were too large, too many, or no plain files."""


def all_of(name: str, parts: tuple[DetectedGate, ...]) -> DetectedGate:
    """Let one gate stand for the parts of a project that has none at its top."""
    environment: dict[str, str] = {}
    for part in parts:
        for variable, value in part.environment.items():
            known = environment.get(variable, "").split(_SEPARATOR)
            paths = (*known, *value.split(_SEPARATOR)) if variable == _IMPORTED else (value,)
            environment[variable] = _SEPARATOR.join(dict.fromkeys(filter(None, paths)))
    return DetectedGate(
        name=name,
        command=("sh", "-c", " && ".join(shlex.join(part.command) for part in parts)),
        environment=environment,
        evidence=tuple(evidence for part in parts for evidence in part.evidence),
        parts=tuple(part.name for part in parts),
    )
