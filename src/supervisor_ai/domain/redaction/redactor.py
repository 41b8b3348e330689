"""The redactor that knows secrets by rules."""

from supervisor_ai.domain.redaction.redacted import Marker, Redacted
from supervisor_ai.domain.redaction.rules import RULE_BOOK, RuleBook
from supervisor_ai.domain.redaction.stream import Report, RuleStream, ignore


class RuleRedactor:
    """Takes out what the rules know: keys, tokens, passwords and the bodies of private keys.

    Given a key, it tags the marks: the same secret has the same tag for as long as the key lives.
    The key must come from chance and be kept nowhere, or a tag could confirm a guess.
    """

    def __init__(self, *, key: bytes | None = None, rules: RuleBook = RULE_BOOK) -> None:
        self._marker = Marker(key)
        self._rules = rules

    def redact(self, text: str) -> Redacted:
        """Take the secrets out of a text."""
        stream = self.stream()
        redacted = stream.feed(text) + stream.close()
        return Redacted(text=redacted, count=stream.count)

    def stream(self, report: Report = ignore) -> RuleStream:
        """Begin with a text that comes in pieces; every secret found is reported."""
        return RuleStream(rules=self._rules, marker=self._marker, report=report)
