"""Domain objects as artifacts and as bytes."""

from collections.abc import Hashable
from functools import lru_cache
from typing import Final, TypeVar, cast

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.store.shapes import from_json, to_json

T = TypeVar("T")
_MOST_KEPT: Final = 8
"""Definitions that runs of one process were pinned to lately."""


class ArtifactDocuments:
    """Keeps domain objects as JSON artifacts."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts

    def save(self, document: object) -> ArtifactHash:
        """Keep a domain object in canonical form."""
        return self._artifacts.put(self.encode(document).decode())

    def load(self, artifact: ArtifactHash, kind: type[T]) -> T:
        """Return the domain object; one that was loaded just now is not decoded again."""
        found = _kept(self._artifacts.get(artifact), cast("Hashable", kind))
        return cast("T", found)

    def encode(self, document: object) -> bytes:
        """Return a domain object in canonical form; order of mappings included."""
        return to_json(document)

    def decode(self, encoded: bytes, kind: type[T]) -> T:
        """Return the domain object that was encoded."""
        return from_json(encoded, kind)


@lru_cache(maxsize=_MOST_KEPT)
def _kept(text: str, kind: type[object]) -> object:
    # Domain objects never change, so that those who load one can share it.
    return from_json(text, kind)
