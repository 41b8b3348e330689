"""The redactor that knows secrets by rules."""

from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.domain.redaction.stream import RuleStream


class RuleRedactor:
    """Takes out what the rules know: keys, tokens, passwords and the bodies of private keys."""

    def redact(self, text: str) -> Redacted:
        """Take the secrets out of a text."""
        stream = self.stream()
        redacted = stream.feed(text) + stream.close()
        return Redacted(text=redacted, count=stream.count)

    def stream(self) -> RuleStream:
        """Begin with a text that comes in pieces."""
        return RuleStream()
