"""Domain objects as artifacts and as bytes."""

from typing import TypeVar

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.store.shapes import from_json, to_json

T = TypeVar("T")


class ArtifactDocuments:
    """Keeps domain objects as JSON artifacts."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts

    def save(self, document: object) -> ArtifactHash:
        """Keep a domain object in canonical form."""
        return self._artifacts.put(self.encode(document).decode())

    def load(self, artifact: ArtifactHash, kind: type[T]) -> T:
        """Return the domain object."""
        return self.decode(self._artifacts.get(artifact).encode(), kind)

    def encode(self, document: object) -> bytes:
        """Return a domain object in canonical form; order of mappings included."""
        return to_json(document)

    def decode(self, encoded: bytes, kind: type[T]) -> T:
        """Return the domain object that was encoded."""
        return from_json(encoded, kind)
