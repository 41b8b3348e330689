"""The facts of the project's stream: what crosses runs."""

from dataclasses import dataclass

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitTaken(Event):
    """A run holds a place."""

    permit: str
    run: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitFreed(Event):
    """The place is free again."""

    permit: str
    run: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactErased(Event):
    """A text that should not have been kept was removed for ever."""

    artifact: ArtifactHash
    reason: ArtifactHash | None


ProjectEvent = PermitTaken | PermitFreed | ArtifactErased
