"""Counting tokens exactly for one family of models, with a vocabulary that lies on this machine."""

import base64
import binascii
import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

from supervisor_ai.context.tokens import CLAUDE, O200K, OLDER_CLAUDE, RESERVE, Family, Measure
from supervisor_ai.domain.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from tiktoken import Encoding

_WORDS: Final = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
"""How the vocabulary o200k divides a text before it looks words up."""
_FACTORS: Final = {O200K.name: 1.0, OLDER_CLAUDE.name: 1.27, CLAUDE.name: 1.64}
_JOINT: Final = 1.02
"""Parts that are counted apart can differ a little from the whole."""
_PIECE: Final = 100_000


class ExactCounter:
    """Counts by the vocabulary o200k; for another family the count is multiplied."""

    def __init__(self, encoding: "Encoding", family: Family) -> None:
        self._encoding = encoding
        self._factor = _FACTORS[family.name]
        self._family = family

    @property
    def name(self) -> str:
        """Say how it counts."""
        if self._family.name == O200K.name:
            return "exact, o200k"
        return f"o200k times {self._factor} for {self._family.name}"

    @property
    def unit(self) -> str:
        """Say what a measure consists of."""
        return "o200k"

    def measure(self, text: str) -> Measure:
        """Count the tokens of the vocabulary."""
        pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
        return (sum(len(self._encoding.encode_ordinary(piece)) for piece in pieces),)

    def tokens(self, measure: Measure) -> int:
        """Return the tokens with a small reserve, or the estimator's where a factor is used."""
        reserve = _JOINT if self._factor == 1 else RESERVE
        return math.ceil(measure[0] * self._factor * reserve)


def load_encoding(vocabulary: Path) -> "Encoding":
    """Read the vocabulary o200k from a file; nothing is ever downloaded."""
    try:
        from tiktoken import Encoding
    except ImportError as error:
        raise Unavailable(
            "Exact counting of tokens needs the package 'tiktoken'.",
            hint="Install it: pip install 'supervisor-ai[tokens]'.",
        ) from error
    return Encoding(
        name="o200k_local", pat_str=_WORDS, mergeable_ranks=_ranks(vocabulary), special_tokens={}
    )


def _ranks(vocabulary: Path) -> dict[bytes, int]:
    try:
        lines = vocabulary.read_bytes().splitlines()
        pairs = (line.split() for line in lines if line)
        return {base64.b64decode(token, validate=True): int(rank) for token, rank in pairs}
    except OSError as error:
        raise Unavailable(
            f"The vocabulary {str(vocabulary)!r} cannot be read: {error.strerror}."
        ) from error
    except (ValueError, binascii.Error) as error:
        raise InvalidInput(f"{str(vocabulary)!r} is not a vocabulary: {error}") from error
