"""Facts of the project stream that change no state which runs share."""

from dataclasses import dataclass

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactErased(Event):
    """A text that should not have been kept was removed for ever."""

    artifact: ArtifactHash
    reason: ArtifactHash | None
