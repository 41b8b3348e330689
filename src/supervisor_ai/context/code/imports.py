"""The import graph of a repository: which files a file builds on."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from supervisor_ai.context.code.language import SourceLanguage, language
from supervisor_ai.context.code.resolvers.repository import Imported, RepositoryFiles
from supervisor_ai.context.code.syntax_tree import within_bounds


class Resolver(Protocol):
    """Knows how one language finds what is imported."""

    def imports(self, path: str, text: str) -> Iterator[Imported]:
        """Yield what a file imports."""


class ImportIndex:
    """Answers what a file imports; each file is read once, and only if it is asked for."""

    def __init__(self, files: Mapping[str, Callable[[], str]]) -> None:
        self._repository = RepositoryFiles(files)
        self._resolvers: dict[SourceLanguage, Resolver] = {}
        self._known: dict[str, tuple[Imported, ...]] = {}

    def resolve(self, path: str) -> tuple[str, ...]:
        """Return the files of the repository that a file imports, in order, without itself."""
        found = (file for each in self.imports(path) for file in each.files)
        return tuple(dict.fromkeys(file for file in found if file != path))

    def imports(self, path: str) -> tuple[Imported, ...]:
        """Return every import of a file, also those that lead out of the repository."""
        spoken = language(path)
        if spoken is None or path not in self._repository:
            return ()
        if path not in self._known:
            text = within_bounds(self._repository.text(path))
            self._known[path] = tuple(self._resolver(spoken).imports(path, text))
        return self._known[path]

    def _resolver(self, spoken: SourceLanguage) -> Resolver:
        if spoken not in self._resolvers:
            self._resolvers[spoken] = _resolver(spoken, self._repository)
        return self._resolvers[spoken]


def _resolver(spoken: SourceLanguage, repository: RepositoryFiles) -> Resolver:
    from supervisor_ai.context.code.resolvers.go import GoResolver
    from supervisor_ai.context.code.resolvers.java import JavaResolver
    from supervisor_ai.context.code.resolvers.python import PythonResolver
    from supervisor_ai.context.code.resolvers.rust import RustResolver
    from supervisor_ai.context.code.resolvers.script import ScriptResolver

    match spoken:
        case SourceLanguage.PYTHON:
            return PythonResolver(repository)
        case SourceLanguage.TYPESCRIPT | SourceLanguage.TSX | SourceLanguage.JAVASCRIPT:
            return ScriptResolver(repository)
        case SourceLanguage.GO:
            return GoResolver(repository)
        case SourceLanguage.RUST:
            return RustResolver(repository)
        case SourceLanguage.JAVA:
            return JavaResolver(repository)
