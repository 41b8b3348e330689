"""Strategy files, and how a role's `context` becomes the plan that a run pins."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Final

from supervisor_ai.definitions.overlay.layers import SUFFIX, WrittenFile, names_in, read_shape
from supervisor_ai.definitions.schema.context import (
    INTERNALS,
    VARIABLES,
    ContextShape,
    SourceShape,
)
from supervisor_ai.definitions.schema.strategies import StrategyShape
from supervisor_ai.definitions.sources.files import DefinitionSource
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.domain.run.context_plan import ContextPlan, Detail, Source, SourceKind

STRATEGIES: Final = "strategies"
INTERNAL_FILES: Final = (
    *("internal/", "_internal/", "private/", "detail/"),
    *("_[!_]*.py", "*_impl.*", "*.internal.*"),
)
"""What by custom is nobody's business but its own component's."""
_WORK: Final = frozenset({SourceKind.RULES, SourceKind.TARGET, SourceKind.DIFF, SourceKind.CHANGED})
"""What a context begins with; what must always be there comes right after it."""
_INSIDES: Final = frozenset(
    {SourceKind.TARGET, SourceKind.IMPORTS, SourceKind.CHANGED, SourceKind.DIFF}
)
"""What shows how a component does its work."""
_SHARE_OF_ALWAYS: Final = 0.5
"""So much of the budget at most, so that the work itself has room."""

Strategies = Mapping[str, WrittenFile[StrategyShape]]


def read_strategies(
    places: Iterable[tuple[DefinitionSource, str]], mistakes: FileMistakes
) -> Strategies:
    """Read the strategies of shelves and packs; a later one replaces an earlier one as a whole."""
    found: dict[str, WrittenFile[StrategyShape]] = {}
    for shelf, below in places:
        directory = f"{below}{STRATEGIES}"
        for name in names_in(shelf, directory, mistakes):
            written = _read(shelf, directory, name, mistakes)
            if written is not None:
                found[name] = written
    return found


def plan_context(
    context: ContextShape, strategy: StrategyShape | None, usual: int
) -> ContextPlan | None:
    """Bring together what the strategy shows and what the role adds; None: nothing at all."""
    own = [*_sources(context.include)]
    always = [*_sources(context.always_include, share=_SHARE_OF_ALWAYS)]
    planned = [] if strategy is None else list(_strategy_sources(strategy))
    lead = [*takewhile(lambda source: source.kind in _WORK, planned)]
    sources = _distinct([*lead, *always, *planned[len(lead) :], *own])
    exclude = [*(strategy.left_out if strategy else ()), *context.exclude]
    sources = _without_insides(_with_diff(sources, context.git_diff), exclude)
    if not sources:
        return None
    budget = context.token_budget or (strategy.token_budget if strategy else usual)
    packer = context.packer or (strategy.used_packer if strategy else "native")
    return ContextPlan(
        strategy=context.strategy or "",
        sources=tuple(sources),
        token_budget=budget,
        exclude=expanded(exclude),
        packer=packer,
    )


def expanded(patterns: Iterable[str]) -> tuple[str, ...]:
    """Write out what a variable among patterns stands for."""
    found: dict[str, None] = {}
    for pattern in patterns:
        found |= dict.fromkeys(INTERNAL_FILES if pattern == INTERNALS else (pattern,))
    return tuple(found)


def _read(
    shelf: DefinitionSource, directory: str, name: str, mistakes: FileMistakes
) -> WrittenFile[StrategyShape] | None:
    written = read_shape(shelf, f"{directory}/{name}{SUFFIX}", StrategyShape, mistakes)
    if written is not None and written.shape.name not in {None, name}:
        problem = f"is {written.shape.name!r}, but the file is called {name!r}"
        mistakes.add(written.place("name"), problem)
    return written


def _strategy_sources(strategy: StrategyShape) -> Iterator[Source]:
    for shape in strategy.parts:
        yield from _sources(shape.origin, shape=shape)


def _sources(
    texts: Sequence[str], *, shape: SourceShape | None = None, share: float = 1.0
) -> Iterator[Source]:
    """Make one source of each variable, and one of all patterns that follow each other."""
    detail = Detail(shape.detail) if shape else Detail.FULL
    depth, share = (shape.depth, shape.share) if shape else (1, share)
    for kind, group in groupby(texts, lambda text: VARIABLES.get(text, SourceKind.FILES)):
        patterns = tuple(group) if kind is SourceKind.FILES else ()
        yield Source(kind=kind, patterns=patterns, detail=detail, depth=depth, share=share)


def _distinct(sources: list[Source]) -> list[Source]:
    """Leave out a second source of the same thing: the first one has the better place."""
    found: dict[tuple[SourceKind, tuple[str, ...]], Source] = {}
    for source in sources:
        found.setdefault((source.kind, source.patterns), source)
    return list(found.values())


def _with_diff(sources: list[Source], wanted: bool | None) -> list[Source]:  # noqa: FBT001 - None is a third answer
    others = [source for source in sources if source.kind is not SourceKind.DIFF]
    if wanted is None or (wanted and len(others) < len(sources)):
        return sources
    return [Source(kind=SourceKind.DIFF), *others] if wanted else others


def _without_insides(sources: list[Source], exclude: list[str]) -> list[Source]:
    if INTERNALS not in exclude:
        return sources
    return [source for source in sources if source.kind not in _INSIDES]
