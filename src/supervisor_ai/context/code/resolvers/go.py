"""Resolves the imports of Go to files of the repository."""

import re
from collections.abc import Iterator
from functools import cached_property
from posixpath import basename, dirname
from typing import Final

from supervisor_ai.context.code.language import SourceLanguage
from supervisor_ai.context.code.resolvers.repository import (
    MAX_CONFIG,
    Imported,
    RepositoryFiles,
    parents,
    under,
)
from supervisor_ai.context.code.syntax_tree import parsed

_MODULE: Final = re.compile(r'^module[ \t]+"?([^\s"]+)', re.MULTILINE)
_REPLACE: Final = re.compile(
    r"^[ \t]*(?:replace[ \t]+)?([^\s()]+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(\.\S*)", re.MULTILINE
)
_IMPORTS: Final = "(import_spec path: (_) @path)"


class GoResolver:
    """Finds packages by the modules that the repository declares or replaces."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository

    def imports(self, path: str, text: str) -> Iterator[Imported]:
        """Yield what a file imports: a package is all its files but the tests."""
        tree = parsed(SourceLanguage.GO, text)
        for _, node in tree.found(_IMPORTS):
            name = tree.text(node).strip('"`')
            yield Imported(name=name, files=tuple(self._package(dirname(path), name)))

    def _package(self, here: str, name: str) -> list[str]:
        if name.startswith("."):
            return self._sources(under(here, name))
        for prefix in parents(name):
            for folder in self._modules.get(prefix, ()) if prefix else ():
                found = self._sources(under(folder, name.removeprefix(prefix).lstrip("/")))
                if found:
                    return found
        vendored = (self._sources(under(root, f"vendor/{name}")) for root in parents(here))
        return next((found for found in vendored if found), [])

    def _sources(self, folder: str) -> list[str]:
        paths = self._repository.beside(folder)
        return [path for path in paths if path.endswith(".go") and not path.endswith("_test.go")]

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in (*self._repository.named("go.mod"), *self._repository.named("go.work")):
            text = self._repository.text(path)[:MAX_CONFIG]
            declared = _MODULE.search(text) if basename(path) == "go.mod" else None
            if declared is not None:
                found.setdefault(declared[1], []).append(dirname(path))
            for name, folder in _REPLACE.findall(text):
                found.setdefault(name, []).append(under(dirname(path), folder))
        return found
