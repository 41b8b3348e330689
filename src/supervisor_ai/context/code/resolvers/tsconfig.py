"""The aliases that tsconfig.json and jsconfig.json give to modules."""

from collections.abc import Iterator
from posixpath import dirname
from typing import Final

from msgspec import Struct

from supervisor_ai.context.code.resolvers.repository import (
    RepositoryFiles,
    parents,
    strings,
    table_at,
    under,
)

MAX_CHAIN: Final = 8
_NAMES: Final = ("tsconfig.json", "jsconfig.json")


class _Options(Struct, frozen=True, kw_only=True):
    """What a configuration says about names, with its folders made absolute."""

    base: str | None = None
    home: str = ""
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Aliases:
    """Turns a bare name into the places that the nearest configuration names."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository
        self._known: dict[str, list[_Options]] = {}

    def places(self, path: str, name: str) -> Iterator[str]:
        """Yield where a name may lie, the most likely first."""
        for options in self._nearest(dirname(path)):
            for pattern, targets in options.paths:
                middle = matched(pattern, name)
                if middle is not None:
                    home = options.home if options.base is None else options.base
                    yield from (under(home, target.replace("*", middle)) for target in targets)
            if options.base is not None:
                yield under(options.base, name)

    def _nearest(self, folder: str) -> list[_Options]:
        if folder not in self._known:
            files = (under(each, name) for each in parents(folder) for name in _NAMES)
            nearest = self._repository.first(files)
            self._known[folder] = [] if nearest is None else list(self._with_parts(nearest))
        return self._known[folder]

    def _with_parts(self, path: str) -> Iterator[_Options]:
        """Yield the options of a configuration and of the projects that it refers to."""
        yield self._options(path, MAX_CHAIN)
        references = self._repository.table(path).get("references")
        for reference in references if isinstance(references, list) else ():
            for target in strings(table_at({"it": reference}, "it").get("path")):
                part = self._config(under(dirname(path), target))
                if part is not None:
                    yield self._options(part, MAX_CHAIN)

    def _options(self, path: str, left: int) -> _Options:
        table = self._repository.table(path)
        inherited = _Options()
        for name in strings(table.get("extends")):
            parent = self._config(under(dirname(path), name)) if name.startswith(".") else None
            if parent is not None and left:
                inherited = self._options(parent, left - 1)
        own = table_at(table, "compilerOptions")
        base = next(iter(strings(own.get("baseUrl"))), None)
        paths = table_at(own, "paths")
        return _Options(
            base=inherited.base if base is None else under(dirname(path), base),
            home=dirname(path) if paths else inherited.home,
            paths=tuple((key, tuple(strings(value))) for key, value in paths.items())
            or inherited.paths,
        )

    def _config(self, place: str) -> str | None:
        ends = ("", ".json", "/tsconfig.json")
        return self._repository.first(f"{place}{end}".lstrip("/") for end in ends)


def matched(pattern: str, name: str) -> str | None:
    """Return what a star stands for, nothing for an exact match, or None."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    fits = len(name) >= len(head) + len(tail) and name.startswith(head) and name.endswith(tail)
    return name[len(head) : len(name) - len(tail)] if fits else None
