"""What the models' interfaces say about tokens, and the words they stream, in one shape."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

Json = Mapping[str, object]

_IN: Final = (
    *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    *("prompt_tokens", "promptTokenCount", "toolUsePromptTokenCount"),
)
_OUT: Final = ("output_tokens", "completion_tokens", "candidatesTokenCount", "thoughtsTokenCount")
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
_WORDS: Final = frozenset({
    "text", "partial_json", "thinking", "content", "arguments", "reasoning", "reasoning_content",
    "refusal",
})  # fmt: skip
_DEEPEST: Final = 12
_MOST: Final = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one event, or a whole answer, says about tokens."""

    counts: Mapping[str, int]
    is_total: bool
    """Whether nothing will be added to it."""

    @property
    def tokens_in(self) -> int:
        """Everything that the model read, from a cache or not."""
        return sum(self.counts.get(name, 0) for name in _IN)

    @property
    def tokens_out(self) -> int:
        """Everything that the model wrote, thoughts included."""
        return sum(self.counts.get(name, 0) for name in _OUT)

    @property
    def cache_read(self) -> int:
        """The part of the input that a cache had."""
        return min(max(self.counts.get(name, 0) for name in _CACHE_READ), self.tokens_in)

    @property
    def cache_write(self) -> int:
        """The part of the input that a cache took."""
        written = max(self.counts.get(name, 0) for name in _CACHE_WRITE)
        return min(written, self.tokens_in - self.cache_read)

    def joined(self, later: "Report") -> "Report":
        """Return both as one: counts are cumulative, so the higher one is the later one."""
        names = {*self.counts, *later.counts}
        highest = {n: max(self.counts.get(n, 0), later.counts.get(n, 0)) for n in names}
        return replace(self, counts=highest, is_total=self.is_total or later.is_total)


NOTHING: Final = Report(counts={}, is_total=False)


def read_report(said: object) -> Report:
    """Find the counts in an event of a stream or in a whole answer.

    They count only at the places where the interfaces put them: deeper inside are the model's
    own words, which may look like anything.
    """
    report = NOTHING
    for event in said if isinstance(said, list) else [said]:
        for place in (event, _get(event, "message"), _get(event, "response")):
            for name in ("usage", "usageMetadata"):
                counts = _counts(_get(place, name))
                if counts:
                    report = report.joined(Report(counts=counts, is_total=_is_total(event, place)))
    return report


def word_bytes(event: object) -> int:
    """Count the bytes of the words that an event of a stream adds."""
    kind = _get(event, "type")
    if isinstance(kind, str) and not kind.endswith("delta"):
        return 0
    delta = _get(event, "delta")
    if isinstance(delta, str):
        return len(delta.encode(errors="replace"))
    places = (delta, _get(event, "choices"), _get(event, "candidates"))
    return sum(len(word.encode(errors="replace")) for place in places for word in _words(place))


def _get(place: object, name: str) -> object:
    return place.get(name) if isinstance(place, dict) else None


def _inner(place: object, path: str) -> object:
    for name in path.split("."):
        place = _get(place, name)
    return place


def _counts(place: object) -> dict[str, int]:
    found = {name: _inner(place, name) for name in _NAMES}
    return {
        name: min(max(count, 0), _MOST)
        for name, count in found.items()
        if isinstance(count, int) and not isinstance(count, bool)
    }


def _is_total(event: object, place: object) -> bool:
    """Tell whether these counts are the last: some interfaces repeat them as they grow."""
    if _get(event, "type") == "message_start":
        return False
    candidates = _get(place, "candidates")
    if isinstance(candidates, list) and candidates:
        return all(_get(candidate, "finishReason") is not None for candidate in candidates)
    return True


def _words(place: object, depth: int = 0) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(place, list):
        for item in place:
            yield from _words(item, depth + 1)
    elif isinstance(place, dict):
        for name, value in place.items():
            if name in _WORDS and isinstance(value, str):
                yield value
            else:
                yield from _words(value, depth + 1)
