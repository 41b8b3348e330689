"""The packer of our own."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final

from msgspec import Struct

from supervisor_ai.context.code_reader import CodeReader
from supervisor_ai.context.collector import Collector
from supervisor_ai.context.contents import Contents, Redacting
from supervisor_ai.context.elements import CLOSING, OPENING, opening
from supervisor_ai.context.material import cleaned
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.context.parts import ContextPart
from supervisor_ai.context.path_rules import PathRules
from supervisor_ai.context.pruner import Pruner
from supervisor_ai.context.tokens import TokenCounter
from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.context_plan import Detail, PackedContext, PackedItem, SourceKind
from supervisor_ai.engine.ports.context import PackRequest

_STABLE_FIRST: Final = (
    *(SourceKind.RULES, SourceKind.KNOWLEDGE, SourceKind.INTERFACES, SourceKind.FILES),
    *(SourceKind.PUBLIC_API, SourceKind.TREE, SourceKind.IMPORTS, SourceKind.TARGET),
    *(SourceKind.PLAN, SourceKind.CHANGED, SourceKind.DIFF),
)
"""What changes least stands first, so that a provider finds the beginning in its cache."""
_ROOM_FOR_NOTES: Final = 2_000
"""In a smaller context what is left out is not spoken of."""
_MANY: Final = 99_999_999
_MOST_OMISSIONS: Final = 200
"""How many parts of one source that are not shown the record names."""


class Packed(Struct, frozen=True, kw_only=True):
    """The parts of a context at their levels."""

    pruning: Pruner
    budget: int
    counter: TokenCounter

    def shown(self) -> list[tuple[ContextPart, Detail, str]]:
        """Return the parts that are shown, in the order of the text, with their text."""
        found = [
            (part, detail, element.text)
            for part, detail in self.pruning.chosen.items()
            if (element := self.pruning.element(part, detail))
        ]
        return sorted(found, key=lambda entry: _STABLE_FIRST.index(entry[0].kind))

    def context(self, frame: int) -> PackedContext:
        """Write the text and its record."""
        shown = self.shown()
        whole = "".join(text for _, _, text in shown)
        text = f"{OPENING}{whole}{self.omissions()}{CLOSING}" if shown else ""
        return PackedContext(
            text=text,
            tokens=self.pruning.total + frame if shown else 0,
            budget=self.budget,
            items=tuple(self.items()),
            counter=self.counter.name,
        )

    def omissions(self) -> str:
        """Say in the text itself how much of each kind it does not show."""
        if self.budget < _ROOM_FOR_NOTES:
            return ""
        left_out: Counter[SourceKind] = Counter()
        for part, detail in self.pruning.chosen.items():
            left_out[part.kind] += (detail is Detail.NONE) + part.more
        left_out = +left_out
        return "".join(_note(kind, number) for kind, number in left_out.items())

    def items(self) -> Iterator[PackedItem]:
        """Record what is shown of every part and why; of many omissions only the number."""
        for _, parts in groupby(self.pruning.chosen, key=lambda part: part.source):
            omitted = unnamed = 0
            last = None
            for part in parts:
                is_omitted = self.pruning.chosen[part] is Detail.NONE
                omitted += is_omitted
                last = part
                if not is_omitted or omitted <= _MOST_OMISSIONS:
                    yield self._item(part)
                else:
                    unnamed += 1
                unnamed += part.more
            if last and unnamed:
                yield _rest(last, unnamed)

    def _item(self, part: ContextPart) -> PackedItem:
        detail = self.pruning.chosen[part]
        element = self.pruning.element(part, detail)
        return PackedItem(
            source=part.kind,
            name=cleaned(part.name),
            detail=detail,
            tokens=self.pruning.tokens(part, detail),
            reason="; ".join(filter(None, (part.reason, self._why_not_more(part, detail)))),
            redactions=element.redactions if element else 0,
        )

    def _why_not_more(self, part: ContextPart, detail: Detail) -> str:
        if detail is part.most:
            return part.limited_by
        return self.pruning.pressed.get(part) or part.limited_by or "there is no text to show"


def _note(kind: SourceKind, number: int) -> str:
    return opening("omitted", {"part": kind.value, "count": str(number)}, is_empty=True)


def _frame(request: PackRequest) -> str:
    """Return what a context may consist of besides its parts."""
    kinds = dict.fromkeys(source.kind for source in request.plan.sources)
    has_room = request.plan.token_budget >= _ROOM_FOR_NOTES
    notes = (_note(kind, _MANY) for kind in kinds) if has_room else ()
    return f"{OPENING}{''.join(notes)}{CLOSING}"


def _rest(part: ContextPart, number: int) -> PackedItem:
    return PackedItem(
        source=part.kind,
        name=f"({number} more)",
        detail=Detail.NONE,
        tokens=0,
        reason="not shown and not named here one by one",
    )


class NativePacker:
    """Reads a commit, redacts, counts and prunes; what it made before it finds in its cache."""

    def __init__(
        self,
        *,
        files: Commits,
        redactor: Redacting,
        cache: PackCache,
        counter: Callable[[str], TokenCounter],
        code: Callable[[], CodeReader],
    ) -> None:
        self._files = files
        self._redactor = redactor
        self._cache = cache
        self._counter = counter
        """Chooses how tokens are counted for a model."""
        self._code = code
        self._rules = PathRules()

    async def pack(self, request: PackRequest) -> PackedContext:
        """Gather, redact, count and prune."""
        import asyncio  # Whoever packs in this thread has no need of it.

        return await asyncio.to_thread(self.pack_now, request)

    def pack_now(self, request: PackRequest) -> PackedContext:
        """Pack in this thread."""
        counter = self._counter(request.model)
        frame = counter.tokens(counter.measure(_frame(request)))
        return self.select(request, request.plan.token_budget - frame).context(frame)

    def select(self, request: PackRequest, room: int) -> Packed:
        """Choose what is shown within so many tokens."""
        with self._cache.session():
            return self._select(request, room)

    def _select(self, request: PackRequest, room: int) -> Packed:
        counter = self._counter(request.model)
        code = self._code()
        contents = Contents(
            files=self._files,
            redactor=self._redactor,
            cache=self._cache,
            counter=counter,
            code=code,
        )
        parts = Collector(request, contents, code, self._rules).parts()
        pruning = Pruner(parts, budget=max(room, 0), limits=_limits(request, room), counter=counter)
        pruning.prune()
        contents.keep()
        return Packed(pruning=pruning, budget=request.plan.token_budget, counter=counter)


def _limits(request: PackRequest, room: int) -> dict[int, int]:
    shares: Iterable[float] = (source.share for source in request.plan.sources)
    return {place: max(0, int(room * share)) for place, share in enumerate(shares)}
