"""Texts that come again and again, such as the files of a plan, are redacted once."""

from collections import OrderedDict
from hashlib import sha256
from typing import Final

from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.engine.ports.redaction import RedactionStream, Redactor

_TEXTS: Final = 1024
_LENGTH: Final = 1 << 16


class RememberedRedactor:
    """A redactor that remembers what it made of short texts, and not the texts themselves."""

    def __init__(self, redactor: Redactor, *, texts: int = _TEXTS, length: int = _LENGTH) -> None:
        self._redactor = redactor
        self._texts = texts
        self._length = length
        self._made: OrderedDict[bytes, Redacted] = OrderedDict()

    def redact(self, text: str) -> Redacted:
        """Take the secrets out of a text."""
        if len(text) > self._length:
            return self._redactor.redact(text)
        name = sha256(text.encode(errors="surrogatepass")).digest()
        made = self._made.pop(name, None) or self._redactor.redact(text)
        self._made[name] = made
        if len(self._made) > self._texts:
            self._made.popitem(last=False)
        return made

    def stream(self) -> RedactionStream:
        """Begin with a text that comes in pieces."""
        return self._redactor.stream()
