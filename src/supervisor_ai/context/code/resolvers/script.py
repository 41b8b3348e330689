"""Resolves the imports of TypeScript and JavaScript to files of the repository."""

from collections.abc import Iterator
from posixpath import dirname, splitext
from typing import Final

from supervisor_ai.context.code.language import SourceLanguage, language
from supervisor_ai.context.code.resolvers.packages import Packages
from supervisor_ai.context.code.resolvers.repository import Imported, RepositoryFiles, under
from supervisor_ai.context.code.resolvers.tsconfig import Aliases
from supervisor_ai.context.code.syntax_tree import parsed

_QUERY: Final = """
(import_statement source: (string) @source)
(export_statement source: (string) @source)
(call_expression function: (import) arguments: (arguments . (string) @source))
(call_expression function: (identifier) @name arguments: (arguments . (string) @required)
  (#eq? @name "require"))
"""
_TYPED: Final = "(import_require_clause source: (string) @source)"
# What a compiled name stands for in the sources, in the order of trying.
_SOURCES: Final = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_ENDINGS: Final = (
    *(".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
    *(".json", ".vue", ".svelte"),
)


class ScriptResolver:
    """Finds modules by path, by alias and by the packages of the repository."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository
        self._aliases = Aliases(repository)
        self._packages = Packages(repository)

    def imports(self, path: str, text: str) -> Iterator[Imported]:
        """Yield what a file imports, exports again or requires."""
        spoken = language(path) or SourceLanguage.JAVASCRIPT
        tree = parsed(spoken, text)
        query = _QUERY if spoken is SourceLanguage.JAVASCRIPT else _QUERY + _TYPED
        for kind, node in tree.found(query):
            if kind != "name":
                name = tree.text(node).strip("\"'").partition("?")[0]
                target = self._target(path, name)
                yield Imported(name=name, files=() if target is None else (target,))

    def _target(self, path: str, name: str) -> str | None:
        if name.startswith((".", "/")):
            return self._file(under(dirname(path), name))
        places = (*self._aliases.places(path, name), *self._packages.places(path, name))
        return next((found for place in places if (found := self._file(place))), None)

    def _file(self, place: str) -> str | None:
        stem, ending = splitext(place)
        compiled = (stem + source for source in _SOURCES.get(ending, ()))
        folder = (under(place, f"index{each}") for each in _ENDINGS)
        named = (place + each for each in _ENDINGS)
        if place in self._repository and ending:
            return place
        found = self._repository.first(iter((*compiled, *named)))
        if found is None and place in self._repository.folders:
            inside = (under(place, each) for each in self._packages.entries(place, "."))
            return self._repository.first(iter((*inside, *folder)))
        return found
