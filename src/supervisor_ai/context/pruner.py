"""Fits a context into its token budget: the least important parts lose detail first."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.context.elements import Element
from supervisor_ai.context.parts import ContextPart
from supervisor_ai.context.tokens import TokenCounter
from supervisor_ai.domain.run.context_plan import DETAILS, Detail

_LOWER: Final = DETAILS[1:]


class Pruner:
    """Chooses a level for every part, so that neither the budget nor a share is exceeded."""

    def __init__(
        self,
        parts: Sequence[ContextPart],
        *,
        budget: int,
        limits: Mapping[int, int],
        counter: TokenCounter,
    ) -> None:
        self._parts = parts
        self._budget = budget
        self._limits = limits
        """How many tokens each source may take."""
        self._counter = counter
        self._of_source: dict[int, list[ContextPart]] = defaultdict(list)
        self._spent: dict[int, int] = defaultdict(int)
        self.total = 0
        self.chosen: dict[ContextPart, Detail] = {}
        self.pressed: dict[ContextPart, str] = {}
        """Why a part lost detail."""
        for part in parts:
            self._of_source[part.source].append(part)

    def prune(self) -> None:
        """Begin with everything, take away until it fits, and use what room is left."""
        for part in self._parts:
            self._choose(part, self._best(part))
        for source in (place for place, limit in self._limits.items() if limit < self._budget):
            self._press(source, "the share of its source is used up")
        for source in sorted(self._of_source, reverse=True):
            self._press(source, "the budget is used up", is_whole=True)
        for part in self._parts:
            self._restore(part)

    def tokens(self, part: ContextPart, detail: Detail) -> int:
        """Return what a part costs at a level that it has."""
        element = self.element(part, detail)
        return self._counter.tokens(element.measure) if element else 0

    def element(self, part: ContextPart, detail: Detail) -> Element | None:
        """Return a part at a level."""
        return None if detail is Detail.NONE else part.at(detail, self._counter)

    def _best(self, part: ContextPart) -> Detail:
        """Return the most detailed level that a part has."""
        found = (detail for detail in part.details() if self.element(part, detail))
        return next(found, Detail.NONE)

    def _press(self, source: int, why: str, *, is_whole: bool = False) -> None:
        """Take detail from a source until it fits, the last of its parts first."""
        for part, detail in self._demotions(source):
            if self._fits(source, is_whole=is_whole):
                return
            if self.tokens(part, detail) < self.tokens(part, self.chosen[part]):
                self._choose(part, detail)
                self.pressed[part] = why

    def _demotions(self, source: int) -> Iterator[tuple[ContextPart, Detail]]:
        for detail in _LOWER:
            for part in reversed(self._of_source[source]):
                is_lower = DETAILS.index(detail) > DETAILS.index(self.chosen[part])
                if is_lower and (detail is Detail.NONE or self.element(part, detail)):
                    yield part, detail

    def _fits(self, source: int, *, is_whole: bool) -> bool:
        if is_whole:
            return self.total <= self._budget
        return self._spent[source] <= self._limits[source]

    def _restore(self, part: ContextPart) -> None:
        """Give a part back the most detailed of its known levels for which there is room."""
        for detail in part.details():
            if detail is self.chosen[part]:
                return
            if detail in part.elements and self._has_room(part, detail):
                self._choose(part, detail)
                return

    def _has_room(self, part: ContextPart, detail: Detail) -> bool:
        if not part.elements[detail]:
            return False
        more = self.tokens(part, detail) - self.tokens(part, self.chosen[part])
        return (
            self.total + more <= self._budget
            and self._spent[part.source] + more <= self._limits[part.source]
        )

    def _choose(self, part: ContextPart, detail: Detail) -> None:
        before = self.tokens(part, self.chosen[part]) if part in self.chosen else 0
        more = self.tokens(part, detail) - before
        self._spent[part.source] += more
        self.total += more
        self.chosen[part] = detail
