"""Where in a text a secret stood, while the text comes in parts and marks take its place."""

from bisect import bisect_right
from collections.abc import Sequence

from supervisor_ai.domain.redaction.redacted import SecretFinding
from supervisor_ai.domain.redaction.rule import FoundSecret


class Position:
    """The place up to which a text was passed over."""

    def __init__(self) -> None:
        self._lines = 0
        self._columns = 0

    def pass_over(self, text: str) -> None:
        """Move to the end of the next piece."""
        self._lines, self._columns = self._after(text)

    def finding(self, rule: str, text: str, at: int) -> SecretFinding:
        """Say where something stands in the piece that comes next."""
        lines, columns = self._after(text[:at])
        return SecretFinding(rule=rule, line=lines + 1, column=columns + 1)

    def _after(self, text: str) -> tuple[int, int]:
        lines = text.count("\n")
        columns = len(text) - (text.rfind("\n") + 1)
        return self._lines + lines, columns if lines else self._columns + columns


class Shifts:
    """Leads from a place in a text with marks back to the same place in the text without them."""

    def __init__(self) -> None:
        self._rounds: list[list[tuple[int, int]]] = []

    def add(self, secrets: Sequence[FoundSecret], marks: Sequence[str]) -> None:
        """Take note that marks were put in the place of secrets."""
        ends = []
        shift = 0
        for secret, mark in zip(secrets, marks, strict=True):
            shift += secret.end - secret.start - len(mark)
            ends.append((secret.end - shift, shift))
        self._rounds.append(ends)

    def origin(self, at: int) -> int:
        """Return where a place was before all marks."""
        for ends in reversed(self._rounds):
            index = bisect_right(ends, at, key=lambda end: end[0]) - 1
            at += ends[index][1] if index >= 0 else 0
        return at
