"""Which files of a repository a file builds on."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from supervisor_ai.context.code.language import Language, language
from supervisor_ai.context.code.resolvers.imported import Imported
from supervisor_ai.context.code.resolvers.repository import Repository
from supervisor_ai.context.code.syntax_tree import within_bounds


class Resolver(Protocol):
    """Knows how one language finds what is imported."""

    def imports(self, path: str, text: str) -> Iterator[Imported]:
        """Yield what a file imports."""


class ImportIndex:
    """Answers what a file imports; each file is read once, and only if it is asked for."""

    def __init__(self, files: Mapping[str, Callable[[], str]]) -> None:
        self._repository = Repository(files)
        self._resolvers: dict[Language, Resolver] = {}
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

    def _resolver(self, spoken: Language) -> Resolver:
        if spoken not in self._resolvers:
            self._resolvers[spoken] = _resolver(spoken, self._repository)
        return self._resolvers[spoken]


def _resolver(spoken: Language, repository: Repository) -> Resolver:
    from supervisor_ai.context.code.resolvers.go import GoResolver
    from supervisor_ai.context.code.resolvers.java import JavaResolver
    from supervisor_ai.context.code.resolvers.python import PythonResolver
    from supervisor_ai.context.code.resolvers.rust import RustResolver
    from supervisor_ai.context.code.resolvers.script import ScriptResolver

    match spoken:
        case Language.PYTHON:
            return PythonResolver(repository)
        case Language.TYPESCRIPT | Language.TSX | Language.JAVASCRIPT:
            return ScriptResolver(repository)
        case Language.GO:
            return GoResolver(repository)
        case Language.RUST:
            return RustResolver(repository)
        case Language.JAVA:
            return JavaResolver(repository)
