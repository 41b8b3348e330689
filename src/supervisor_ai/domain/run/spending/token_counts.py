"""Token counts of a reply, as Anthropic, OpenAI, Gemini and Ollama write them, in one shape."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.run.values import Usage

_IN: Final = (
    *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    *("prompt_tokens", "promptTokenCount", "toolUsePromptTokenCount", "prompt_eval_count"),
)
_OUT: Final = (
    *("output_tokens", "completion_tokens", "candidatesTokenCount", "thoughtsTokenCount"),
    "eval_count",
)
# Some services count what a cache had or took beside the input, others within it.
_CACHE_READ: Final = (
    *("cache_read_input_tokens", "cachedContentTokenCount"),
    *("input_tokens_details.cached_tokens", "prompt_tokens_details.cached_tokens"),
)
_CACHE_WRITE: Final = (
    "cache_creation_input_tokens",
    *("input_tokens_details.cache_write_tokens", "prompt_tokens_details.cache_write_tokens"),
)
_NAMES: Final = frozenset((*_IN, *_OUT, *_CACHE_READ, *_CACHE_WRITE))
_MOST: Final = 10**12


class TokenCounts(Struct, frozen=True, kw_only=True):
    """What a service says about tokens, by its own names."""

    by_name: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens_in(self) -> int:
        """Everything that the model read, from a cache or not."""
        return sum(self.by_name.get(name, 0) for name in _IN)

    @property
    def tokens_out(self) -> int:
        """Everything that the model wrote, thoughts included."""
        return sum(self.by_name.get(name, 0) for name in _OUT)

    def usage(self, cost: Decimal = Decimal(0)) -> Usage:
        """Return it as what was consumed: a cache had and took no more than went in."""
        read = min(max(self.by_name.get(name, 0) for name in _CACHE_READ), self.tokens_in)
        written = max(self.by_name.get(name, 0) for name in _CACHE_WRITE)
        return Usage(
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost=cost,
            cache_read=read,
            cache_write=min(written, self.tokens_in - read),
        )

    def joined(self, later: "TokenCounts") -> "TokenCounts":
        """Return both as one: counts are cumulative, so the higher one is the later one."""
        names = {*self.by_name, *later.by_name}
        return TokenCounts(
            by_name={n: max(self.by_name.get(n, 0), later.by_name.get(n, 0)) for n in names}
        )


NO_COUNTS: Final = TokenCounts()


def read_counts(place: object) -> TokenCounts:
    """Take the counts that stand at a place; what is no plausible number was not said."""
    found = {name: _inner(place, name) for name in _NAMES}
    return TokenCounts(
        by_name={
            name: count
            for name, count in found.items()
            if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST
        }
    )


def _inner(place: object, path: str) -> object:
    for name in path.split("."):
        place = place.get(name) if isinstance(place, dict) else None
    return place
