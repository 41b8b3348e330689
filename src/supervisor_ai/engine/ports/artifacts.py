"""Large things beside the ledger: content-addressed, redacted before they are written."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from supervisor_ai.domain.ids import ArtifactHash

T = TypeVar("T")


class ArtifactWriter(Protocol):
    """An artifact that grows; its name is known when it is finished."""

    def write(self, text: str) -> None:
        """Add text."""
        ...

    def finish(self) -> ArtifactHash:
        """Sync it to disk and name it by its content."""
        ...

    def abandon(self) -> None:
        """Forget what was written; harmless after `finish`."""
        ...


class Artifacts(Protocol):
    """The store of large things."""

    def put(self, text: str) -> ArtifactHash:
        """Keep a text, synced to disk before the name is returned."""
        ...

    def put_all(self, texts: Sequence[str]) -> tuple[ArtifactHash, ...]:
        """Keep many texts, all synced to disk before their names are returned."""
        ...

    def get(self, artifact: ArtifactHash) -> str:
        """Return the text.

        Raises NotFound when it never existed or was erased.
        """
        ...

    def writer(self) -> ArtifactWriter:
        """Begin an artifact whose content comes piece by piece."""
        ...

    def erase(self, artifact: ArtifactHash) -> None:
        """Remove the content for ever; the name stays known as erased."""
        ...


class Documents(Protocol):
    """Domain objects kept as artifacts: definitions that runs pin."""

    def save(self, document: object) -> ArtifactHash:
        """Keep a domain object in canonical form."""
        ...

    def load(self, artifact: ArtifactHash, kind: type[T]) -> T:
        """Return the domain object."""
        ...

    def encode(self, document: object) -> bytes:
        """Return a domain object in canonical form."""
        ...

    def decode(self, encoded: bytes, kind: type[T]) -> T:
        """Return the domain object that was encoded."""
        ...
