"""A ready-made world in memory: drive runs of your plug-in without git, sandbox or disk."""

from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.engine.ports.workers import PromptRequest


class PlainPrompter:
    """Writes prompts that hold everything a worker is told, one line each."""

    def write(self, request: PromptRequest) -> str:
        """Return what the worker is told."""
        told = (*request.feedback, *request.context)
        lines = [request.role.name, request.task, *(f"{at.source}: {at.text}" for at in told)]
        return "\n".join(lines if request.diff is None else [*lines, request.diff])


class NoSecrets:
    """A redactor for worlds without secrets: it passes everything on."""

    count = 0

    def redact(self, text: str) -> Redacted:
        """Return the text as it is."""
        return Redacted(text=text, count=0)

    def stream(self) -> "NoSecrets":
        """Begin with a text that comes in pieces."""
        return self

    def feed(self, text: str) -> str:
        """Pass a piece on."""
        return text

    def close(self) -> str:
        """Return the rest: nothing is ever held back."""
        return ""
