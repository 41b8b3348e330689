"""Taking secrets out of text before anything is stored or shown."""

from typing import Protocol

from supervisor_ai.domain.redaction.redacted import Redacted


class RedactionStream(Protocol):
    """Redacts text that comes in pieces; a secret across two pieces is found too."""

    @property
    def count(self) -> int:
        """Return how many secrets were taken out so far."""
        ...

    def feed(self, text: str) -> str:
        """Take a piece; return what is safe to pass on now."""
        ...

    def close(self) -> str:
        """Return the rest."""
        ...


class Redactor(Protocol):
    """Knows what secrets look like."""

    def redact(self, text: str) -> Redacted:
        """Take the secrets out of a text."""
        ...

    def stream(self) -> RedactionStream:
        """Begin with a text that comes in pieces."""
        ...
