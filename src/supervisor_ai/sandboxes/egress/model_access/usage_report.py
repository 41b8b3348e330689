"""Token usage as the models' APIs report it, and the words they stream, in one shape."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.spending.token_counts import NO_COUNTS, TokenCounts, read_counts

_WORDS: Final = frozenset({
    "text", "partial_json", "thinking", "content", "arguments", "reasoning", "reasoning_content",
    "refusal",
})  # fmt: skip
_DEEPEST: Final = 12


class UsageReport(Struct, frozen=True, kw_only=True):
    """What one event, or a whole answer, says about tokens."""

    counts: TokenCounts
    is_total: bool
    """Whether nothing will be added to it."""

    def joined(self, later: "UsageReport") -> "UsageReport":
        """Return both as one."""
        is_total = self.is_total or later.is_total
        return UsageReport(counts=self.counts.joined(later.counts), is_total=is_total)


NOTHING: Final = UsageReport(counts=NO_COUNTS, is_total=False)


def read_report(said: object) -> UsageReport:
    """Find the counts in an event of a stream or in a whole answer.

    They count only at the places where the interfaces put them: deeper inside are the model's
    own words, which may look like anything.
    """
    report = NOTHING
    for event in said if isinstance(said, list) else [said]:
        for place in (event, _get(event, "message"), _get(event, "response")):
            for name in ("usage", "usageMetadata"):
                counts = read_counts(_get(place, name))
                if counts.by_name:
                    report = report.joined(
                        UsageReport(counts=counts, is_total=_is_total(event, place))
                    )
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
