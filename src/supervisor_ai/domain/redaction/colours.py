"""Secrets in coloured output, where codes of colours stand between a name and its value."""

import re
from bisect import bisect_right
from typing import Final

from supervisor_ai.domain.redaction.rule import FoundSecret

# What strips control characters may have left the rest of a code.
_CODE: Final = re.compile(r"(?:\x1b|\\(?:u00|x)1b)?\[[0-9;]{0,16}m")


def has_colours(text: str) -> bool:
    """Tell whether a text may have codes of colours in it, also written as escapes."""
    return "\x1b" in text or "1b[" in text or "[0m" in text


def uncoloured(text: str) -> str:
    """Return a text without its codes of colours."""
    return _CODE.sub("", text)


class ColouredPlaces:
    """Where each place of a text without codes of colours was before they were taken out."""

    def __init__(self, text: str) -> None:
        self._origins, self._starts = [0], [0]
        for code in _CODE.finditer(text):
            self._starts.append(self._starts[-1] + code.start() - self._origins[-1])
            self._origins.append(code.end())

    def restored(self, found: FoundSecret) -> FoundSecret:
        """Return a secret as it stands in the coloured text."""
        return found._replace(
            start=self._origin(found.start),
            end=self._origin(found.end - 1) + 1,
            first=self._origin(found.first),
            last=self._origin(found.last - 1) + 1,
        )

    def _origin(self, place: int) -> int:
        part = bisect_right(self._starts, place) - 1
        return self._origins[part] + place - self._starts[part]
