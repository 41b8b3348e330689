"""Where definitions come from, and how far the user trusts them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """A setting of the project that widens what runs on the user's machine may do."""

    file: str
    line: int
    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A definition, ready to be pinned, and what the project asks the user to trust."""

    definition: Definition
    powers: tuple[Power, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowSummary:
    """A workflow as lists show it."""

    name: str
    description: str
    origin: str


class Catalog(Protocol):
    """Definitions of the package, the user and the project at one commit."""

    def load(self, commit: CommitSha, *, workflow: str | None, cli: str | None) -> Loaded:
        """Resolve a workflow (None: the configured one) and everything it names.

        Raises InvalidInput with every mistake at once, each with file, line and key, and NotFound
        with the nearest name for an unknown workflow or CLI.
        """
        ...

    def workflows(self, commit: CommitSha) -> Sequence[WorkflowSummary]:
        """List the workflows that can be run."""
        ...

    def powers(self, commit: CommitSha) -> tuple[Power, ...]:
        """List what the project asks the user to trust, whatever the workflow."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustCheck:
    """What the user trusted before, against what the project asks now."""

    is_trusted: bool
    added: tuple[Power, ...]
    removed: tuple[Power, ...]


class TrustStore(Protocol):
    """The user's word, kept in the user's directory and void on change."""

    def check(self, project: Path, powers: tuple[Power, ...]) -> TrustCheck:
        """Compare what the project asks with what the user agreed to."""
        ...

    def grant(self, project: Path, powers: tuple[Power, ...]) -> None:
        """Keep the user's agreement to exactly these."""
        ...
