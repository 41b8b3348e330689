"""Redaction of text that comes in pieces: the same result wherever the pieces were cut."""

from typing import Final

from supervisor_ai.domain.redaction.places import LOOK_BACK
from supervisor_ai.domain.redaction.private_keys import PRIVATE_KEY, PrivateKeys, frame_reaches
from supervisor_ai.domain.redaction.redacted import mark
from supervisor_ai.domain.redaction.rule import Found
from supervisor_ai.domain.redaction.rules import find_secrets, merged

LONG_LINE: Final = 64 * 1024
"""A line of this length is not held back any longer, but redacted part by part."""

OVERLAP: Final = 16 * 1024
"""How much of a part is looked at again with the next; no pattern matches more."""


class RuleStream:
    """Holds back a line until its end is seen, and of a very long line its last part.

    How the text is divided depends on the text alone: into lines, and long lines into parts. So
    the pieces in which it happened to come cannot show in the result.
    """

    def __init__(self) -> None:
        self._held: list[str] = []
        self._size = 0
        self._before = ""
        self._keys = PrivateKeys()
        self._count = 0

    @property
    def count(self) -> int:
        """Return how many secrets were taken out so far."""
        return self._count + self._keys.count

    def feed(self, text: str) -> str:
        """Take a piece; return what is safe to pass on now."""
        self._held.append(text)
        self._size += len(text)
        if "\n" not in text and self._size < LONG_LINE:
            return ""
        return self._advance(is_last=False)

    def close(self) -> str:
        """Return the rest."""
        return self._advance(is_last=True)

    def _advance(self, *, is_last: bool) -> str:
        text = "".join(self._held)
        output = []
        at = 0
        while at < len(text):
            stop = text.rfind("\n", at, at + LONG_LINE) + 1
            is_long = not stop and len(text) - at >= LONG_LINE
            if not (stop or is_long or is_last):
                break
            part = text[at : at + LONG_LINE] if is_long else text[at : stop or len(text)]
            redacted, taken = self._redact(part, is_long=is_long)
            output.append(redacted)
            at += taken
        self._held = [text[at:]]
        self._size = len(text) - at
        return "".join(output)

    def _redact(self, part: str, *, is_long: bool) -> tuple[str, int]:
        """Return what becomes of the beginning of the part, and how much of it that is."""
        before = self._before
        text = before + part
        found = find_secrets(text, len(before))
        stop = _cut(text, found) if is_long else len(text)
        known = [secret for secret in found if secret.start < stop]
        secrets = merged([*known, *self._keys.find(text, len(before), stop)])
        self._before = text[max(0, stop - LOOK_BACK) : stop].rpartition("\n")[2]
        text = text[:stop]
        # A mark can end what had no end before, so that another look finds more.
        while secrets:
            self._count += sum(secret.rule != PRIVATE_KEY for secret in secrets)
            text = _replaced(text, secrets)
            secrets = find_secrets(text, len(before))
        return text[len(before) :], stop - len(before)


def _cut(text: str, found: list[Found]) -> int:
    """Choose where a long part ends: not where the overlap begins, if a secret stands there."""
    stop = len(text) - OVERLAP
    reaches = [(secret.first, secret.last) for secret in found]
    for first, last in sorted([*reaches, *frame_reaches(text)]):
        if first < stop < last:
            stop = last
    return stop


def _replaced(text: str, secrets: list[Found]) -> str:
    parts = []
    at = 0
    for secret in secrets:
        parts += [text[at : secret.start], mark(secret.rule)]
        at = secret.end
    return "".join([*parts, text[at:]])
