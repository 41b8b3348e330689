"""Redaction of text that comes in pieces: the same result wherever the pieces were cut."""

from collections.abc import Callable
from typing import Final

from supervisor_ai.domain.redaction.places import LONGEST_BELOW, LOOK_BACK, open_from
from supervisor_ai.domain.redaction.position import Position, Shifts
from supervisor_ai.domain.redaction.private_keys import (
    PRIVATE_KEY,
    WORDS_OF_FRAMES,
    PrivateKeys,
    frame_reaches,
)
from supervisor_ai.domain.redaction.redacted import WITHHELD, Marker, SecretFinding
from supervisor_ai.domain.redaction.rule import FoundSecret
from supervisor_ai.domain.redaction.rules import RULE_BOOK, RuleBook, merged

LONG_LINE: Final = 64 * 1024
"""A line of this length is not held back any longer, but redacted part by part."""

OVERLAP: Final = 16 * 1024
"""How much of a part is looked at again with the next; no pattern matches more."""

_MANY_LINES: Final = 512 * 1024
"""From so much on, to look at more lines at once saves nothing."""

_MOST_LOOKS: Final = 4
"""A line that shows one more secret at each look was made to take for ever; it is withheld."""

Report = Callable[[SecretFinding], None]
"""Is told of every secret where it stood."""


def ignore(finding: SecretFinding) -> None:
    """Want to know of no finding."""
    del finding


class RuleStream:
    """Holds back a line until its end is seen, and of a very long line its last part.

    How the text is divided depends on the text alone: into lines, and long lines into parts. So
    the pieces in which it happened to come cannot show in the result.
    """

    def __init__(
        self,
        *,
        rules: RuleBook = RULE_BOOK,
        marker: Marker | None = None,
        report: Report = ignore,
    ) -> None:
        self._rules = rules
        self._marker = marker or Marker()
        self._report = report
        self._held: list[str] = []
        self._size = 0
        self._before = ""
        self._position = Position()
        self._keys = PrivateKeys()
        self._count = 0
        self._is_withheld = False

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
            stop = _end_of_lines(text, at)
            is_long = not stop and len(text) - at >= LONG_LINE
            if not (stop or is_long or is_last):
                break
            part = text[at : at + LONG_LINE] if is_long else text[at : stop or len(text)]
            redacted, taken = self._redact_or_withhold(part, is_long=is_long)
            output.append(redacted)
            if self._report is not ignore:
                self._position.pass_over(text[at : at + taken])
            at += taken
        self._held = [text[at:]]
        self._size = len(text) - at
        return "".join(output)

    def _redact_or_withhold(self, part: str, *, is_long: bool) -> tuple[str, int]:
        """Redact a part; once this fails, hide it and all that follows but the ends of lines."""
        sign = ""
        if not self._is_withheld:
            try:
                return self._redact(part, is_long=is_long)
            except Exception:  # noqa: BLE001 - whatever a rule's bug raises, the text must not pass
                self._is_withheld = True
                self._count += 1
                self._report(self._position.finding(WITHHELD, "", 0))
                sign = Marker().mark(WITHHELD, "")
        return sign + "\n" * part.count("\n"), len(part)

    def _redact(self, part: str, *, is_long: bool) -> tuple[str, int]:
        """Return what becomes of the beginning of the part, and how much of it that is."""
        before = self._before
        text = before + part
        found, seen = self._rules.look(text, len(before))
        stop = _cut(text, found, seen) if is_long else len(text)
        known = [secret for secret in found if secret.start < stop]
        bodies, continued = self._key_bodies(text, len(before), stop, seen)
        self._before = text[max(0, stop - LOOK_BACK) : stop].rpartition("\n")[2]
        text = text[:stop]
        shifts, told = Shifts(), set[tuple[str, int]]()
        secrets = merged(known + bodies)
        looks = 1
        # A mark can end what had no end before, so that another look finds more.
        while secrets:
            self._count += sum(secret.rule != PRIVATE_KEY for secret in secrets)
            for secret in secrets if self._report is not ignore else ():
                place = secret.rule, shifts.origin(secret.start) - len(before)
                is_more = secret.rule == PRIVATE_KEY and secret.start in continued
                # A later look may find that a secret is longer than it seemed.
                if not is_more and place not in told:
                    told.add(place)
                    self._report(self._position.finding(secret.rule, part, place[1]))
            text = self._replaced(text, secrets, shifts)
            secrets = self._rules.find(text, len(before))
            looks += 1
            if looks > _MOST_LOOKS:
                secrets = _whole_lines(text, len(before), secrets)
        return text[len(before) :], stop - len(before)

    def _key_bodies(
        self, text: str, start: int, stop: int, seen: str
    ) -> tuple[list[FoundSecret], set[int]]:
        """Find the bodies of private keys, and where the lines begin that only continue one."""
        bodies, continued = [], set()
        count = self._keys.count
        for body in self._keys.find(text, start, stop, seen):
            if self._keys.count == count:
                continued.add(body.start)
            count = self._keys.count
            bodies.append(body)
        return bodies, continued

    def _replaced(self, text: str, secrets: list[FoundSecret], shifts: Shifts) -> str:
        parts = []
        at = 0
        for secret in secrets:
            mark = self._marker.mark(secret.rule, text[secret.start : secret.end])
            parts += [text[at : secret.start], mark]
            at = secret.end
        shifts.add(secrets, parts[1::2])
        return "".join([*parts, text[at:]])


def _end_of_lines(text: str, at: int) -> int:
    """Find where the last of many lines ends, none of which is long; 0: the first one is."""
    stop, most = 0, at + _MANY_LINES
    first = at
    while at < most and (end := text.rfind("\n", at, at + LONG_LINE) + 1):
        stop = at = end
    # What is held back is less than a long line, and a longer rest is no value of its name.
    is_held = stop and len(text) - stop <= LONGEST_BELOW
    held = open_from(text, first, stop) if is_held else stop
    return held if held > first else 0


def _cut(text: str, found: list[FoundSecret], seen: str) -> int:
    """Choose where a long part ends: not where the overlap begins, if a secret stands there."""
    stop = len(text) - OVERLAP
    reaches = [(secret.first, secret.last) for secret in found]
    frames = frame_reaches(text) if any(word in seen for word in WORDS_OF_FRAMES) else ()
    for first, last in sorted([*reaches, *frames]):
        if first < stop < last:
            stop = last
    return stop


def _whole_lines(text: str, start: int, secrets: list[FoundSecret]) -> list[FoundSecret]:
    """Widen secrets to the lines that they stand in."""
    lines = []
    for secret in secrets:
        first = max(start, text.rfind("\n", 0, secret.start) + 1)
        last = text.find("\n", secret.end)
        last = len(text) if last < 0 else last
        lines.append(FoundSecret(first, last, WITHHELD, first, last))
    return merged(lines)
