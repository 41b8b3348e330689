"""What is asked of a model, and what it has said so far."""

from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final

from supervisor_ai.domain.run.facts import Usage
from supervisor_ai.tools.json_value import Json, JsonObject

_MOST_TOKENS: Final = 10**12
_BYTES_PER_TOKEN: Final = 4


class Stop(StrEnum):
    """Why a model stopped."""

    DONE = "done"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked."""

    system: str
    prompt: str
    schema: JsonObject | None = None
    most_tokens: int | None = None
    """What the attempt may spend, whatever the model's own setting."""


@dataclass(slots=True, kw_only=True)
class Reply:
    """What a model has said so far; filled record by record."""

    session: str | None = None
    model: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cache_read: int = 0
    cache_write: int = 0
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

    def take(self) -> str:
        """Hand over what was said since the last time."""
        said = "".join(self.fresh)
        self.fresh.clear()
        return said

    @property
    def usage(self) -> Usage:
        """Say what the service says that it consumed."""
        read = min(self.cache_read, self.tokens_in)
        return Usage(
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost=self.cost,
            cache_read=read,
            cache_write=min(self.cache_write, self.tokens_in - read),
        )

    @property
    def spent(self) -> Usage:
        """Say what it has probably consumed so far: words count as long as nobody counts tokens."""
        if self.stop is not None and self.tokens_out:
            return self.usage
        tokens_in = self.tokens_in or guess(self.asked_bytes)
        tokens_out = max(self.tokens_out, guess(self.said_bytes))
        is_guess = (tokens_in, tokens_out) != (self.tokens_in, self.tokens_out)
        return replace(self.usage, tokens_in=tokens_in, tokens_out=tokens_out, estimated=is_guess)


def guess(size: int) -> int:
    """Guess how many tokens so many bytes of text are."""
    return size // _BYTES_PER_TOKEN


def word(value: Json, otherwise: str | None = None) -> str | None:
    """Take text for what it is."""
    return value[:200] if isinstance(value, str) and value else otherwise


def count(value: Json, otherwise: int = 0) -> int:
    """Take a plausible number of tokens for what it is."""
    if isinstance(value, bool) or not isinstance(value, int):
        return otherwise
    return value if 0 <= value <= _MOST_TOKENS else otherwise


def money(value: Json) -> Decimal:
    """Take a plausible price for what it is."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return Decimal(0)
    try:
        price = Decimal(str(value))
    except InvalidOperation:
        return Decimal(0)
    return price if price.is_finite() and 0 <= price <= _MOST_TOKENS else Decimal(0)
