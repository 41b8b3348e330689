"""What is asked of a model, and what it has said so far."""

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.spending.token_counts import NO_COUNTS, TokenCounts, read_counts
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.json_value import Json, JsonObject

_DEAREST: Final = 10**12
_BYTES_PER_TOKEN: Final = 4


class Stop(StrEnum):
    """Why a model stopped."""

    DONE = "done"
    LENGTH = "length"
    REFUSAL = "refusal"


class ModelQuestion(Struct, frozen=True, kw_only=True):
    """What a model is asked."""

    system: str
    prompt: str
    schema: JsonObject | None = None
    most_tokens: int | None = None
    """What the attempt may spend, whatever the model's own setting."""


@dataclass(slots=True, kw_only=True)
class ModelReply:
    """What a model has said so far; filled record by record."""

    session: str | None = None
    model: str | None = None
    counts: TokenCounts = NO_COUNTS
    cost: Decimal = Decimal(0)
    stop: Stop | None = None
    """Why it stopped; None until it says that it did."""
    is_over: bool = False
    """Whether nothing more is to be expected."""
    fault: JsonObject | None = None
    """What the service says went wrong in mid-answer."""
    asked_bytes: int = 0
    """How long the question is that this answers."""
    said_bytes: int = 0
    fresh: list[str] = field(default_factory=list)
    """Words that nobody has taken yet."""
    channel: list[str] = field(default_factory=list)
    """The answer, where it comes on a channel of its own."""

    def say(self, text: Json) -> None:
        """Add words."""
        if isinstance(text, str) and text:
            self.fresh.append(text)
            self.think(text)

    def think(self, text: Json) -> None:
        """Count words that are paid for, also where they are no part of the answer."""
        if isinstance(text, str):
            self.said_bytes += len(text.encode(errors="replace"))

    def answer(self, text: Json) -> None:
        """Add to the answer on its own channel; where there is one, nothing else counts."""
        if isinstance(text, str) and text:
            self.channel.append(text)
            self.say(text)

    def count(self, said: Json) -> None:
        """Take in what the service says about tokens."""
        self.counts = self.counts.joined(read_counts(said))

    def take(self) -> str:
        """Hand over what was said since the last time."""
        said = "".join(self.fresh)
        self.fresh.clear()
        return said

    @property
    def usage(self) -> Usage:
        """Say what the service says that it consumed."""
        return self.counts.usage(self.cost)

    @property
    def spent(self) -> Usage:
        """Say what it has probably consumed so far: words count as long as nobody counts tokens."""
        usage = self.usage
        if self.stop is not None and usage.tokens_out:
            return usage
        tokens_in = usage.tokens_in or guess(self.asked_bytes)
        tokens_out = max(usage.tokens_out, guess(self.said_bytes))
        is_guess = (tokens_in, tokens_out) != (usage.tokens_in, usage.tokens_out)
        return replace(usage, tokens_in=tokens_in, tokens_out=tokens_out, estimated=is_guess)


def guess(size: int) -> int:
    """Guess how many tokens so many bytes of text are."""
    return size // _BYTES_PER_TOKEN


def word(value: Json, otherwise: str | None = None) -> str | None:
    """Take text for what it is."""
    return value[:200] if isinstance(value, str) and value else otherwise


def money(value: Json) -> Decimal:
    """Take a plausible price for what it is."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return Decimal(0)
    try:
        price = Decimal(str(value))
    except InvalidOperation:
        return Decimal(0)
    return price if price.is_finite() and 0 <= price <= _DEAREST else Decimal(0)
