"""Redaction of a text that somebody brings: secrets taken out and counted."""

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from secrets import token_bytes
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.redaction.redacted import SecretFinding
from supervisor_ai.domain.redaction.redactor import RuleRedactor

LISTED: Final = 1000
"""How many findings are listed; all of them are counted."""

_UTF_16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BOM: Final = 2


class RedactionReport(Struct, frozen=True, kw_only=True):
    """What was found in a text, and never the secrets themselves."""

    findings: tuple[SecretFinding, ...]
    counts: Mapping[str, int]
    """How many of each rule."""
    total: int
    truncated: bool


class Redaction:
    """One text on its way: bytes go in, bytes without secrets come out.

    UTF-16 is known by its mark; everything else is taken for UTF-8, and bytes that are not come out
    as they went in.
    """

    def __init__(self) -> None:
        self._findings: list[SecretFinding] = []
        self._counts: Counter[str] = Counter()
        self._encoding = "utf-8"

    def redact(self, pieces: Iterable[bytes]) -> Iterator[str]:
        """Yield what is safe to pass on, piece by piece."""
        stream = RuleRedactor(key=token_bytes()).stream(self._note)
        for text in self._decoded(pieces):
            yield stream.feed(text)
        yield stream.close()

    def encode(self, text: str) -> bytes:
        """Return a text in bytes as it came."""
        return text.encode(self._encoding, errors=self._errors)

    @property
    def _errors(self) -> str:
        return "surrogateescape" if self._encoding == "utf-8" else "replace"

    @property
    def report(self) -> RedactionReport:
        """Return what was found so far."""
        total = self._counts.total()
        return RedactionReport(
            findings=tuple(sorted(self._findings, key=lambda it: (it.line, it.column))),
            counts=dict(sorted(self._counts.items())),
            total=total,
            truncated=total > len(self._findings),
        )

    def add(self, findings: Iterable[SecretFinding]) -> None:
        """Take in what somebody else has found."""
        for finding in findings:
            self._note(finding)

    def _note(self, finding: SecretFinding) -> None:
        self._counts[finding.rule] += 1
        if len(self._findings) < LISTED:
            self._findings.append(finding)

    def _decoded(self, pieces: Iterable[bytes]) -> Iterator[str]:
        rest = iter(pieces)
        head = b""
        while len(head) < _BOM and (piece := next(rest, b"")):
            head += piece
        self._encoding = _UTF_16.get(head[:_BOM], "utf-8")
        decoder = codecs.getincrementaldecoder(self._encoding)(errors=self._errors)
        yield decoder.decode(head)
        for piece in rest:
            yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)
