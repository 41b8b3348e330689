"""Resolves the imports of Python to files of the repository."""

import ast
from collections.abc import Iterator
from functools import cached_property
from posixpath import dirname

from supervisor_ai.context.code.language import SourceLanguage
from supervisor_ai.context.code.readers.python import parsed_python, statements
from supervisor_ai.context.code.resolvers.repository import (
    Imported,
    RepositoryFiles,
    parents,
    under,
)


class PythonResolver:
    """Finds modules below the folders that hold top-level packages."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository

    def imports(self, path: str, text: str) -> Iterator[Imported]:
        """Yield what a file imports."""
        for level, module, names in _requests(text):
            name = "." * level + module
            files = tuple(self._files(path, level, module, names))
            yield Imported(name=f"{name} {' '.join(names)}".strip(), files=files)

    def _files(self, path: str, level: int, module: str, names: list[str]) -> Iterator[str]:
        for root in self._starts(path, level):
            target = under(root, module.replace(".", "/"))
            found = self._below(target, names)
            if found:
                yield from found
                return

    def _starts(self, path: str, level: int) -> Iterator[str]:
        """Yield the folders in which the first part of a name may lie."""
        here = dirname(path)
        if level:
            folders = list(parents(here))
            yield from folders[level - 1 : level]
            return
        own = next(root for root in parents(here) if not self._is_package(root))
        yield own
        yield from (root for root in ("", "src", *self._roots) if root != own)
        yield from parents(here)

    def _below(self, target: str, names: list[str]) -> list[str]:
        module = self._module(target)
        parts = [self._module(under(target, name)) for name in names]
        found = [part for part in parts if part is not None]
        # Names that are no modules of their own are defined in the package itself.
        if module is not None and len(found) < max(1, len(names)):
            found.append(module)
        return found

    def _module(self, target: str) -> str | None:
        ends = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
        return self._repository.first(f"{target}{end}".lstrip("/") for end in ends)

    def _is_package(self, folder: str) -> bool:
        return under(folder, "__init__.py") in self._repository

    @cached_property
    def _roots(self) -> tuple[str, ...]:
        folders = [dirname(path) for path in self._repository.named("__init__.py")]
        outer = [dirname(folder) for folder in folders if not self._is_package(dirname(folder))]
        return tuple(dict.fromkeys(outer))


Request = tuple[int, str, list[str]]


def _requests(text: str) -> Iterator[Request]:
    """Yield (dots, module, names) of every import; names are empty for a plain import."""
    module = parsed_python(text)
    if module is None:
        yield from _from_tree(text)
        return
    yield from _from_statements(module)


def _from_statements(module: ast.Module) -> Iterator[Request]:
    for node in statements(module.body):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", [alias.name for alias in node.names]


def _from_tree(text: str) -> Iterator[Request]:
    """Read the imports of what this interpreter cannot parse, one statement at a time."""
    from supervisor_ai.context.code.syntax_tree import parsed

    tree = parsed(SourceLanguage.PYTHON, text)
    for _, node in tree.found("[(import_statement) (import_from_statement)] @import"):
        statement = parsed_python(tree.text(node))
        if statement is not None:
            yield from _from_statements(statement)
