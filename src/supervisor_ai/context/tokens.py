"""Counting tokens without a tokenizer: pairs of byte classes, weighed for each family of models.

A text's measure is additive: the measure of two texts is the sum of theirs. So it is taken once for
each file, kept, and weighed for whatever model is asked about.
"""

import math
import re
from typing import Final, Protocol

from msgspec import Struct

Measure = tuple[int, ...]
"""What was counted in a text."""

RESERVE: Final = 1.10
"""An estimate is taken for a tenth more than it says, so that the truth stays within the budget."""

_PAIRS: Final = tuple(
    pair.encode()
    for pair in (
        *(" a", ".a", "na", "aA", " A", ".A", "..", " ."),
        *("a.", "n.", "0", "uu", "n", "AA", "ta", "aaaaaaaa"),
    )
)


def _class_of(code: int) -> str:
    character = chr(code)
    if not character.isascii():
        return "u"
    if character.isalpha():
        return "a" if character.islower() else "A"
    if character.isdigit():
        return "0"
    return {" ": " ", "\n": "n", "\t": "t"}.get(character, ".")


_LETTERS: Final = "aA0u nt."
_NUMBERS: Final = bytes(_LETTERS.find(chr(code)) % 256 for code in range(256))
_CODES: Final = tuple(
    _LETTERS.index(chr(pair[0])) | _LETTERS.index(chr(pair[1])) << 3
    if len(pair) == 2 and pair[0] != pair[1]  # noqa: PLR2004
    else None
    for pair in _PAIRS
)
"""What a pair is as one byte; one of two equal classes may overlap with the next and has none."""


def _paired(classes: bytes) -> bytes:
    """Make one byte of each class and the next: a byte is counted much faster than two."""
    number = int.from_bytes(classes.translate(_NUMBERS), "little")
    pairs = number | (number >> 8) << 3
    return pairs.to_bytes(len(classes), "little")[:-1]


_CLASSES: Final = "".join(_class_of(code) for code in range(256)).encode()


class Family(Struct, frozen=True, kw_only=True):
    """Models that divide a text in the same way."""

    name: str
    weights: tuple[float, ...]
    """One for each pair of classes."""


CLAUDE: Final = Family(
    name="claude-4.7",
    weights=(
        *(1.06, 1.38, 3.05, 2.58, 1.93, 2.56, 0.97, 1.47),
        *(1.01, 0.71, 0.99, 0.51, 1.47, 1.20, 1.13, 1.33),
    ),
)
OLDER_CLAUDE: Final = Family(
    name="claude-4.6",
    weights=(
        *(1.00, 1.38, 1.76, 2.03, 0.11, 1.18, 0.39, 1.41),
        *(0.67, 0.99, 1.05, 0.50, 1.62, 0.75, 1.16, 0.18),
    ),
)
O200K: Final = Family(
    name="o200k",
    weights=(
        *(1.05, 1.04, 2.02, 1.31, 0.00, 0.71, 0.47, 1.23),
        *(0.34, 0.95, 0.98, 0.35, 0.98, 0.65, 0.57, 0.29),
    ),
)
_OPENAI: Final = re.compile(r"(?:^|[/:])(?:gpt|chatgpt|codex|openai|o\d)")
_VERSION: Final = re.compile(r"(?<!\d)(\d{1,2})(?!\d)(?:[.-](\d{1,2})(?!\d))?")
_LAST_OLDER: Final = (4, 6)


def family_of(model: str) -> Family:
    """Choose the family by a model's name; an unknown one is taken for the hungriest."""
    name = model.lower()
    if _OPENAI.search(name):
        return O200K
    version = _VERSION.search(name) if "claude" in name else None
    if version and (int(version[1]), int(version[2] or 0)) <= _LAST_OLDER:
        return OLDER_CLAUDE
    return CLAUDE


_MOST_BYTES: Final = 8
"""What one token stands for at most; blanks and long words could be made to weigh nothing."""


class TokenCounter(Protocol):
    """Counts the tokens of texts for one model."""

    @property
    def name(self) -> str:
        """Say how it counts."""
        ...

    @property
    def unit(self) -> str:
        """Say what a measure consists of: equal units can share what was measured."""
        ...

    def measure(self, text: str) -> Measure:
        """Measure a text; measures can be added."""
        ...

    def tokens(self, measure: Measure) -> int:
        """Return how many tokens a measure stands for, on the safe side."""
        ...


class Estimator(Struct, frozen=True, kw_only=True):
    """Estimates the tokens of a family, times what was learnt about the model."""

    family: Family
    correction: float = 1.0

    @property
    def name(self) -> str:
        """Say how it counts."""
        learnt = "" if self.correction == 1 else f", corrected by {self.correction:.2f}"
        return f"estimate for {self.family.name}{learnt}"

    @property
    def unit(self) -> str:
        """Say what a measure consists of."""
        return "pairs-2"

    def measure(self, text: str) -> Measure:
        """Count the pairs of classes, and the bytes."""
        classes = text.encode(errors="replace").translate(_CLASSES)
        pairs = _paired(classes)
        counts = (
            classes.count(pair) if code is None else pairs.count(code)
            for pair, code in zip(_PAIRS, _CODES, strict=True)
        )
        return (*counts, len(classes))

    def tokens(self, measure: Measure) -> int:
        """Weigh the pairs and add the reserve; no text is so regular that it costs nothing."""
        least = measure[-1] / _MOST_BYTES if measure else 0.0
        return math.ceil(max(self.raw(measure) * self.correction, least) * RESERVE)

    def raw(self, measure: Measure) -> float:
        """Weigh the pairs, without reserve and correction."""
        return sum(map(float.__mul__, self.family.weights, map(float, measure)))


def added(one: Measure, other: Measure) -> Measure:
    """Add two measures of one counter."""
    return tuple(map(int.__add__, one, other))
